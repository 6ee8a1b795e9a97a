package input

import (
	"sync"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
)

// Several cores may ask at once where the capsules of one input end.
func TestMercEndSideBySide(t *testing.T) {
	capsules, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	data, err := capsules[0].Data()
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("a.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	last := func(in *Sides) (last uint64) {
		for i := range f.NumSections() {
			last = max(last, in.MercEnd(uint32(i)))
		}
		return last
	}
	want := last(&Sides{File: f, ends: new(ends)})
	if want == 0 {
		t.Fatal("no capsule ends anywhere")
	}
	for range 10000 {
		in := &Sides{File: f, ends: new(ends)}
		var cores sync.WaitGroup
		for range 4 {
			cores.Go(func() {
				if got := last(in); got != want {
					t.Errorf("the last ends at %d, want %d", got, want)
				}
			})
		}
		cores.Wait()
	}
}
