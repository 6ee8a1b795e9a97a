package defects

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
)

// without makes a section one that isn't there.
func without(prefix string) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		var list []int
		for i := range m.Sections {
			if strings.HasPrefix(m.Sections[i].Name, prefix) {
				list = append(list, i)
			}
		}
		if len(list) == 0 {
			return false
		}
		at := m.File.Header.ShOff + uint64(list[rng.IntN(len(list))])*cubin.SectionSize
		clear(data[at : at+cubin.SectionSize])
		return true
	}
}

// calls counts the calls by offset of a text.
func calls(code []byte) (n int) {
	for at := 0; at+16 <= len(code); at += 16 {
		if binary.LittleEndian.Uint16(code[at:])&0xfff == 0x944 {
			n++
		}
	}
	return n
}

// withoutReloc takes the place of a Mercury relocation of a type from it.
func withoutReloc(typ uint32) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, _ *rand.Rand) bool {
		for i := range m.Sections {
			s := &m.Sections[i]
			if s.Type != cuda.SHTMercRela || !strings.HasPrefix(s.Name, ".nv.merc.rela.text.") {
				continue
			}
			fn := m.FuncOf(s.Info)
			if typ == cuda.R_MERCURY_PROG_REL32 && (fn == nil || calls(fn.Code) < bytes.Count(s.Content, []byte{8, 0, 1, 0})) {
				continue // some are of other places than return addresses
			}
			for k := uint64(0); k+24 <= uint64(len(s.Content)); k += 24 {
				if binary.LittleEndian.Uint32(s.Content[k+8:]) == typ {
					// The last takes its place, and the table is one shorter.
					last := s.Off + uint64(len(s.Content)) - 24
					copy(data[s.Off+k:last], data[s.Off+k+24:last+24])
					at := m.File.Header.ShOff + uint64(i)*cubin.SectionSize + 32
					binary.LittleEndian.PutUint64(data[at:], uint64(len(s.Content))-24)
					clear(data[last : last+24])
					return true
				}
			}
		}
		return false
	}
}

// inSection changes a section whose name begins so, or one of its bytes where
// nothing says how.
func inSection(prefix string, change func(s []byte, rng *rand.Rand) bool) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		first := rng.IntN(len(m.Sections))
		for k := range m.Sections {
			s := &m.Sections[(first+k)%len(m.Sections)]
			if !strings.HasPrefix(s.Name, prefix) || len(s.Content) < 8 {
				continue
			}
			at := s.Off
			if change != nil {
				return change(data[at:at+uint64(len(s.Content))], rng)
			}
			data[at+uint64(rng.IntN(len(s.Content)))] ^= 1
			return true
		}
		return false
	}
}

// headerByte changes a byte of the ELF header.
func headerByte(at int) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(_ *capsule.Image, data []byte, rng *rand.Rand) bool {
		data[at] ^= 1 << rng.IntN(7)
		return true
	}
}

// between changes a byte of the padding between two sections.
func between(m *capsule.Image, data []byte, _ *rand.Rand) bool {
	for i := 1; i+1 < len(m.Sections); i++ {
		s, next := &m.Sections[i], &m.Sections[i+1]
		if end := s.Off + uint64(len(s.Content)); len(s.Content) > 0 && len(next.Content) > 0 && end < next.Off {
			data[end] ^= 0x55
			return true
		}
	}
	return false
}

// functionName changes a letter of the name of a function that has a text.
func functionName(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	fn := &m.Funcs[rng.IntN(len(m.Funcs))]
	s := m.SASS.At(fn.Symbol)
	if s == nil || s.Name == "" {
		return false
	}
	for i := range m.Sections {
		t := &m.Sections[i]
		if t.Type != cuda.SHTStrtab {
			continue
		}
		at := bytes.Index(t.Content, []byte("\x00"+s.Name+"\x00"))
		if at >= 0 && t.Name == ".strtab" {
			data[t.Off+uint64(at)+1] ^= 1
			return true
		}
	}
	return false
}

// compatISA changes the version of the ISA in .nv.compat.
func compatISA(m *capsule.Image, data []byte, _ *rand.Rand) bool {
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.Name != ".nv.compat" {
			continue
		}
		at := uint64(0)
		r := m.File.Info(&s.Section)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			if cuda.CompatAttr(rec.Attr) == cuda.CompatMercuryISAMajorMinor {
				data[s.Off+at+3] += 2
				return true
			}
			at += uint64(rec.Len())
		}
	}
	return false
}

// fewerRegisters halves the number of registers of a function, on both sides.
func fewerRegisters(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	fn := &m.Funcs[rng.IntN(len(m.Funcs))]
	done := false
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.Name != ".nv.info" && s.Name != ".nv.merc.nv.info" {
			continue
		}
		at := s.Off
		r := m.File.Info(&s.Section)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			if rec.Attr == cuda.AttrRegcount && len(rec.Data) == 8 && binary.LittleEndian.Uint32(rec.Data) == fn.Symbol && rec.Data[4] >= 16 && uses(fn, rec.Data[4]/2) {
				data[at+8] = rec.Data[4] / 2
				done = true
			}
			at += uint64(rec.Len())
		}
	}
	return done && !freesRegisters(fn)
}

// uses reports whether a function writes a register from one on: a count of fewer is wrong.
func uses(fn *capsule.Func, first uint8) bool {
	for at := 0; at+capsule.WordSize <= len(fn.Code); at += capsule.WordSize {
		written := mercury.Registers(binary.LittleEndian.Uint16(fn.Code[at:])&0xfff)&1 != 0
		if r := fn.Code[at+2]; written && r >= first && r != 0xff {
			return true
		}
	}
	return false
}

// swapRelocs swaps two neighbours of a table that are for other places.
func swapRelocs(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	first := rng.IntN(len(m.Funcs))
	for k := range m.Funcs {
		fn := &m.Funcs[(first+k)%len(m.Funcs)]
		if fn.MercRela == 0 {
			continue
		}
		s := &m.Sections[fn.MercRela]
		n := len(s.Content) / cubin.RelaSize
		if n < 3 {
			continue
		}
		at := s.Off + uint64(rng.IntN(n-1))*cubin.RelaSize
		a, b := data[at:at+cubin.RelaSize], data[at+cubin.RelaSize:at+2*cubin.RelaSize]
		if binary.LittleEndian.Uint64(a) == binary.LittleEndian.Uint64(b) {
			continue
		}
		for j := range a {
			a[j], b[j] = b[j], a[j]
		}
		return true
	}
	return false
}
