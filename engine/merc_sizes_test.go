package engine_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
)

// noOpcode is an opcode of no instruction.
const noOpcode = 0xfff

// spoil gives PLAIN nodes of a function an opcode that no table has. It returns
// the SASS offsets of those, in order.
func spoil(t *testing.T, data []byte, choose func(fn *capsule.Func, plain []capsule.Node) []capsule.Node) (out []byte, fn *capsule.Func, words []uint32) {
	t.Helper()
	out = bytes.Clone(data)
	f, err := cubin.Open("a.cubin", out)
	if err != nil {
		t.Fatal(err)
	}
	m := capsule.Open(f)
	for i := range m.Funcs {
		fn = &m.Funcs[i]
		var plain []capsule.Node
		for _, n := range fn.Cap.Nodes {
			if n.Kind == capsule.Plain {
				plain = append(plain, n)
			}
		}
		for _, n := range choose(fn, plain) {
			word := fn.Code[n.SASS:]
			binary.LittleEndian.PutUint16(word, binary.LittleEndian.Uint16(word)|noOpcode)
			words = append(words, n.SASS)
		}
		if words != nil {
			return out, fn, words
		}
	}
	t.Fatal("no function fits")
	return nil, nil, nil
}

func mercuryCase(t *testing.T, program string) corpus.Case {
	t.Helper()
	programs, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if p.Name == program {
			return p.Cases[0]
		}
	}
	t.Fatalf("no program %s", program)
	return corpus.Case{}
}

// TestUnsized wants a link to fail, rather than patch a guessed place, where
// the sizes of two instructions around a relocation aren't known.
func TestUnsized(t *testing.T) {
	const constantLoad = 0x02220e06 // of a user's constant, with a relocation
	c := mercuryCase(t, "constants")
	data, fn, words := spoil(t, c.Inputs[0].Data, func(fn *capsule.Func, plain []capsule.Node) []capsule.Node {
		// Two of different sizes around a relocation: their sum tells neither.
		size := func(n capsule.Node) uint32 {
			return capsule.PlainSize(binary.LittleEndian.Uint64(fn.Code[n.SASS:]), binary.LittleEndian.Uint64(fn.Code[n.SASS+8:]))
		}
		for _, a := range plain {
			for _, b := range slices.Backward(plain) {
				if size(a)+size(b) == 48 && slices.ContainsFunc(fn.Cap.Nodes, func(n capsule.Node) bool {
					return n.Kind == capsule.Full && n.SASS > a.SASS && n.SASS < b.SASS && fn.Cap.Tag(&n) == constantLoad
				}) {
					return []capsule.Node{a, b}
				}
			}
		}
		return nil
	})
	in := slices.Clone(c.Inputs)
	in[0].Data = data
	c.Inputs = in
	_, err := linkCase(c)
	var fault *engine.LinkError
	if !errors.As(err, &fault) {
		t.Fatalf("the link gives %v, want a refusal", err)
	}
	d := fault.Diags[len(fault.Diags)-1]
	if d.Kind != engine.Unsupported || d.Symbol != fn.Name || d.Offset != uint64(words[0]) || d.Value != noOpcode {
		t.Errorf("refused by %+v, want one that names %s, %#x and opcode %#x", d, fn.Name, words[0], noOpcode)
	}
}

// TestSettled wants the link as nvlink makes it, the instruction itself apart,
// where one size alone is unknown: the function's size tells it.
func TestSettled(t *testing.T) {
	c := mercuryCase(t, "calls")
	data, fn, words := spoil(t, c.Inputs[0].Data, func(fn *capsule.Func, plain []capsule.Node) []capsule.Node {
		if len(plain) == 0 || len(fn.Cap.Nodes) < 8 {
			return nil
		}
		return plain[:1]
	})
	in := slices.Clone(c.Inputs)
	in[0].Data = data
	c.Inputs = in
	out, err := linkCase(c)
	if err != nil {
		t.Fatal(err)
	}
	differ := 0
	for i := range min(len(out.Image), len(c.Output)) {
		if out.Image[i] != c.Output[i] {
			differ++
		}
	}
	if len(out.Image) != len(c.Output) || differ == 0 || differ > 2 {
		t.Errorf("%s: %d bytes differ from nvlink's image, want those of the opcode at %#x alone", fn.Name, differ, words[0])
	}
}
