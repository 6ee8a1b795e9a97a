package fuzz

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/internal/cputime"
)

// tries is how often a generator may be asked before it must have had a success.
const tries = 3000

// randomInput returns input n of an endless list that is the same everywhere.
func randomInput(n, size int) []byte {
	random := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), 'r'})
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(random.Uint64())
	}
	return b
}

func TestReader(t *testing.T) {
	var w Writer
	w.Byte(7)
	w.Bool(true)
	w.Bool(false)
	w.Uint16(0x1234)
	w.Uint32(0x89abcdef)
	w.Uint64(0x0123456789abcdef)
	w.Bytes([]byte("abc"))
	input := bytes.Clone(w.Input())
	r := NewReader(input)
	if r.Byte() != 7 || !r.Bool() || r.Bool() || r.Uint16() != 0x1234 || r.Uint32() != 0x89abcdef || r.Uint64() != 0x0123456789abcdef {
		t.Error("the numbers don't come back")
	}
	got := r.Bytes(5)
	if string(got) != "abc\x00\x00" {
		t.Errorf("got %q at the end, want zeros behind it", got)
	}
	got[0] = 'x'
	if !bytes.Equal(input, w.Input()) {
		t.Error("the bytes are the fuzzer's own")
	}
	if r.Left() != 0 || r.Byte() != 0 || r.Uint64() != 0 || r.Below(0) != 0 || r.Below(5) != 0 {
		t.Error("something comes after the end")
	}
}

// What a counterpart writes, its generator reads.
func TestCounterparts(t *testing.T) {
	for n := range 200 {
		c := ReadRelocation(NewReader(randomInput(n, 100)))
		var w Writer
		c.Write(&w)
		if d := cmp.Diff(c, ReadRelocation(NewReader(w.Input()))); d != "" {
			t.Fatalf("relocation %d:\n%s", n, d)
		}
		p := ReadProgram(NewReader(randomInput(n, 100)))
		w = Writer{}
		p.Write(&w)
		if d := cmp.Diff(p, ReadProgram(NewReader(w.Input()))); d != "" {
			t.Fatalf("descriptor %d:\n%s", n, d)
		}
	}
}

// Each judge must be able to find a fault: one is planted in the engine's table,
// of the kinds that linkers have, and a divergence wanted within the tries.
func TestPlantedFaults(t *testing.T) {
	slot := func(first, width uint32, a descriptor.Action) descriptor.Slot {
		return descriptor.Slot{First: first, Width: width, Action: a}
	}
	for _, c := range []struct {
		fault   string
		number  uint32
		planted descriptor.Descriptor
	}{
		{"first bit off by one", cuda.R_CUDA_ABS32_20, descriptor.Pack(slot(21, 32, descriptor.Full))},
		{"width off by one", cuda.R_CUDA_ABS24_40, descriptor.Pack(slot(40, 25, descriptor.Full))},
		{"high for low", cuda.R_CUDA_ABS32_LO_32, descriptor.Pack(slot(32, 32, descriptor.High))},
		{"shift forgotten", cuda.R_CUDA_TEX_BINDLESSOFF13_32, descriptor.Pack(slot(32, 13, descriptor.Full))},
		{"last field forgotten", cuda.R_CUDA_CONST_FIELD19_28, descriptor.Pack(slot(28, 14, descriptor.Shift2), slot(42, 4, descriptor.BankLow))},
		{"fields swapped", cuda.R_CUDA_CONST_FIELD21_20, descriptor.Pack(slot(36, 5, descriptor.Full), slot(20, 16, descriptor.BankLow))},
		{"a blank that keeps what was there", cuda.R_CUDA_UNUSED_CLEAR32, descriptor.Pack(slot(0, 32, descriptor.Full))},
		{"another byte lane", cuda.R_CUDA_8_24, descriptor.Pack(slot(0, 8, descriptor.Lane0+4))},
		{"nothing patched", cuda.R_CUDA_32, descriptor.Pack()},
		{"a sentinel that patches", cuda.R_CUDA_NONE_LAST, descriptor.Pack(slot(0, 8, descriptor.Full))},
		{"an arm lost", cuda.R_CUDA_64, descriptor.Pack(slot(0, 64, descriptor.Global))},
	} {
		sound := descriptor.Table[c.number]
		descriptor.Table[c.number] = c.planted
		found := 0
		for n := 0; n < tries && found == 0; n++ {
			r := ReadRelocation(NewReader(randomInput(n, 100)))
			if _, d := r.Judge(); d != nil {
				found = n + 1
				if info, _ := cuda.LookupReloc(c.number); !strings.HasPrefix(d.Key, info.Name+"-") {
					t.Errorf("%s: blamed %s", c.fault, d.Key)
				}
			}
		}
		descriptor.Table[c.number] = sound
		if found == 0 {
			t.Errorf("%s in type %d: not found in %d tries", c.fault, c.number, tries)
		}
	}
}

