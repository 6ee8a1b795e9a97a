package selfcheck

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
)

// What both sides say alike may still be impossible.

// namedBy is the opcodes of the words that attributes name. Of EXITs no other can be; of the
// rest another makes a file incomplete.
//
// Source: 4.5 million offsets in NCCL, nvCOMP, cuML, vLLM, cuSPARSE, ONNX Runtime, warp-lang and
// bitsandbytes, by 12.8 to 13.4, and the objects of the corpus.
var namedBy = map[cuda.InfoAttr][]uint16{
	cuda.AttrExitInstrOffsets:        {0x94d},
	cuda.AttrCoopGroupInstrOffsets:   {0x2cc, 0x31d, 0x348, 0x389, 0x3a1, 0x3c4, 0x51d, 0x589, 0x806, 0x886, 0x918, 0x91d, 0x948, 0x989, 0xb1d, 0xf89},
	cuda.AttrIntWarpWideInstrOffsets: {0x2cc, 0x3a1, 0x3c4, 0x589, 0x806, 0x886, 0x918, 0x989, 0xf89},
	// 3a7, 5bf, 992 and 9bf on sm_107 alone.
	cuda.AttrMbarrierInstrOffsets: {0x3a7, 0x5a7, 0x5b2, 0x5bf, 0x918, 0x988, 0x992, 0x9a7, 0x9b1, 0x9bf},
}

// ofKind checks the opcode of a word that an attribute names.
func (c *checker) ofKind(fn *capsule.Func, a cuda.InfoAttr, where uint64, sass uint32) {
	ops, ok := namedBy[a]
	if !ok || uint64(sass)+capsule.WordSize > uint64(len(fn.Code)) {
		return
	}
	op := uint16(wordAt(fn.Code, sass).Lo & opcodeMask)
	switch {
	case slices.Contains(ops, op):
	case a == cuda.AttrExitInstrOffsets:
		c.add(Text, Content, fn.Info, where, a.String(), "an EXIT", fmt.Sprintf("opcode %03x", op))
	default:
		c.leave(exNamed)
	}
}

// parameter is what an attribute tells of a kernel's parameter. KPARAM_INFO has its number as u16 at 4, its place
// as u16 at 6 and its size in bits 18 and up of the word at 8; the second form, for larger parameters, has the size as
// u16 at 8, before what a pointer points to: its alignment and its space.
type parameter struct{ number, at, size uint32 }

func parameterOf(r *record) (p parameter, ok bool) {
	if len(r.Data) != 12 || r.Attr != cuda.AttrKparamInfo && r.Attr != attrKparamInfo2 {
		return p, false
	}
	p.number, p.at = uint32(binary.LittleEndian.Uint16(r.Data[4:])), uint32(binary.LittleEndian.Uint16(r.Data[6:]))
	if p.size = binary.LittleEndian.Uint32(r.Data[8:]) >> 18; r.Attr == attrKparamInfo2 {
		p.size = uint32(binary.LittleEndian.Uint16(r.Data[8:]))
	}
	return p, true
}

// parameters checks that a kernel's parameters are numbered from 0 on, each once, and that none is on another.
func (c *checker) parameters(fn *capsule.Func, merc []record) {
	var have []parameter
	for k := range merc {
		if p, ok := parameterOf(&merc[k]); ok {
			have = append(have, p)
		}
	}
	slices.SortFunc(have, func(a, b parameter) int { return cmp.Compare(a.number, b.number) })
	for k := range have {
		if int(have[k].number) != k {
			c.add(Text, Content, fn.MercInfo, 0, "numbers of parameters", fmt.Sprintf("0 to %d", len(have)-1), fmt.Sprint(have[k].number))
			return
		}
	}
	slices.SortFunc(have, func(a, b parameter) int { return cmp.Compare(a.at, b.at) })
	for k := range max(len(have)-1, 0) {
		if end := have[k].at + have[k].size; end > have[k+1].at {
			c.add(Text, Content, fn.MercInfo, 0, fmt.Sprint("end of parameter ", have[k].number), fmt.Sprintf("at most 0x%x, where parameter %d begins", have[k+1].at, have[k+1].number), hex(end))
			return
		}
	}
}

