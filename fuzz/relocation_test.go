package fuzz

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// What is written of a record reads as that record.
func TestRelocationWritten(t *testing.T) {
	edges := 0
	for n := range uint64(400) {
		c := ReadRelocation(NewReader(SeededInput("written", n, 200)))
		if n < uint64(len(Edges)) {
			c.Inputs.S, c.Inputs.P, c.Inputs.A = Edges[n], Edges[n], int64(Edges[n])
			edges++
		}
		var w Writer
		c.Write(&w)
		if again := ReadRelocation(NewReader(w.Input())); again != c {
			t.Errorf("%+v reads as %+v", c, again)
		}
	}
	if edges != len(Edges) {
		t.Errorf("%d edges", edges)
	}
}

// A batch is the record, and records that each differ from it in a number or in the place; its length is that of the place.
func TestSpread(t *testing.T) {
	for n := range uint64(50) {
		c := ReadRelocation(NewReader(SeededInput("spread", n, 200)))
		r := c.Spread()
		if want := max(16-int(c.Short), 0); r.Length != want || r.Inputs[0] != c.Inputs || [16]byte(r.Places[0][:]) != [16]byte(c.Place[:]) {
			t.Errorf("%d bytes, want %d, %+v", r.Length, want, r.Inputs[0])
		}
		for lane := 1; lane < len(r.Inputs); lane++ {
			if r.Inputs[lane] == c.Inputs && r.Places[lane] == r.Places[0] {
				t.Errorf("lane %d is the record", lane)
			}
		}
	}
}

// A divergence is named by its type and form.
func TestRelocationKey(t *testing.T) {
	var c Relocation
	for want, k := range map[string]struct {
		number uint32
		rela   bool
	}{"R_CUDA_32-rel": {cuda.R_CUDA_32, false}, "R_MERCURY_G64-rela": {cuda.R_MERCURY_G64, true}, "5000-rel": {5000, false}} {
		if got := c.key(k.number, k.rela); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
