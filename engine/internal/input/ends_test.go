package input

import (
	"encoding/binary"
	"maps"
	"sync"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
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

// A capsule ends where the last of its functions does, in whatever order the symbols stand; half an entry is none.
func TestEndsOfSymbols(t *testing.T) {
	var table []byte
	for _, s := range []struct {
		info        byte
		shndx       uint16
		value, size uint64
	}{
		{byte(cuda.STTFunc), 5, 16, 64}, {0x10 | byte(cuda.STTFunc), 5, 128, 32}, {byte(cuda.STTFunc), 5, 0, 96}, {byte(cuda.STTCudaObject), 5, 1000, 8},
		{byte(cuda.STTSection), 5, 0, 2000}, {0x20 | byte(cuda.STTFunc), 0x1234, 7, 9}, {byte(cuda.STTFunc), 6, 32, 0},
	} {
		table = append(table, 1, 2, 3, 4, s.info, 5)
		table = binary.LittleEndian.AppendUint16(table, s.shndx)
		table = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(table, s.value), s.size)
	}
	want := map[uint32]uint64{5: 160, 0x1234: 16, 6: 32}
	for cut, want := range map[int]map[uint32]uint64{0: want, 1: {5: 160, 0x1234: 16}} {
		e := ends{of: map[uint32]uint64{}}
		e.read(table[:len(table)-cut])
		if !maps.Equal(e.of, want) {
			t.Errorf("%d bytes short: %v, want %v", cut, e.of, want)
		}
	}
}
