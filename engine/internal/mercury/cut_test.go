package mercury

import (
	"testing"

	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/output"
)

// TestPartsOf writes a large section of data chunk by chunk, but one with records as a whole: a record's place
// counts from the section's start.
func TestPartsOf(t *testing.T) {
	for _, x := range []struct {
		first model.SecID // of the records
		want  int
	}{{model.Absent, 2}, {1, 1}} {
		size := uint64(output.Window) + 16
		p := part{twin: -1, chunks: []model.Chunk{
			{Size: 16, Data: make([]byte, 16)},
			{Off: 16, Size: size - 16, Data: make([]byte, size-16)},
		}}
		p.hdr.Size = size
		program := &model.Program{}
		program.Secs = []model.Section{{Fun: model.Absent, Target: model.Absent}, {Fun: model.Absent, Target: 0}, {Fun: model.Absent}, {Fun: model.Absent}}
		program.Parts = make([]model.Parts, 4)
		program.Parts[0].FirstRel = x.first
		program.Strtab, program.Symtab = 2, 3
		f := &file{Program: program, img: &plan{parts: []part{p, {}, {}, {}}, sassOf: []int32{0, 1, 2, 3}, mercSymtab: -1}, of: []model.SecID{0, 1, 2, 3}}
		if got := f.partsOf(0); got != x.want {
			t.Errorf("records in section %d: %d pieces, want %d", x.first, got, x.want)
		}
	}
}
