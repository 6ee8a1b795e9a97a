package capsule

import (
	"encoding/binary"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Symbols whose section is in a table of its own: the one that belongs to their table, as long as they are many; and each
// thing that a table of symbols can have wrong.
func TestSymbolsFarAway(t *testing.T) {
	le := binary.LittleEndian
	symbol := func(name uint32, shndx uint16) []byte {
		b := make([]byte, cubin.SymbolSize)
		le.PutUint32(b, name)
		le.PutUint16(b[6:], shndx)
		return b
	}
	far := func(list ...uint32) (b []byte) {
		for _, n := range list {
			b = le.AppendUint32(b, n)
		}
		return b
	}
	image := func(change func(*Image)) *Image {
		m := &Image{Sections: make([]Section, 5)}
		table := append(append(symbol(0, 0), symbol(1, cuda.SHNXindex)...), symbol(3, 4)...)
		m.Sections[1] = Section{Section: cubin.Section{Type: cuda.SHTSymtab, Link: 2, Info: 1, EntSize: cubin.SymbolSize}, Content: table}
		m.Sections[2] = Section{Content: []byte("\x00a\x00b\x00")}
		m.Sections[3] = Section{Section: cubin.Section{Type: cuda.SHTSymtabShndx, Link: 1}, Content: far(0, 3, 0)}
		m.Sections[4] = Section{Section: cubin.Section{Type: cuda.SHTSymtabShndx, Link: 2}, Content: far(0, 2, 0)} // of another table
		if change != nil {
			change(m)
		}
		return m
	}
	got, fault := image(nil).readSymbols(1)
	if fault != nil || len(got.List) != 3 || got.Locals != 1 || got.List[1].Section != 3 || got.List[2].Section != 4 || got.List[1].Name != "a" || got.List[2].Name != "b" {
		t.Errorf("%+v, %v", got, fault)
	}
	for name, c := range map[string]struct {
		change func(*Image)
		kind   cubin.Kind
	}{
		"no table of sections":    {func(m *Image) { m.Sections[3].Type = cuda.SHTNote }, cubin.BadIndex},
		"the table is too short":  {func(m *Image) { m.Sections[3].Content = far(0) }, cubin.BadIndex},
		"a section that isn't":    {func(m *Image) { m.Sections[3].Content = far(0, 5, 0) }, cubin.BadIndex},
		"one that isn't, near":    {func(m *Image) { le.PutUint16(m.Sections[1].Content[2*cubin.SymbolSize+6:], 5) }, cubin.BadIndex},
		"names end before":        {func(m *Image) { le.PutUint32(m.Sections[1].Content[2*cubin.SymbolSize:], 5) }, cubin.BadName},
		"a name without an end":   {func(m *Image) { m.Sections[2].Content = m.Sections[2].Content[:4] }, cubin.BadName},
		"no names":                {func(m *Image) { m.Sections[1].Link = 0 }, cubin.BadIndex},
		"names that aren't":       {func(m *Image) { m.Sections[1].Link = 5 }, cubin.BadIndex},
		"half a symbol":           {func(m *Image) { m.Sections[1].Content = m.Sections[1].Content[:36] }, cubin.BadTable},
		"symbols of another size": {func(m *Image) { m.Sections[1].EntSize = 12 }, cubin.BadTable},
	} {
		_, fault := image(c.change).readSymbols(1)
		if fault == nil || fault.Kind != c.kind {
			t.Errorf("%s: %+v, want %v", name, fault, c.kind)
		}
	}
}
