package tables

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// TestLeastHeaders: of a kernel whose calls aren't all known there may be more barriers and registers, and no fewer.
func TestLeastHeaders(t *testing.T) {
	flags := func(barriers uint64) cuda.SectionFlags {
		return cuda.SHFAlloc | cuda.SHFExec | cuda.SectionFlags(barriers)<<cuda.SHFBarrierShift
	}
	for i, x := range []struct {
		least                     bool
		barriers, registers       uint64 // wanted
		barriersNow, registersNow uint64
		want                      string
	}{
		{true, 2, 9, 2, 9, ""},
		{true, 2, 9, 3, 9, ""},
		{true, 2, 9, 2, 10, ""},
		{true, 2, 9, 1, 9, "flags 0x200006/0x100006"},
		{true, 2, 9, 2, 8, "info 0x9000001/0x8000001"},
		{false, 2, 9, 3, 9, "flags 0x200006/0x300006"},
		{false, 2, 9, 2, 10, "info 0x9000001/0xa000001"},
	} {
		c := tabled(130)
		s := &image.Section{Name: ".text.k", Kind: cuda.SHTProgbits, Flags: flags(x.barriersNow), Info: uint32(1 | x.registersNow<<24), Align: 128}
		c.compareHeader(s, wantHeader{kind: cuda.SHTProgbits, flags: flags(x.barriers), info: uint32(1 | x.registers<<24), align: 128, least: x.least})
		if got := said(c); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
	for _, may := range []bool{true, false} {
		c := tabled(130)
		c.compareHeader(&image.Section{Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc, Align: 4}, wantHeader{kind: cuda.SHTProgbits, flags: cuda.SHFAlloc | cuda.SHFInfoLink, align: 4, mayLink: may})
		if got := said(c); (got == "") != may {
			t.Errorf("may be said or not, %v: %q", may, got)
		}
	}
}

// TestLoweredTypes: a final image has no types of memory, a file in the middle and the Mercury side have.
func TestLoweredTypes(t *testing.T) {
	const bank = cuda.SHTCudaConstant0 + 3
	for i, x := range []struct {
		kind        cuda.SectionType
		side        image.Side
		relocatable bool
		want        cuda.SectionType
	}{
		{bank, image.Whole, false, cuda.SHTProgbits},
		{bank, image.SassSide, false, cuda.SHTProgbits},
		{bank, image.MercurySide, false, bank},
		{bank, image.Whole, true, bank},
		{cuda.SHTCudaGlobalInit, image.Whole, false, cuda.SHTProgbits},
		{cuda.SHTCudaGlobalInit, image.Whole, true, cuda.SHTCudaGlobalInit},
		{cuda.SHTCudaShared, image.Whole, false, cuda.SHTNobits},
		{cuda.SHTCudaShared, image.Whole, true, cuda.SHTCudaShared},
		{cuda.SHTCudaShared, image.MercurySide, false, cuda.SHTCudaShared},
		{cuda.SHTProgbits, image.Whole, false, cuda.SHTProgbits},
		{cuda.SHTCudaUFT, image.Whole, false, cuda.SHTCudaUFT},
	} {
		c := tabled(130)
		c.Side, c.Relocatable = x.side, x.relocatable
		if got := c.loweredType(x.kind); got != x.want {
			t.Errorf("%d: %s", i, got)
		}
	}
}
