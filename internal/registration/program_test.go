package registration

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/internal/container"
)

// program makes an executable of sections, a name and its content by turns.
func program(list ...string) []byte {
	le := binary.LittleEndian
	names, out, headers := []byte{0}, make([]byte, 64), make([]byte, 64)
	add := func(name string, content []byte, kind uint32) {
		h := make([]byte, 64)
		le.PutUint32(h, uint32(len(names)))
		le.PutUint32(h[4:], kind)
		names = append(append(names, name...), 0)
		if kind == 3 {
			content = names
		}
		le.PutUint64(h[24:], uint64(len(out)))
		le.PutUint64(h[32:], uint64(len(content)))
		out, headers = append(out, content...), append(headers, h...)
	}
	for i := 0; i < len(list); i += 2 {
		add(list[i], []byte(list[i+1]), 1)
	}
	add(".shstrtab", nil, 3)
	copy(out, "\x7fELF\x02\x01\x01")
	le.PutUint16(out[16:], 2) // ET_EXEC
	le.PutUint16(out[18:], 62)
	le.PutUint32(out[20:], 1)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint16(out[52:], 64)
	le.PutUint16(out[58:], 64)
	le.PutUint16(out[60:], uint16(len(headers)/64))
	le.PutUint16(out[62:], uint16(len(headers)/64-1))
	return append(out, headers...)
}

// A program with the code of 13.0-plain.fatbin, for sm_80 with the kernel count and the variable counter.
func TestCheckProgram(t *testing.T) {
	fat, err := os.ReadFile("../container/testdata/13.0-plain.fatbin")
	if err != nil {
		t.Fatal(err)
	}
	const modules = "def _a_cu\x00_a_cu\x00"
	for name, c := range map[string]struct {
		data     []byte
		faults   []Fault
		unjudged int
	}{
		"right":          {program(".nv_fatbin", string(fat), "__nv_module_id", modules, ".nvHRKE", "count\x00"), nil, 0},
		"another kernel": {program(".nv_fatbin", string(fat), "__nv_module_id", modules, ".nvHRKE", "_Z5other*\x00"), []Fault{{NoKernel, "_Z5other*", "sm_80"}}, 0},
		"a variable":     {program(".nv_fatbin", string(fat), "__nv_module_id", modules, ".nvHRDE", "absent\x00"), []Fault{{NoVariable, "absent", "sm_80"}}, 0},
		"not registered": {program(".nv_fatbin", string(fat), "__nv_module_id", "_a_cu\x00", ".nvHRKE", "count\x00"), []Fault{{Kind: Unregistered, Name: "_a_cu"}}, 0},
		"no references":  {program(".nv_fatbin", string(fat)), nil, 1},
		"no device code": {program(".nvHRKE", "count\x00"), nil, 1},
		"nothing at all": {program(), nil, 1},
	} {
		p, err := CheckProgram("p", c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.faults, p.Faults); diff != "" || len(p.Unjudged) != c.unjudged || p.Format != container.Program {
			t.Errorf("%s: %s: unjudged %q, format %v", name, diff, p.Unjudged, p.Format)
		}
	}
	if _, err := CheckProgram("p", program(".nv_fatbin", string(fat[:100]))); err == nil {
		t.Error("a fatbinary that is cut: no error")
	}
}
