package selfcheck

import (
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
	cuda.AttrMbarrierInstrOffsets:    {0x5a7, 0x5b2, 0x918, 0x988, 0x9a7, 0x9b1},
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

// ordinals checks that a kernel's parameters are numbered from 0 on, each once.
func (c *checker) ordinals(fn *capsule.Func, merc []record) {
	var have []uint16
	for k := range merc {
		if r := &merc[k]; (r.Attr == cuda.AttrKparamInfo || r.Attr == attrKparamInfo2) && len(r.Data) == 12 {
			have = append(have, binary.LittleEndian.Uint16(r.Data[4:]))
		}
	}
	slices.Sort(have)
	for k, n := range have {
		if int(n) != k {
			c.add(Text, Content, fn.MercInfo, 0, "numbers of parameters", fmt.Sprintf("0 to %d", len(have)-1), fmt.Sprint(have))
			return
		}
	}
}

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
