package mercury_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
)

// damaged links a recorded case whose second input has other bytes.
func damaged(t *testing.T, c *corpus.Case, data []byte) error {
	t.Helper()
	var inputs []engine.Input
	for i, in := range c.Inputs {
		if i == 1 {
			in.Data = data
		}
		inputs = append(inputs, engine.Input{Name: in.Name, Data: in.Data})
	}
	_, err := engine.Link(inputs, engine.Options{Arch: c.Arch, Toolkit: c.Release, Debug: c.Args[0] == "-g" || c.Args[1] == "-g"})
	return err
}

func mercuryCase(t *testing.T, id string) *corpus.Case {
	t.Helper()
	programs, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	list := corpus.CasesOf(programs)
	for i := range list {
		if list[i].ID() == id {
			return &list[i]
		}
	}
	t.Fatalf("no case %s", id)
	return nil
}

// What is wrong with the debug sections of an object with two sides is reported as what it is: the section, the place of the
// part that can't be read, and the value there. What no part of a link reads is not told.
func TestDebugFaultPlaces(t *testing.T) {
	for _, id := range []string{"alloca/13.0-sm_100-g-g", "cxx_lineinfo/13.0-sm_103-lineinfo"} {
		c := mercuryCase(t, id)
		data := c.Inputs[1].Data
		if err := damaged(t, c, data); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		f, err := cubin.Open("b.cubin", data)
		if err != nil {
			t.Fatal(err)
		}
		first, err := cubin.Open("a.cubin", c.Inputs[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		section := func(f *cubin.File, name string) cubin.Section { return f.Section(f.Lookup(name)) }
		for _, d := range debugDamages(f, section(first, ".nv.merc.debug_frame").Size, id == "alloca/13.0-sm_100-g-g") {
			b := bytes.Clone(data)
			s := section(f, d.section)
			copy(b[s.Off+d.at:], d.bytes)
			err := damaged(t, c, b)
			var fault *cubin.Error
			switch {
			case d.want == nil && err != nil:
				t.Errorf("%s: %s: %s: %v", id, d.section, d.what, err)
			case d.want == nil:
			case !errors.As(err, &fault) || *fault != *d.want:
				t.Errorf("%s: %s: %s: %v, want %v", id, d.section, d.what, err, d.want)
			}
		}
	}
}

// debugDamage is other bytes at a place of a section, and the fault that the link has to tell; nil: none.
type debugDamage struct {
	section, what string
	at            uint64
	bytes         []byte
	want          *cubin.Error
}

// debugDamages are those of all sections. Of an object whose functions don't all stay the link reads no more of frames than
// where they end; and it doesn't read a unit of lines that has none.
func debugDamages(f *cubin.File, before uint64, stays bool) (all []debugDamage) {
	content := func(name string) []byte { s := f.Section(f.Lookup(name)); return f.Content(&s) }
	all = frameDamages(content(".nv.merc.debug_frame"), before, stays)
	for _, name := range []string{".debug_line", ".nv_debug_line_sass"} {
		if f.Lookup(".rela"+name) != 0 {
			all = append(all, lineDamages(name, content(name))...)
		}
	}
	return append(all, registerDamages(content(".nv_debug_info_reg_sass"))...)
}

func word(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

// frameDamages are those of entries of the 64-bit format, {ffffffff, u64 length, u64 CIE or -1, …}: the whole section of
// the input is told, where it is in the output.
func frameDamages(b []byte, before uint64, stays bool) (all []debugDamage) {
	bad := &cubin.Error{Kind: cubin.BadRecord, File: "b.cubin", Section: ".debug_frame", Offset: (before + 7) &^ 7, Value: uint64(len(b)), Detail: "not a sequence of 64-bit call frame entries"}
	const name = ".nv.merc.debug_frame"
	for at := uint64(0); at < uint64(len(b)); {
		size := 12 + binary.LittleEndian.Uint64(b[at+4:])
		last, cie := at+size == uint64(len(b)), binary.LittleEndian.Uint64(b[at+12:]) == 1<<64-1
		all = append(all, debugDamage{name, "a length far past the end", at + 4, word(1 << 40), bad})
		if last {
			all = append(all, debugDamage{name, "a length past the end", at + 4, word(size - 11), bad})
		}
		if at == 0 && cie && stays {
			all = append(all, debugDamage{name, "an FDE before any CIE", at + 12, word(0), bad})
		}
		if !cie && stays {
			all = append(all, debugDamage{name, "a program that can't be read", at + 36, []byte{0x3f}, bad})
		}
		at += size
	}
	return all
}

// lineDamages are those of units {u32 length, u16 version, u32 header length, …}: the unit is told.
func lineDamages(name string, b []byte) (all []debugDamage) {
	for at := uint64(0); at < uint64(len(b)); {
		size := 4 + uint64(binary.LittleEndian.Uint32(b[at:]))
		bad := &cubin.Error{Kind: cubin.BadRecord, File: "b.cubin", Section: name, Offset: at, Detail: "not a line program"}
		rest := uint64(len(b)) - at
		half := func(v uint64) []byte { return word(v)[:4] }
		all = append(all, debugDamage{name, "a length past the end", at, half(rest - 3), bad}, debugDamage{name, "a header past the unit", at + 6, half(size - 9), bad},
			debugDamage{name, "a length without a header", at, half(1), bad})
		at += size
	}
	return all
}

// registerDamages are those of tables {name, u32 n, n × …}: the table is told, and how long the section is.
func registerDamages(b []byte) (all []debugDamage) {
	const name = ".nv_debug_info_reg_sass"
	for at := 0; at < len(b); {
		n := bytes.IndexByte(b[at:], 0)
		count := at + n + 1
		bad := &cubin.Error{Kind: cubin.BadRecord, File: "b.cubin", Section: name, Offset: uint64(at), Value: uint64(len(b)), Detail: "not a table of registers"}
		all = append(all, debugDamage{name, "more rows than there are", uint64(count), word(1 << 31)[:4], bad})
		end := count + 4
		for range binary.LittleEndian.Uint32(b[count:]) {
			end += 4 + bytes.IndexByte(b[end+4:], 0) + 1 + 12
		}
		if end == len(b) {
			all = append(all, debugDamage{name, "one row more", uint64(count), word(uint64(binary.LittleEndian.Uint32(b[count:]) + 1))[:4], bad})
		}
		at = end
	}
	return all
}
