package storm

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/oracle"
)

// What a line tells, with every number in its place.
func TestLine(t *testing.T) {
	tally := Tally{Batches: 7, Compared: 12_340_000, BothRefuse: 5, Inexpressed: 6}
	tally.Types[3], tally.Types[9] = [2]uint64{40, 2}, [2]uint64{0, 41}
	want := "    4 s  7 batches  12.3 M compared  3.1 M/s  6.2 M a processor second  5 both refuse  6 inexpressible  2 types, each 41 times or more"
	if got := Line(&tally, 4*time.Second, 2*time.Second); got != want {
		t.Errorf("%q, want\n%q", got, want)
	}
	if got := Line(&Tally{}, 0, 0); got != "    0 s  0 batches  0.0 M compared  0.0 M/s  0.0 M a processor second  0 both refuse  0 inexpressible  0 types, each 0 times or more" {
		t.Errorf("%q", got)
	}
}

// Counts add up one by one.
func TestAdd(t *testing.T) {
	a := Tally{Batches: 1, Compared: 2, Fields: 3, BothRefuse: 4, Inexpressed: 5}
	a.Types[1] = [2]uint64{6, 7}
	b := Tally{Batches: 10, Compared: 20, Fields: 30, BothRefuse: 40, Inexpressed: 50}
	b.Types[1], b.Types[cuda.RelocCount-1] = [2]uint64{60, 70}, [2]uint64{0, 80}
	want := Tally{Batches: 11, Compared: 22, Fields: 33, BothRefuse: 44, Inexpressed: 55}
	want.Types[1], want.Types[cuda.RelocCount-1] = [2]uint64{66, 77}, [2]uint64{0, 80}
	if a.Add(&b); a != want {
		t.Errorf("%+v", a)
	}
}

// What is drawn: places of every length up to the longest, most of them whole, sections of banks and some others,
// values near edges, small ones of both signs and any, in equal parts.
func TestDraw(t *testing.T) {
	const batches = 3000
	var whole, short, banks, code, none, wild, edges, small, negative int
	lengths := map[int]bool{}
	bank := map[cuda.SectionType]bool{}
	edge := map[uint64]bool{}
	for number := range uint64(batches) {
		r := Draw(3, number)
		if lengths[r.Length] = true; r.Length == oracle.PlaceBytes {
			whole++
		} else {
			short++
		}
		for i := range r.Inputs {
			switch s := r.Inputs[i].SectionType; {
			case s == cuda.SHTProgbits:
				code++
			case s == cuda.SHTNobits:
				none++
			case s >= cuda.SHTCudaConstant0 && s < cuda.SHTCudaConstant0+32:
				banks++
				bank[s-cuda.SHTCudaConstant0] = true
			default:
				wild++
			}
			v := r.Inputs[i].S
			for _, e := range Edges {
				if d := v - e + 4; d < 9 {
					edges++
					edge[v] = true
					break
				}
			}
			switch {
			case v < 1<<32:
				small++
			case v >= ^uint64(1<<32):
				negative++
			}
		}
	}
	near := func(what string, got, of int, part float64) {
		t.Helper()
		if f := float64(got) / float64(of); f < part*0.9 || f > part*1.1 {
			t.Errorf("%s: %.3f, want %.3f", what, f, part)
		}
	}
	all := batches * oracle.Lanes
	near("whole places", whole, batches, 15.0/16)
	near("other places", short, batches, 1.0/16)
	near("code", code, all, 1.0/8)
	near("nothing", none, all, 1.0/8)
	near("banks", banks, all, 5.0/8)
	near("any section", wild, all, 1.0/8)
	near("edges", edges, all, 0.277) // a quarter, and small numbers that happen to be near one
	near("small", small, all, 0.323)
	near("negative", negative, all, 0.15)
	for n := range oracle.PlaceBytes + 1 {
		if !lengths[n] {
			t.Errorf("no place of %d bytes", n)
		}
	}
	if len(bank) != 32 {
		t.Errorf("%d banks", len(bank))
	}
	for _, e := range Edges {
		for d := range uint64(9) {
			if !edge[e+d-4] {
				t.Errorf("%#x is never drawn", e+d-4)
			}
		}
	}
	if again := Draw(3, 5); *again != *Draw(3, 5) || *again == *Draw(4, 5) || *Draw(3, 5) == *Draw(3, 6) {
		t.Error("a batch is not its seed's and number's")
	}
	if r := Draw(1, 1); r.Places[0] == r.Places[1] || r.Places[0] == [oracle.PlaceBytes]byte{} {
		t.Error("places are alike")
	}
}