// Descriptors that no type has are run as the documents say.
func TestDescriptors(t *testing.T) {
	for n := range tries {
		p := ReadProgram(NewReader(randomInput(n, 120)))
		if d := p.Judge(); d != nil {
			t.Fatalf("%d: %v", n, d)
		}
	}
}

// A relocation is tried as every type, as REL and as RELA.
func TestBreadth(t *testing.T) {
	var c Relocation
	if n, d := c.Judge(); d != nil || n != 2*(cuda.RelocCount+cuda.MercuryRelocCount) {
		t.Errorf("%d comparisons, %v", n, d)
	}
}

// The generator of links must make links that succeed, with changed inputs, and
// links that are refused.
func TestLinkGenerator(t *testing.T) {
	linked, refused := 0, 0
	for n := 0; n < tries && (linked < 20 || refused < 20); n++ {
		l, err := Mutant(uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		if d := l.Judge(); d != nil {
			t.Fatal(d)
		}
		if l.Linked {
			linked++
		} else {
			refused++
		}
	}
	if linked < 20 || refused < 20 {
		t.Errorf("%d linked, %d refused", linked, refused)
	}
}

// An unchanged case is a link of the corpus as it is there.
func TestLinkSeedsAreReal(t *testing.T) {
	n, err := Bases()
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		var w Writer
		w.Uint16(uint16(i))
		w.Byte(0)
		w.Byte(255)
		l, err := ReadLink(NewReader(w.Input()))
		if err != nil {
			t.Fatal(err)
		}
		for j, in := range l.Inputs {
			list, _ := bases()
			if !bytes.Equal(in.Data, list[i].inputs[j].Data) {
				t.Errorf("%s: input %s is changed", l.Case, in.Name)
			}
		}
	}
}

func TestMutateLeavesTheOriginal(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for n := range 2000 {
		original := files[n%len(files)]
		before := bytes.Clone(original)
		if !bytes.Equal(Mutate(NewReader(randomInput(n, 200)), original), original) {
			changed++
		}
		if !bytes.Equal(before, original) {
			t.Fatalf("change %d is in the original", n)
		}
	}
	if changed < 1800 {
		t.Errorf("only %d of 2000 are changed", changed)
	}
}

// A judge's bounds must bite, and a panic must become a divergence.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		want string
		f    func() *Divergence
	}{
		{"k-memory", func() *Divergence { sink = make([]byte, maxBytes+100); return nil }},
		{"k-panic", func() *Divergence { panic("late") }},
		{"k-time", func() *Divergence {
			for began := cputime.Now(); cputime.Now()-began < maxTime+maxTime/100; {
				sink = sink[:0]
			}
			return nil
		}},
	} {
		if d := within("k", 8, c.f); d == nil || d.Key != c.want {
			t.Errorf("want %s, got %v", c.want, d)
		}
	}
	if d := within("k", 8, func() *Divergence { return nil }); d != nil {
		t.Error(d)
	}
}

var sink []byte
