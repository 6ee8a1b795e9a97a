package resched

import (
	"bytes"
	"testing"
)

// TestSums makes sums of two of code for sm_120, and the stalls beside them, as nvlink 13.1.115
// does with code of ptxas 13.0.88.
func TestSums(t *testing.T) {
	eachPair(t, "sums", func(file string, text, want []byte) {
		r := Kernel(text, Options{Anew: true, Late: true, Adds: true})
		if r.Lost != nil || len(r.Added) == 0 {
			t.Errorf("%s: lost %+v, %d sums", file, r.Lost, len(r.Added))
		}
		if !bytes.Equal(r.Text, want) {
			t.Errorf("%s: other", file)
		}
	})
}

// TestSumEncoding makes an IADD of an IADD3 with carries, which no kernel above has.
// Source: code of ptxas 13.0.88 and what nvlink 13.1.115 makes of it.
func TestSumEncoding(t *testing.T) {
	for _, c := range [][2]uint64{
		{0x17fe4ff, 0x10e0400}, {0x71e4ff, 0x400}, {0x7f1e0ff, 0x7800000}, {0x7fe4ff, 0xe0400},
		{0x7ffe1ff, 0x78e0100}, {0xf3e4ff, 0x820400}, {0xfffe0ff, 0xf8e0000},
	} {
		w := word{lo: 0x0000000708097210, hi: c[0] | 0xfe2<<40}
		if !w.isSumOfTwo() {
			t.Errorf("%#x is no sum of two", c[0])
		}
		w.asSum()
		if want := (word{lo: 0x0000000708097235, hi: c[1] | 0xfe2<<40}); w != want {
			t.Errorf("%#x: %#x, want %#x", c[0], w, want)
		}
	}
	for _, hi := range []uint64{0x7ffe005, 0x7ffe4ff | 1<<11, 0x7ffc0ff, 0x7efe0ff} {
		if w := (word{lo: 0x0000000708097210, hi: hi}); w.isSumOfTwo() {
			t.Errorf("%#x is a sum of two", hi)
		}
	}
}

// TestBare leaves code that ptxas 13.2.86 didn't optimize without any schedule, as nvlink
// 13.5.37 does; what it links is as unsound.
func TestBare(t *testing.T) {
	eachPair(t, "bare", func(file string, text, want []byte) {
		r := Kernel(text, Options{Anew: true, Late: true, Pads: true, HoldsDoubles: true, Bares: true})
		if !r.Bare || !bytes.Equal(r.Text, want) {
			t.Errorf("%s: bare %t", file, r.Bare)
		}
		if r = Kernel(text, Options{Anew: true, Late: true, Pads: true}); r.Bare || !Scheduled(r.Text) {
			t.Errorf("%s: bare by 13.2", file)
		}
	})
}
