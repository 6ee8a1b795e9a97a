package mercury

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
)

// Call frame instructions. The finalizer turns a Mercury program into one of
// SASS: advances are added up to points, which are sorted by address, and each is
// reached by an advance of four bytes; everything else stays.

const (
	cfaNop         = 0x00
	cfaAdvance1    = 0x02
	cfaAdvance2    = 0x03
	cfaAdvance4    = 0x04
	cfaAdvanceMask = 0xc0
	cfaAdvance     = 0x40 // and the distance in the lower six bits
	cfaOffset      = 0x80 // and the register; one operand
)

// cfaOperands is the number of LEB128 operands by opcode; a block alone is -1,
// one after a register -2.
var cfaOperands = map[byte]int{
	0x05: 2, 0x06: 1, 0x07: 1, 0x08: 1, 0x09: 2, 0x0a: 0, 0x0b: 0, 0x0c: 2, 0x0d: 1, 0x0e: 1,
	0x0f: -1, 0x10: -2, 0x11: 2, 0x12: 2, 0x13: 1, 0x14: 2, 0x15: 2, 0x16: -2,
	0x2e: 1, 0x2f: 2,
}

// framePoint is an address and what a program says there.
type framePoint struct {
	at  uint64 // of the SASS side
	ops []byte
}

// eachFrameOp walks over a program: of an advance visit gets how far it goes, of any
// other instruction but padding its bytes. It returns false for a program that can't be
// read.
func eachFrameOp(b []byte, visit func(distance uint64, ins []byte)) bool {
	r := lebReader{b: b}
	for r.pos < uint64(len(b)) {
		from := r.pos
		op := r.byte()
		n, advance, ok := cfaLength(&r, op)
		switch {
		case !ok:
			return false
		case op == cfaNop:
		case advance:
			visit(n, nil)
		default:
			visit(0, b[from:r.pos:r.pos])
		}
	}
	return true
}

// appendAdvance appends the advance from one address of SASS to another.
func appendAdvance(out []byte, from, to uint64) []byte {
	return binary.LittleEndian.AppendUint32(append(out, cfaAdvance4), uint32((to-from)/sassCodeAlignment))
}

// frameProgramOf is what an FDE of an input says on both sides.
type frameProgramOf struct {
	merc, sass []byte   // sass is nil where that side doesn't count
	lost       *lostMap // finds the places of sass where its definition lost; nil where it is
	base       frameBase
}

// place returns the address of the SASS code for a place of the program that counts; false
// where the code has none.
func (p *frameProgramOf) place(at uint64, fn *code) (uint64, bool) {
	switch {
	case at == 0 && p.base.merc > 0:
		// Behind what stands in front of it, so not in its code.
		return p.base.is, p.sass != nil
	case p.sass == nil:
		return fn.frameAt(p.base.merc + at), true
	case p.lost == nil:
		return fn.frameMoved(p.base.was + at*sassCodeAlignment), true
	}
	to, ok := p.lost.at(uint32(min(at*sassCodeAlignment, 1<<32-1)))
	return uint64(to), ok
}

// framePoints appends the points of a program at the addresses of the SASS code. What is
// said of a place that the code doesn't have is lost.
func framePoints(points []framePoint, p frameProgramOf, fn *code) ([]framePoint, bool) {
	program := p.merc
	if p.sass != nil {
		program = p.sass
	}
	at, first, moved, known := uint64(0), true, false, true
	begin := func() {
		var to uint64
		if to, known = p.place(at, fn); known {
			points = append(points, framePoint{at: to})
		}
		first, moved = false, false
	}
	ok := eachFrameOp(program, func(distance uint64, ins []byte) {
		if ins == nil {
			at += distance
			if moved = p.sass == nil; !moved {
				begin() // a point for each advance
			}
			return
		}
		if first || moved {
			begin()
		}
		if !known {
			return
		}
		if last := &points[len(points)-1]; last.ops == nil {
			last.ops = ins
		} else {
			last.ops = append(last.ops, ins...)
		}
	})
	if moved {
		begin()
	}
	return points, ok
}

