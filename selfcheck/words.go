package selfcheck

import (
	"encoding/binary"
	"fmt"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
)

// What any word of a function must keep to, whoever says what it is:
//
//	|127 126|125 122|121 116|115 113|112 110|109|108 105|
//	|   0   | reuse | wait  | read  | write |yld| stall |
//
//   - The scoreboards that a word sets when it has read, or written, are 0 to 5,
//     or 7 for none.
//   - A register is one of those that the function has, or RZ. Warps may be given
//     more by USETMAXREG: in functions that have one the number isn't checked.
//   - The target of a branch is the start of a node.
//
// Source: 5,300 files of ptxas, nvlink and libraries, 12.8 to 13.5, none otherwise.

const (
	opUSETMAXREG = 0x9c8
	noBarrier    = 6 // the only value of three bits that no word has
)

// limits returns the number of registers of functions by symbol.
func (c *checker) limits() map[uint32]uint32 {
	out := map[uint32]uint32{}
	for i := range c.m.Sections {
		s := &c.m.Sections[i]
		if s.Type != cuda.SHTCudaInfo || s.Flags&cuda.SHFInfoLink != 0 {
			continue
		}
		r := c.m.File.Info(&s.Section)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			if rec.Attr == cuda.AttrRegcount && len(rec.Data) == 8 {
				out[binary.LittleEndian.Uint32(rec.Data)] = binary.LittleEndian.Uint32(rec.Data[4:])
			}
		}
	}
	return out
}

// wordsOf checks every word of a function but for those of SKIPs.
func (c *checker) wordsOf(fn *capsule.Func, limit uint32) {
	for at := 0; at+capsule.WordSize <= len(fn.Code); at += capsule.WordSize {
		if binary.LittleEndian.Uint16(fn.Code[at:])&opcodeMask == opUSETMAXREG {
			limit = 0
			break
		}
	}
	if limit == 0 {
		c.leave(exRegisterCount)
	}
	p := fn.Cap
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Kind == capsule.Skip {
			continue
		}
		for at := n.SASS; at < n.SASS+uint32(n.Span)*capsule.WordSize; at += capsule.WordSize {
			w := wordAt(fn.Code, at)
			if w.Hi>>62 != 0 || w.Hi>>46&7 == noBarrier || w.Hi>>49&7 == noBarrier {
				c.add(Text, Content, fn.Text, uint64(at), "scheduling of an instruction", "scoreboards 0 to 5 or 7, bits 126 and 127 clear", w.String())
			}
			if limit != 0 {
				c.wordRegisters(fn, at, w, limit)
			}
			if op := w.Lo & opcodeMask; op == opBRA || op == opBSSY || op == opCALLRel {
				c.branch(fn, n, at, w)
			}
		}
	}
}

func (c *checker) wordRegisters(fn *capsule.Func, at uint32, w Word, limit uint32) {
	has := mercury.Registers(uint16(w.Lo & opcodeMask))
	for k, first := range mercury.RegisterFields {
		if has>>k&1 == 0 {
			continue
		}
		half := w.Lo
		if first >= 64 {
			half = w.Hi
		}
		if r := half >> (first & 63) & 0xff; r != 0xff && uint32(r) >= limit {
			c.add(Text, Content, fn.Text, uint64(at), fmt.Sprintf("register in bits %d to %d of opcode %03x", first, first+7, w.Lo&opcodeMask), fmt.Sprintf("below %d, or RZ", limit), fmt.Sprint(r))
			return
		}
	}
}

// Branches whose target is an offset in words of four bytes, counted from the
// next instruction: of BRA and CALL bits 16 to 23, then 34 to 81; of BSSY bits 34
// to 71.
const (
	opBSSY    = 0x945
	opCALLRel = 0x944
)

func (c *checker) branch(fn *capsule.Func, n *capsule.Node, at uint32, w Word) {
	off := int64(w.Lo>>16&0xff<<8|w.Lo>>34<<16|w.Hi<<46) >> 8
	if w.Lo&opcodeMask == opBSSY {
		off = int64(w.Lo>>34<<26|w.Hi<<56) >> 26
	}
	target := int64(at) + capsule.WordSize + off*4
	if target >= 0 && target < int64(len(fn.Code)) && target%capsule.WordSize == 0 {
		k := fn.Cap.AtSASS(uint32(target))
		if k >= 0 && int64(fn.Cap.Nodes[k].SASS) == target {
			return
		}
	}
	c.add(Text, Content, fn.Text, uint64(at), "target of a branch", "the start of an instruction", fmt.Sprintf("0x%x", target))
}
