package storm

import (
	"context"
	"testing"
	"time"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
)

// Engine and oracle agree, and every type that the engine patches is compared in both forms.
func TestRun(t *testing.T) {
	tally, d, err := Run(context.Background(), Options{Seed: 1, Batches: 200})
	if err != nil {
		t.Fatal(err)
	}
	if d != nil {
		t.Fatal(d)
	}
	if tally.Batches != 200 || tally.BothRefuse == 0 || tally.Inexpressed == 0 {
		t.Errorf("%d batches, %d refused by both, %d inexpressible", tally.Batches, tally.BothRefuse, tally.Inexpressed)
	}
	for number := range uint32(cuda.RelocCount) {
		place := make([]byte, descriptor.MaxSpan)
		if _, err := descriptor.Table[number].Apply(place, &descriptor.Values{}); err != nil || number == cuda.RelocCount-1 {
			continue
		}
		for form, n := range tally.Types[number] {
			if n < 1000 {
				t.Errorf("type %d, form %d: compared %d times", number, form, n)
			}
		}
	}
}

// A planted fault is found, and again by its seed and number.
func TestFinds(t *testing.T) {
	was := descriptor.Table[cuda.R_CUDA_ABS32_LO_32]
	defer func() { descriptor.Table[cuda.R_CUDA_ABS32_LO_32] = was }()
	descriptor.Table[cuda.R_CUDA_ABS32_LO_32] = descriptor.Table[cuda.R_CUDA_ABS32_HI_32]
	_, d, err := Run(context.Background(), Options{Seed: 7, Batches: 100})
	if err != nil || d == nil {
		t.Fatalf("nothing found, %v", err)
	}
	if d.Key() != "R_CUDA_ABS32_LO_32-rel" && d.Key() != "R_CUDA_ABS32_LO_32-rela" {
		t.Errorf("key %s", d.Key())
	}
	_, again, err := Run(context.Background(), Options{Seed: d.Seed, First: d.Batch, Batches: 1, Workers: 1})
	if err != nil || again == nil || again.Error() != d.Error() {
		t.Errorf("%v, %v: not the same again as %v", again, err, d)
	}
}

// A run without a limit, and one in which nothing could be compared, are errors.
func TestEmpty(t *testing.T) {
	if _, _, err := Run(context.Background(), Options{}); err == nil {
		t.Error("a run without a limit")
	}
	if _, _, err := Run(context.Background(), Options{Duration: time.Nanosecond}); err == nil {
		t.Error("a run that compared nothing passed")
	}
}

func BenchmarkStorm(b *testing.B) {
	var j Judge
	var t Tally
	r := Draw(1, 1)
	for b.Loop() {
		if d := j.Judge(r, &t); d != nil {
			b.Fatal(d)
		}
	}
	b.ReportMetric(float64(t.Compared)/b.Elapsed().Seconds()/1e6, "Mcompared/s")
}