// translateFrame appends a program with the addresses of the SASS code. others are those of
// other FDEs about the code, of a definition that took a weak one's place or of the one that
// lost it: what they say is told here, too.
func translateFrame(out []byte, p frameProgramOf, others []frameProgramOf, fn *code) ([]byte, bool) {
	var few [8]framePoint
	points, ok := framePoints(few[:0], p, fn)
	for _, more := range others {
		var fits bool
		points, fits = framePoints(points, more, fn)
		ok = ok && fits
	}
	if !ok {
		return out, false
	}
	slices.SortStableFunc(points, func(a, b framePoint) int { return cmp.Compare(a.at, b.at) })
	sass := p.base.is
	for i, point := range points {
		if i+1 < len(points) && points[i+1].at == point.at {
			continue // what is said of an address last counts
		}
		if point.at != sass {
			out = appendAdvance(out, sass, point.at)
			sass = point.at
		}
		out = append(out, point.ops...)
	}
	return out, true
}

// cfaLength reads an instruction's operands; of an advance it returns how far.
func cfaLength(r *lebReader, op byte) (distance uint64, advance, ok bool) {
	switch {
	case op&cfaAdvanceMask == cfaAdvance:
		return uint64(op &^ cfaAdvanceMask), true, true
	case op == cfaAdvance1, op == cfaAdvance2, op == cfaAdvance4:
		n := uint64(1) << (op - cfaAdvance1)
		arg, ok := cubin.Window(r.b, r.pos, n)
		var word [4]byte
		copy(word[:], arg)
		r.pos += n
		return uint64(int64(int32(binary.LittleEndian.Uint32(word[:])))), true, ok
	case op&cfaAdvanceMask == cfaOffset:
		r.leb()
	case op&cfaAdvanceMask == 0 && op != cfaNop:
		n, known := cfaOperands[op]
		if !known {
			return 0, false, false
		}
		if n == -2 {
			r.leb()
		}
		if n < 0 {
			r.pos += r.leb()
		}
		for ; n > 0; n-- {
			r.leb()
		}
	}
	return 0, false, !r.bad && r.pos <= uint64(len(r.b))
}

// moveFrame appends a program of the input's SASS with the addresses of the output's.
func moveFrame(out, b []byte, fn *code, base frameBase) ([]byte, bool) {
	if fn.result == nil && !fn.input.FirstWords {
		return append(out, b...), true
	}
	was, is := base.was, base.is
	ok := eachFrameOp(b, func(distance uint64, ins []byte) {
		if ins != nil {
			out = append(out, ins...)
			return
		}
		was += distance * sassCodeAlignment
		if at := fn.frameMoved(was); at != is {
			out = appendAdvance(out, is, at)
			is = at
		}
	})
	return out, ok
}

// frameMoved translates an address of a program of the input's SASS.
func (fn *code) frameMoved(off uint64) uint64 {
	if off < capsule.WordSize {
		return off
	}
	k := off/capsule.WordSize - 1
	if fn.input.FirstWords {
		if n := fn.nodeBegunAt(k); n != nil {
			return fn.behind(n)
		}
	}
	if fn.result == nil || off > uint64(len(fn.result.Moves))*capsule.WordSize {
		return off
	}
	if m := fn.result.Moves[k]; m >= 0 {
		return uint64(m+1) * capsule.WordSize
	}
	return uint64(fn.movedStart(uint32(k) * capsule.WordSize))
}

// nodeBegunAt returns the node of several words that begins with a word of the input, nil where there is none.
func (fn *code) nodeBegunAt(k uint64) *capsule.Node {
	if k >= 1<<28 || len(fn.words) == 0 {
		return nil
	}
	i := fn.nodeAtWord(int(k))
	if i < 0 || fn.words[i].Span < 2 || uint64(fn.words[i].SASS) != k*capsule.WordSize {
		return nil
	}
	return &fn.words[i]
}

// frameAt translates an address of a program, which is the place after an
// instruction: after its principal word.
func (fn *code) frameAt(merc uint64) uint64 {
	if merc == 0 {
		return 0
	}
	fn.rely(merc)
	i := fn.node(min(merc, uint64(fn.cap.MercSize)) - 1)
	if i < 0 {
		return 0
	}
	n := &fn.words[i]
	if merc > uint64(fn.cap.MercSize) {
		return uint64(fn.movedStart(n.SASS)) // of a definition that was replaced by a shorter one
	}
	if fn.behindFirst {
		return uint64(fn.movedStart(n.SASS + capsule.WordSize))
	}
	return fn.behind(n)
}

// behind returns the place behind the principal word of a node.
func (fn *code) behind(n *capsule.Node) uint64 {
	if at, ok := fn.behindFence(n); ok {
		return uint64(at) + capsule.WordSize
	}
	return uint64(fn.movedStart(n.SASS + (principalWord(fn.cap.Tag(n), n.Span)+1)*capsule.WordSize))
}