// A divergence tells the type, the form, how the oracle came there, and how to see it again.
func TestDivergence(t *testing.T) {
	d := &Divergence{Seed: 7, Batch: 8, Type: cuda.R_CUDA_32, What: "what", Text: "how\n"}
	if got := d.Error(); got != "R_CUDA_32-rel: what\nhow\nagain: twinlink storm --seed 7 --batch 8" {
		t.Errorf("%q", got)
	}
	d.Rela, d.Type = true, 9999
	if got := d.Key(); got != "9999-rela" {
		t.Errorf("%q", got)
	}
}

func driverList() []bool {
	list := driver()
	return list[:]
}

// plant has a descriptor do something else while a test runs.
func plant(t *testing.T, number uint32, as uint32) {
	was := descriptor.Table[number]
	t.Cleanup(func() { descriptor.Table[number] = was })
	descriptor.Table[number] = descriptor.Table[as]
}

// Each way of parting is identified by its own words.
func TestWhat(t *testing.T) {
	left := uint32(slices.Index(driverList(), true)) // to the driver
	for _, c := range []struct {
		number, as uint32
		what       string
	}{
		{cuda.R_CUDA_32, cuda.R_CUDA_NONE, "the engine "}, {cuda.R_CUDA_ABS32_LO_32, cuda.R_CUDA_ABS32_HI_32, "the engine writes "},
		{cuda.R_CUDA_32, cuda.R_CUDA_64, "the engine "}, {cuda.R_CUDA_8_0, cuda.R_CUDA_8_8, "the engine "}, {cuda.R_CUDA_32, left, "the engine refuses: "},
	} {
		t.Run(c.what, func(t *testing.T) {
			plant(t, c.number, c.as)
			_, d, err := Run(t.Context(), Options{Seed: 7, Batches: 100, Workers: 1})
			if err != nil || d == nil || d.Type != c.number || !strings.HasPrefix(d.What, c.what) || d.Text == "" || d.Seed != 7 || d.Lane < 0 {
				t.Errorf("%v, %v", d, err)
			}
		})
	}
}

// However many work, the first batch that parts is what is found, and none before the first that is asked for is looked at.
func TestLowest(t *testing.T) {
	plant(t, cuda.R_CUDA_ABS32_LO_32, cuda.R_CUDA_ABS32_HI_32)
	first := func(o Options) uint64 {
		t.Helper()
		_, d, err := Run(t.Context(), o)
		if err != nil || d == nil {
			t.Fatalf("nothing found, %v", err)
		}
		return d.Batch
	}
	alone := first(Options{Seed: 7, Batches: 100, Workers: 1})
	for _, workers := range []int{0, 2, 7} {
		if got := first(Options{Seed: 7, Batches: 100, Workers: workers}); got != alone {
			t.Errorf("%d workers: %d, want %d", workers, got, alone)
		}
	}
	if got := first(Options{Seed: 7, First: alone + 1, Duration: time.Minute}); got <= alone {
		t.Errorf("%d, begun behind %d", got, alone)
	}
}

// A run has as many batches as it is asked for, ends with its time or its context, and says how far it is once a second.
func TestEnds(t *testing.T) {
	for _, workers := range []int{1, 3} {
		tally, d, err := Run(t.Context(), Options{Seed: 2, First: 1 << 40, Batches: 70, Workers: workers})
		if err != nil || d != nil || tally.Batches != 70 {
			t.Errorf("%d batches, %v, %v", tally.Batches, d, err)
		}
	}
	ticks := 0
	var last Tally
	began := time.Now()
	tally, _, err := Run(t.Context(), Options{Seed: 1, Duration: 1200 * time.Millisecond, Workers: 2, Progress: func(t *Tally) { ticks, last = ticks+1, *t }})
	if took := time.Since(began); err != nil || took < 1200*time.Millisecond || took > time.Minute || ticks == 0 || tally.Batches == 0 || tally.Batches < last.Batches {
		t.Errorf("%v, %d told, %d of %d batches, %v", time.Since(began), ticks, last.Batches, tally.Batches, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if tally, _, err := Run(ended, Options{Seed: 1, Batches: 10}); err == nil || err.Error() != "storm: nothing was compared" || tally.Batches != 0 {
		t.Errorf("%d batches, %v", tally.Batches, err)
	}
}
