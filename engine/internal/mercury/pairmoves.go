package mercury

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine/internal/diag"
)

// A move of 64 bits is two words in SASS. From 13.4 on call frames say of each word what
// becomes of the caller's value in the register it writes: it is lost, or is in the
// register that such a move took it to. Where that copy goes, the first one counts again.
// ptxas 13.4 and later write so into objects; of older objects the finalizer says it, and
// of the register that an ELECT or a REDUX in a collective writes by way of a uniform one.
//
// Source: 26 functions by ptxas 13.5.37 that have such moves, 12 by ptxas 13.0.88 and
// 13.3.73 through nvlink 13.4.92 and 13.5.37; in collectives 3 by ptxas 13.3.73 through nvlink 13.4.92 and 13.5.37.

const (
	tagMove64    = 0x01000a0a
	cfaUndefined = 0x07
	cfaSameValue = 0x08
	cfaRegister  = 0x09
	frameSASS    = 0x05000000 // the bank of SASS registers in DWARF
)

// callerValues follows the caller's values through moves.
type callerValues struct {
	copyOf map[byte]byte // by register: of which it holds a copy
	kept   map[byte]byte // by register that was written: where its value is, itself for nowhere
}

// noCopy stands for the register of a value that no register held.
const noCopy = -1

// move notes that register from is moved to another and appends what is said of it.
func (v *callerValues) move(to byte, from int, ops []byte) []byte {
	say := func(op byte, registers ...byte) {
		ops = append(ops, op)
		for _, r := range registers {
			ops = binary.AppendUvarint(ops, frameSASS|uint64(r))
		}
	}
	if old, ok := v.copyOf[to]; ok && int(old) != from {
		switch at, written := v.kept[old]; {
		case !written:
			say(cfaSameValue, old)
		case at == to:
			say(cfaUndefined, old)
		}
	}
	if _, written := v.kept[to]; !written && int(to) != from {
		v.kept[to] = to
		for r := range 256 {
			if of, ok := v.copyOf[byte(r)]; ok && of == to {
				v.kept[to] = byte(r)
				break
			}
		}
		if at := v.kept[to]; at == to {
			say(cfaUndefined, to)
		} else {
			say(cfaRegister, to, at)
		}
	}
	if delete(v.copyOf, to); from != noCopy {
		v.copyOf[to] = byte(from)
	}
	return ops
}

// pairMoves returns what frames say of moves of 64 bits, in the order of their places;
// sure is false where one stands under a predicate. Of some registers there is nothing to say.
func (fn *code) pairMoves(silent []byte) (list []framePoint, sure bool) {
	const always = 7
	v := callerValues{copyOf: make(map[byte]byte), kept: make(map[byte]byte)}
	for _, r := range silent {
		v.kept[r] = r
	}
	sure = true
	for i := range fn.words {
		n := &fn.words[i]
		moves := n.Kind == capsule.Full && fn.cap.Tag(n) == tagMove64
		if !moves && !fn.isCollective(n) {
			continue
		}
		for k := range uint32(n.Span) {
			at := fn.moved(n.SASS + k*capsule.WordSize)
			word, ok := cubin.Window(fn.sass, uint64(at), capsule.WordSize)
			if !ok {
				return nil, false
			}
			from := int(word[4])
			if !moves {
				if from = noCopy; !movesUniform(word) {
					continue
				}
			}
			sure = sure && word[1]>>4 == always
			if ops := v.move(word[2], from, nil); ops != nil {
				list = append(list, framePoint{at: uint64(at), ops: ops})
			}
		}
	}
	return list, sure
}

// isCollective reports whether a node is an instruction between WARPSYNC.COLLECTIVE and ENDCOLLECTIVE.
func (fn *code) isCollective(n *capsule.Node) bool {
	first, ok := cubin.Window(fn.sass, uint64(fn.moved(n.SASS)), capsule.WordSize)
	return ok && n.Span > 1 && first[0] == 0x48 && first[1]&0xf == 3
}

// movesUniform reports whether a word moves a uniform register to another register.
func movesUniform(word []byte) bool { return word[0] == 0x02 && word[1]&0xf == 0xc }

// tellsMoves is the oldest toolkit whose ptxas says it itself.
const tellsMoves = 134

// pairMovesOf returns what a frame is to say of a function's moves of 64 bits: nothing
// where its program, of the SASS side, says of some register that it has no value; and of
// registers of which its CIE says so, as of all in a debug build, nothing (ptxas 13.0.88 to
// 13.3.73 through nvlink 13.4.92 and 13.5.37).
func (l *Backend) pairMovesOf(fn *code, e *frameEntry) []framePoint {
	if fn == nil || !l.Release.TellsMoves || fn.input.Toolkit >= tellsMoves {
		return nil
	}
	if saysUndefined(e.sass) {
		return nil
	}
	moves, sure := fn.pairMoves(undefinedIn(rulesOf(e.cie)))
	if !sure {
		name := l.Names.Str(l.Secs[fn.text].Name)
		l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.LostDebug, File: fn.input.File.Name, Section: name,
			Text: fmt.Sprintf("Call frame of %s in '%s' may differ from nvlink's: it moves 64 bits under a predicate", name, fn.input.File.Name)})
	}
	return e.within(moves)
}

func saysUndefined(program []byte) (says bool) {
	eachFrameOp(program, func(_ uint64, ins []byte) { says = says || ins != nil && ins[0] == cfaUndefined })
	return says
}

// undefinedIn returns the registers of SASS of which a program says that they have no value.
func undefinedIn(program []byte) (registers []byte) {
	eachFrameOp(program, func(_ uint64, ins []byte) {
		if ins == nil || ins[0] != cfaUndefined {
			return
		}
		r := lebReader{b: ins, pos: 1}
		if n := r.leb(); n&^0xff == frameSASS {
			registers = append(registers, byte(n))
		}
	})
	return registers
}

// rulesOf returns a CIE's program: it stands behind both alignments and the return address.
func rulesOf(cie []byte) []byte {
	r := lebReader{b: cie, pos: codeAlignment}
	r.leb()
	r.sleb()
	r.leb()
	return cie[min(r.pos, uint64(len(cie))):]
}

// withPairMoves appends a frame's program of SASS with what is to be said of moves of
// 64 bits.
func withPairMoves(out, program []byte, moves []framePoint) ([]byte, bool) {
	points, at := slices.Clone(moves), uint64(0)
	ok := eachFrameOp(program, func(distance uint64, ins []byte) {
		at += distance * sassCodeAlignment
		points = append(points, framePoint{at: at, ops: bytes.Clone(ins)})
	})
	slices.SortStableFunc(points, func(a, b framePoint) int { return cmp.Compare(a.at, b.at) })
	last := uint64(0)
	for _, p := range points {
		if p.at > last { // also where the program only advances
			out = appendAdvance(out, last, p.at)
			last = p.at
		}
		out = append(out, p.ops...)
	}
	return out, ok
}
