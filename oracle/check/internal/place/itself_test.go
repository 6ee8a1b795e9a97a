package place

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/reach"
	"github.com/twinlink/twinlink/oracle/check/internal/resolve"
)

// TestOwnPlaceOfFourBytes takes four bytes that hold a place of their own section for that, whatever follows them.
func TestOwnPlaceOfFourBytes(t *testing.T) {
	for _, rela := range []bool{false, true} {
		in := []byte{1, 2, 3, 4, 8, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0}
		m := &link.Module{Image: &image.Image{Symbols: []image.Symbol{{}, {Info: byte(cuda.STTSection), Shndx: 1}}}, RelocsOf: map[int][]int{1: {0}},
			Relocs: []link.Relocs{{Target: 1, List: []image.Record{{Offset: 4, Kind: cuda.R_CUDA_32, Symbol: 1, Addend: 8, Rela: rela}}}}}
		p := &link.Part{Mod: m, Section: &image.Section{Index: 1, Body: in, Size: uint64(len(in))}}
		out := append(make([]byte, 16), 1, 2, 3, 4, 24, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0)
		a := &link.Area{Name: ".debug_frame", Out: &image.Section{Body: out, Size: uint64(len(out))}}
		if c := (&Places{Reach: &reach.Reach{Resolved: &resolve.Resolved{Link: &link.Link{}}}}); !c.pointsToItself(a, p, 16) {
			t.Errorf("rela %v: refused", rela)
		}
		out[20] = 8
		if c := (&Places{Reach: &reach.Reach{Resolved: &resolve.Resolved{Link: &link.Link{}}}}); c.pointsToItself(a, p, 16) {
			t.Errorf("rela %v: the place in the input is accepted", rela)
		}
	}
}
