package resched

import (
	"math/bits"
	"slices"
)

// Operands of surfaces. Coordinates are in a, what is written in b, what is read goes to d;
// a uniform register says which surface it is.

const (
	coordinatesField = 61 // which kind of surface
	componentsField  = 72 // which of four a formatted store writes
)

// coordinates are how many registers each kind of surface takes: of one dimension, an array of
// these (2), of two dimensions (3), an array of these, and of three.
var coordinates = [8]int{0: 1, 2: 2, 3: 2, 4: 3, 5: 3}

// surface decodes loads, stores and reductions of surfaces.
func (d *decoder) surface(op uint16) bool {
	switch op {
	case opSULD:
		d.write(dField, d.access())
	case opSUST:
		d.read(bField, d.access())
	case opSUSTFormatted:
		d.read(bField, bits.OnesCount64(d.field(componentsField, 4)))
	case opSURED:
		d.read(bField, 1+int(d.field(longBit, 1)))
	default:
		return false
	}
	d.read(aField, coordinates[d.field(coordinatesField, 3)])
	d.readUniform(urField, 1)
	return true
}

// isReadLate reports whether the end of a block waits for a token's sources since uniform registers are
// among them that are read late. Of those of its own block the last one answers for the others: they are
// done in order.
func (f *flow) isReadLate(t, b int) bool {
	tok := &f.tokens[t]
	w := &f.words[tok.at]
	return w.readsUniformLate() && hasUniform(f.ops[tok.at].reads) && (tok.block != b || !w.isSurface() || f.readsLast(tok.at))
}

// joinsSurface reports whether lanes wait for each other at word i, and a token is of sources of a surface
// with a uniform register: those are read there.
func (f *flow) joinsSurface(t, i int) bool {
	return f.strange && f.words[f.tokens[t].at].isSurface() && f.words[i].joinsLanes() && f.isReadLate(t, f.of[i])
}

// readsLast reports whether an instruction is the last of its block that reads one of its uniform
// registers late.
func (f *flow) readsLast(i int) bool {
	own := uniformReads(&f.ops[i])
	for j := i + 1; j < f.blocks[f.of[i]].to; j++ {
		o := &f.ops[j]
		if f.words[j].isSurface() && overlap(own, o.reads) {
			return false
		}
		if overlap(own, o.writes) {
			return true
		}
	}
	return true
}

// uniformReads are the uniform registers that an instruction reads.
func uniformReads(o *operands) (list []span) {
	for _, r := range o.reads {
		if r.isUniform() {
			list = append(list, r)
		}
	}
	return list
}

// freeSources takes the scoreboards of their sources from words that read uniform registers late where
// nothing overwrites those. It returns which.
func freeSources(words []word, jumps Jumps) (freed []int) {
	if !slices.ContainsFunc(words, word.writesSurface) {
		return nil
	}
	f := traceIn(words, blocksBy(words, jumps, false), false, nil)
	f.strange = true
	var list []int // tokens
	index := make(map[int]int)
	for t := range f.tokens {
		if tok := &f.tokens[t]; tok.read && f.words[tok.at].writesSurface() {
			index[tok.at] = len(list)
			list = append(list, t)
		}
	}
	needed := make([]bool, len(list))
	f.spread(len(list), func(set bitset, i int) {
		var waited []int
		set.each(func(k int) {
			if f.words[i].isCall() || f.words[i].op() == opRET || f.touches(list[k], i) || f.words[i].op() == opEXIT && f.isReadLate(list[k], f.of[i]) {
				needed[k] = true
				waited = append(waited, k)
			}
		})
		for _, k := range waited {
			f.dropRead(set, list, k)
		}
		if k, ok := index[i]; ok {
			set.set(k)
		}
	})
	for k, t := range list {
		if at := f.tokens[t].at; !needed[k] {
			words[at].setRd(noBoard)
			freed = append(freed, at)
		}
	}
	return freed
}

// dropRead takes token k of a list from a set, and those of its block before it: surfaces are done in
// order.
func (f *flow) dropRead(set bitset, list []int, k int) {
	set.drop(k)
	for o := k - 1; o >= 0 && f.tokens[list[o]].block == f.tokens[list[k]].block; o-- {
		set.drop(o)
	}
}

// isSurface reports whether an instruction reads or writes a surface.
func (w word) isSurface() bool { return w.op() == opSULD || w.writesSurface() }
