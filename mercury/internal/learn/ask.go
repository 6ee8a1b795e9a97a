// Package learn makes the lines of the table: it asks nvlink for the words of
// records and writes the rules that explain its answers.
package learn

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/mercury/internal/fit"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

// Schedule is the bits of a word's upper half that are not learned.
const Schedule = 1<<62 - 1<<41

var hazard = []byte{0x84, 0xf9, 0xff, 0xff, 0, 0, 0, 0, 0} // @!PT LDS RZ, [RZ]

// aheadOfFence is the upper half of a fence that only another makes necessary.
const aheadOfFence = 0x8000

// isFence reports whether a word is a fence, whatever its guard.
func isFence(w []byte) bool { return binary.LittleEndian.Uint64(w)&^0xf000 == 0x992 }

// Out makes an output of the words of a node, without those that surroundings
// add and without what the finalizer decides.
func Out(words []byte) fit.Out {
	w := words
	for len(w) >= 32 && bytes.HasPrefix(w, hazard) {
		w = w[16:]
	}
	if n := len(w); n >= 48 && w[n-16] == 0xb1 && w[n-15]&15 == 9 && w[n-32] == 0xc6 && w[n-31]&15 == 3 {
		w = w[:n-32]
	}
	if len(w) == 32 && w[0] == 0xc6 && w[1]&15 == 3 && w[16] == 0xb2 && w[17]&15 == 5 {
		w = w[16:]
	}
	if len(w) >= 32 && isFence(w) && isFence(w[16:]) && binary.LittleEndian.Uint64(w[8:])&^Schedule == aheadOfFence {
		w = w[16:]
	}
	var o fit.Out
	var sig []string
	for ; len(w) >= 16; w = w[16:] {
		lo, hi := binary.LittleEndian.Uint64(w), binary.LittleEndian.Uint64(w[8:])
		hi &^= Schedule
		if lo == 0 && hi == 0 {
			return fit.Out{}
		}
		sig = append(sig, fmt.Sprintf("%03x", lo&0xfff))
		o.Bits = append(o.Bits, lo, hi)
	}
	o.Sig = strings.Join(sig, " ")
	return o
}

// Asker asks for records of a size.
func Asker(o *probe.Oracle, size int) fit.Asker {
	return func(ctx context.Context, in []fit.Vec) ([]fit.Out, error) {
		nodes := make([]probe.Node, len(in))
		for i, v := range in {
			nodes[i].Record = v.Bytes(size)
		}
		answers, err := o.Ask(ctx, nodes)
		if err != nil {
			return nil, err
		}
		outs := make([]fit.Out, len(answers))
		for i, a := range answers {
			if a.Other == nil && (a.Kind == 'P' || a.Kind == 'M' || a.Kind == 'R') {
				outs[i] = Out(a.Words)
			}
			outs[i].Costly = a.Kind == 'H'
		}
		return outs, nil
	}
}

// Bare returns a word without its schedule.
func Bare(word string) string {
	b := []byte(word)[:16]
	hi := binary.LittleEndian.Uint64(b[8:]) &^ Schedule
	binary.LittleEndian.PutUint64(b[8:], hi)
	return string(b)
}
