package registration

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/internal/container"
	"github.com/twinlink/twinlink/internal/hostelf"
)

// program makes an executable of sections, a name and its content by turns.
func program(list ...string) []byte {
	var of []hostelf.Section
	for pair := range slices.Chunk(list, 2) {
		of = append(of, hostelf.Section{Name: pair[0], Data: []byte(pair[1])})
	}
	return hostelf.Encode(hostelf.Program, of...)
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
		"external and internal": {program(".nv_fatbin", string(fat), "__nv_module_id", modules, ".nvHRKE", "_Z5other*tail\x00_Z4more\x00", ".nvHRKI", "_ZN3mod*tail\x00_ZN4lone*\x00"),
			[]Fault{{NoKernel, "_Z5other*tail", "sm_80"}, {NoKernel, "_Z4more", "sm_80"}, {NoKernel, "_ZN4lone*", "sm_80"}}, 0},
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
	at := strings.Index(string(fat), "\x7fELF")
	if at < 0 {
		t.Fatal("the fatbinary's cubin is compressed")
	}
	class := slices.Clone(fat)
	class[at+4] = 1
	for name, bad := range map[string][]byte{"a fatbinary that is cut": fat[:100], "a cubin of 32 bits": class} {
		if _, err := CheckProgram("p", program(".nv_fatbin", string(bad))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
