package defects

import (
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
	var sass, merc int
	for i := range m.Sections {
		switch m.Sections[i].Name {
		case ".nv.info":
			sass = i
		case ".nv.merc.nv.info":
			merc = i
		}
	}
	x, y, ok := pair(m, sass, merc, cuda.AttrRegcount, 8, rng)
	if ok {
		n := uint32(300 * rng.IntN(2))
		binary.LittleEndian.PutUint32(data[x.at+4:], n)
		binary.LittleEndian.PutUint32(data[y.at+4:], n)
	}
	return ok
}
