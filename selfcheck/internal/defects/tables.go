package defects

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

var le = binary.LittleEndian

// bothSymbols changes the entry of a function that has a text of its own alike in both symbol tables.
func bothSymbols(change func(e []byte)) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		n := min(len(m.SASS.List), len(m.Merc.List))
		if n < 2 {
			return false
		}
		i := 1 + rng.IntN(n-1)
		if s := &m.SASS.List[i]; s.Type() != cuda.STTFunc || s.Section >= uint32(len(m.Sections)) || m.Sections[s.Section].Name != ".text."+s.Name {
			return false
		}
		for _, table := range []int{m.SASS.Index, m.Merc.Index} {
			at := m.Sections[table].Off + uint64(i)*cubin.SymbolSize
			change(data[at : at+cubin.SymbolSize])
		}
		return true
	}
}

// bothRelocs changes a relocation of code in both tables, where they have as many.
func bothRelocs(change func(sass, merc []byte, symbols int)) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn := &m.Funcs[rng.IntN(len(m.Funcs))]
		if fn.Rela == 0 || fn.MercRela == 0 {
			return false
		}
		s, t := &m.Sections[fn.Rela], &m.Sections[fn.MercRela]
		n := len(s.Content) / cubin.RelaSize
		if n == 0 || len(t.Content) != len(s.Content) {
			return false
		}
		k := uint64(rng.IntN(n)) * cubin.RelaSize
		change(data[s.Off+k:s.Off+k+cubin.RelaSize], data[t.Off+k:t.Off+k+cubin.RelaSize], len(m.SASS.List))
		return true
	}
}

// bothFrames changes a byte of the first CIE on both sides.
func bothFrames(at uint64) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, _ *rand.Rand) bool {
		sides := 0
		for i := range m.Sections {
			if s := &m.Sections[i]; s.Name == ".debug_frame" || s.Name == ".nv.merc.debug_frame" {
				data[s.Off+at] ^= 1
				sides++
			}
		}
		return sides == 2
	}
}

// sectionName changes a letter of the name of a section.
func sectionName(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	name := m.Sections[1+rng.IntN(len(m.Sections)-1)].Name
	table := &m.Sections[m.File.Header.ShStrNdx]
	at := bytes.Index(table.Content, []byte("\x00"+name+"\x00"))
	if at < 0 || name == "" {
		return false
	}
	data[table.Off+uint64(at)+2] ^= 2
	return true
}