// possible checks that a function's attribute says what can be.
//
// Source: 1,800 files of NCCL, MSLK, MLX, cuBLAS, cuSOLVER, Transformer Engine and others, by 12.8 to 13.4, and the objects of the corpus.
func (c *checker) possible(fn *capsule.Func, r *record) {
	wrong := func(want string) { c.add(Text, Content, fn.MercInfo, r.at+4, r.Attr.String(), want, attrValue(r)) }
	word := func(k int) uint32 { return binary.LittleEndian.Uint32(r.Data[4*k:]) }
	switch r.Attr {
	case cuda.AttrMaxregCount:
		if r.Value == 0 || r.Value > mostRegisters {
			wrong(fmt.Sprintf("1 to %d", mostRegisters))
		}
	case cuda.AttrMaxThreads:
		if len(r.Data) == 12 && !threads(word(0), word(1), word(2)) {
			wrong(fmt.Sprintf("three numbers, %d threads at most", mostThreads))
		}
	case cuda.AttrExitInstrOffsets, cuda.AttrCoopGroupInstrOffsets, cuda.AttrIntWarpWideInstrOffsets:
		for k := 1; 4*k+4 <= len(r.Data); k++ {
			if word(k) <= word(k-1) {
				wrong("rising offsets")
				return
			}
		}
	}
}

// mostThreads is the largest number of threads of a block.
const mostThreads = 1024

// threads reports whether a block may have so many threads.
func threads(x, y, z uint32) bool {
	return x != 0 && y != 0 && z != 0 && uint64(x) <= mostThreads && uint64(y) <= mostThreads && uint64(x)*uint64(y)*uint64(z) <= mostThreads
}

// numbered are the attributes of .nv.info that tell a number of a function; no other record tells it of the same one.
var numbered = [...]cuda.InfoAttr{cuda.AttrFrameSize, cuda.AttrMinStackSize, cuda.AttrRegcount, cuda.AttrMaxStackSize}

// numbersOf checks whom the records of .nv.info are about: a function of the file, of each kind one, and of all the
// functions one tells the frame.
func (c *checker) numbersOf(section int, list []record) {
	told := make([]uint8, len(c.m.SASS.List)) // bit k: numbered[k]
	for i := range list {
		r := &list[i]
		k := slices.Index(numbered[:], r.Attr)
		if k < 0 || len(r.Data) != 8 {
			continue
		}
		n := binary.LittleEndian.Uint32(r.Data)
		s := c.m.SASS.At(n)
		switch {
		case s == nil || s.Type() != cuda.STTFunc || !s.Defined():
			c.add(Text, Content, section, r.at+4, "owner of "+r.Attr.String(), "a function of the file", fmt.Sprint("symbol ", n))
		case told[n]>>k&1 != 0:
			c.add(Text, Content, section, r.at+4, "owner of "+r.Attr.String(), "a function that no other record is about", s.Name)
		default:
			told[n] |= 1 << k
		}
	}
	framed := c.framed(told)
	for n := range told {
		second := c.m.SASS.List[n].Info>>4 != uint8(cuda.STBLocal) && framed[placeOf(&c.m.SASS.List[n])]
		if s := &c.m.SASS.List[n]; s.Type() == cuda.STTFunc && s.Defined() && told[n]&1 == 0 && !second {
			c.add(Text, Count, section, 0, "attribute "+numbered[0].String(), "one of "+s.Name, "none")
		}
	}
}

// framed are the places of code of which a frame is told, where 12.8 or 12.9 wrote the file: of a second name
// of such code these tell none. Of told the lowest bit counts.
//
// Source: 37 links by nvJitLink 12.8.93 and 12.9.86, and the objects of ptxas that went into them.
func (c *checker) framed(told []uint8) map[place]bool {
	if !c.old {
		return nil
	}
	places := map[place]bool{}
	for n := range told {
		if told[n]&1 != 0 {
			places[placeOf(&c.m.SASS.List[n])] = true
		}
	}
	return places
}

func placeOf(s *capsule.Symbol) place { return place{s.Section, s.Value} }

// mostRegisters is the largest number of registers of a function.
const mostRegisters = 255

// registerCount checks the number of registers that a record of .nv.info tells.
func (c *checker) registerCount(section int, r *record) {
	if r.Attr != cuda.AttrRegcount || len(r.Data) != 8 {
		return
	}
	if n := binary.LittleEndian.Uint32(r.Data[4:]); n == 0 || n > mostRegisters {
		c.add(Text, Content, section, r.at+8, r.Attr.String(), fmt.Sprintf("1 to %d", mostRegisters), fmt.Sprint(n))
	}
}
