package engine_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
)

// A record of any type against any symbol, at any place of its section or outside: a link says no or makes an image.
func TestRecordsAnywhere(t *testing.T) {
	tries := map[string]int{"err_undefined_function/13.0-sm_80": 1000, "weak_functions/13.0-sm_80": 1000, "weak_functions/13.0-sm_100f": 1000, "jumps/13.0-sm_121": 500}
	linked, refused := 0, 0
	for _, load := range []func() ([]corpus.Program, error){corpus.Links, corpus.Mercury} {
		programs, err := load()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range corpus.CasesOf(programs) {
			random := rand.New(rand.NewPCG(1, 0))
			for range tries[c.ID()] {
				edited := []engine.Input{}
				for _, in := range c.Inputs {
					edited = append(edited, engine.Input{Name: in.Name, Data: recordAnywhere(t, in.Data, random)})
				}
				_, err := engine.Link(edited, engine.Options{Arch: c.Arch, Toolkit: c.Release, Relocatable: random.IntN(3) == 0})
				var why *engine.LinkError
				switch {
				case err == nil:
					linked++
				case errors.As(err, &why) && why.Exit != 0:
					refused++
				default:
					t.Errorf("%s: %v", c.ID(), err)
				}
			}
			delete(tries, c.ID())
		}
	}
	if len(tries) > 0 || linked < 400 || refused < 1000 {
		t.Errorf("%v not tried; %d links, %d refused", tries, linked, refused)
	}
}

// recordAnywhere returns a file with one of its records changed in all it says.
func recordAnywhere(t *testing.T, data []byte, random *rand.Rand) []byte {
	t.Helper()
	f, err := cubin.Open("in", data)
	if err != nil {
		t.Fatal(err)
	}
	var places []uint64
	symbols := uint64(1)
	for i := 1; i < f.NumSections(); i++ {
		s := f.Section(i)
		switch {
		case cubin.IsSymbols(s.Type):
			symbols = s.Size / cubin.SymbolSize
		case cubin.IsRelocs(s.Type) && s.Size >= 16:
			places = append(places, s.Off)
		}
	}
	if len(places) == 0 {
		return data
	}
	data = bytes.Clone(data)
	at := places[random.IntN(len(places))]
	off := [...]uint64{math.MaxUint64, math.MaxUint64 - 3, math.MaxUint64 - 7, 1 << 63, uint64(len(data)), 0x7f, 8}[random.IntN(7)]
	kind := random.Uint32N(cuda.RelocCount + cuda.MercuryRelocCount)
	if kind >= cuda.RelocCount {
		kind += cuda.MercuryBase - cuda.RelocCount
	}
	binary.LittleEndian.PutUint64(data[at:], off)
	binary.LittleEndian.PutUint64(data[at+8:], uint64(kind)|random.Uint64N(symbols+1)<<32)
	return data
}
