package defects

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Defects that both sides have alike, so that they don't disagree.

// placed is an attribute and where in the file its payload stands.
type placed struct {
	cubin.InfoRecord
	at uint64
}

// attributes returns the attributes of a kind in a section.
func attributes(m *capsule.Image, section int, a cuda.InfoAttr) (list []placed) {
	s := &m.Sections[section]
	at := s.Off + 4
	r := m.File.Info(&s.Section)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		if rec.Attr == a {
			list = append(list, placed{rec, at})
		}
		at += uint64(rec.Len())
	}
	return list
}

// pair picks an attribute that both sections have with payloads of at least so many bytes.
func pair(m *capsule.Image, sass, merc int, a cuda.InfoAttr, size int, rng *rand.Rand) (x, y placed, ok bool) {
	if sass == 0 || merc == 0 {
		return x, y, false
	}
	here, there := attributes(m, sass, a), attributes(m, merc, a)
	if len(here) == 0 || len(here) != len(there) {
		return x, y, false
	}
	k := rng.IntN(len(here))
	x, y = here[k], there[k]
	return x, y, len(x.Data) >= size && len(y.Data) >= size
}

// exitElsewhere makes an EXIT's offset on both sides that of a PLAIN node which is none.
func exitElsewhere(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	fn := &m.Funcs[rng.IntN(len(m.Funcs))]
	x, y, ok := pair(m, int(fn.Info), int(fn.MercInfo), cuda.AttrExitInstrOffsets, 4, rng)
	n := &fn.Cap.Nodes[rng.IntN(len(fn.Cap.Nodes))]
	const opExit = 0x94d
	if !ok || len(fn.Unsized) > 0 || n.Kind != capsule.Plain || binary.LittleEndian.Uint16(fn.Code[n.SASS:])&0xfff == opExit {
		return false
	}
	binary.LittleEndian.PutUint32(data[x.at:], n.SASS)
	binary.LittleEndian.PutUint32(data[y.at:], n.Merc)
	return true
}

// parameterNumber makes the number of a kernel's parameter on both sides one that it hasn't.
func parameterNumber(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	fn := &m.Funcs[rng.IntN(len(m.Funcs))]
	x, y, ok := pair(m, int(fn.Info), int(fn.MercInfo), cuda.AttrKparamInfo, 12, rng)
	if ok {
		data[x.at+4]++
		data[y.at+4]++
	}
	return ok
}

// impossibleRegisters makes the number of registers of a function on both sides 0, or more than there are.
func impossibleRegisters(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	sass, merc := infoLists(m)
	x, y, ok := pair(m, sass, merc, cuda.AttrRegcount, 8, rng)
	if ok {
		n := uint32(300 * rng.IntN(2))
		binary.LittleEndian.PutUint32(data[x.at+4:], n)
		binary.LittleEndian.PutUint32(data[y.at+4:], n)
	}
	return ok
}

// infoLists returns .nv.info and its clone.
func infoLists(m *capsule.Image) (sass, merc int) {
	for i := range m.Sections {
		switch m.Sections[i].Name {
		case ".nv.info":
			sass = i
		case ".nv.merc.nv.info":
			merc = i
		}
	}
	return sass, merc
}

// bothOwners makes a number of a function on both sides one of another function.
func bothOwners(a cuda.InfoAttr) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		sass, merc := infoLists(m)
		x, y, ok := pair(m, sass, merc, a, 8, rng)
		other, _, _ := pair(m, sass, merc, a, 8, rng)
		if !ok || other.at == x.at {
			return false
		}
		copy(data[x.at:x.at+4], other.Data)
		copy(data[y.at:y.at+4], other.Data)
		return true
	}
}

// bothInfo changes an attribute of a function on both sides: what stands from its payload on, or from its number on where
// it has none.
func bothInfo(a cuda.InfoAttr, size int, change func(b []byte)) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn := &m.Funcs[rng.IntN(len(m.Funcs))]
		x, y, ok := pair(m, int(fn.Info), int(fn.MercInfo), a, size, rng)
		if !ok {
			return false
		}
		if size == 0 {
			x.at, y.at = x.at-2, y.at-2
		}
		here := data[x.at:][:max(size, 2)]
		before := bytes.Clone(here)
		change(here)
		copy(data[y.at:], here)
		return !bytes.Equal(before, here)
	}
}

// variableBeyond moves a variable on both sides after its section.
func variableBeyond(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	n := min(len(m.SASS.List), len(m.Merc.List))
	i := rng.IntN(n)
	s := &m.SASS.List[i]
	if s.Type() != cuda.STTObject || !s.Defined() || s.Section >= uint32(len(m.Sections)) {
		return false
	}
	for _, table := range []int{m.SASS.Index, m.Merc.Index} {
		b := data[m.Sections[table].Off+uint64(i)*cubin.SymbolSize+8:]
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)+m.Sections[s.Section].Size)
	}
	return s.Size > 0
}

// relocTwice puts a relocation of code in the place of the next one, in both tables.
func relocTwice(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	fn := &m.Funcs[rng.IntN(len(m.Funcs))]
	if fn.Rela == 0 || fn.MercRela == 0 {
		return false
	}
	s, t := &m.Sections[fn.Rela], &m.Sections[fn.MercRela]
	n := len(s.Content) / cubin.RelaSize
	if n < 2 || len(t.Content) != len(s.Content) {
		return false
	}
	k := rng.IntN(n-1) * cubin.RelaSize
	copy(data[s.Off+uint64(k)+cubin.RelaSize:], s.Content[k:k+cubin.RelaSize])
	copy(data[t.Off+uint64(k)+cubin.RelaSize:], t.Content[k:k+cubin.RelaSize])
	return true
}
