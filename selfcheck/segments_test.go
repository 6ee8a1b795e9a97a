package selfcheck

import (
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// TestSegmentFlags wants memory that begins where constants end to be of the segment that is of it alone, and of that of
// the constants where there is none: nvlink 13.4 has the first in cuBLAS 13.8, with room for all shared memory in the
// segment of .nv.constant4.
func TestSegmentFlags(t *testing.T) {
	section := func(typ cuda.SectionType, flags cuda.SectionFlags, off, size uint64) capsule.Section {
		return capsule.Section{Section: cubin.Section{Type: typ, Flags: cuda.SHFAlloc | flags, Off: off, Size: size}}
	}
	c := &checker{m: &capsule.Image{Sections: []capsule.Section{
		section(cuda.SHTProgbits, 0, 0x58, 8),              // .nv.constant4
		section(cuda.SHTNobits, cuda.SHFWrite, 0x60, 0x40), // .nv.shared.reserved.0
		section(cuda.SHTProgbits, 0, 0x60, 0x10),           // .nv.constant0.F
	}}}
	progs := []cubin.Prog{{Flags: readable}, {Off: 0x58, FileSz: 8, MemSz: 0x1000}, {Off: 0x60, MemSz: 0x40}, {Off: 0x60, FileSz: 0x10, MemSz: 0x10}}
	for i, want := range []uint32{readable, readable | writable, readable} {
		if got := c.segmentFlags(progs, progs[1+i]); got != want {
			t.Errorf("segment %d: %d, want %d", i, got, want)
		}
	}
	if got := c.segmentFlags(progs[:2], progs[1]); got != readable|writable {
		t.Errorf("one for both: %d", got)
	}
}
