package mercury

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/output"
)

// TestPartsOf writes a large section of data chunk by chunk, but as a whole where records may change it: a
// record's place counts from the section's start. What the finalizer does of records, it does on the SASS side.
func TestPartsOf(t *testing.T) {
	for _, x := range []struct {
		name  string
		first model.SecID // of the records
		what  model.Disposition
		merc  int32 // the section's part of the Mercury side; the part in question is 0
		want  int
	}{
		{"no records", model.Absent, 0, -1, 2},
		{"SASS", 1, model.Kept, -1, 1},
		{"Mercury, patched", 1, model.Applied, 0, 1},
		{"Mercury, cleared", 1, model.Cleared, 0, 1},
		{"Mercury, kept", 1, model.Kept, 0, 2},
	} {
		size := uint64(output.Window) + 16
		p := part{twin: -1, chunks: []model.Chunk{
			{Size: 16, Data: make([]byte, 16)},
			{Off: 16, Size: size - 16, Data: make([]byte, size-16)},
		}}
		p.hdr.Size = size
		program := &model.Program{Names: names.New(0, nil)}
		program.Secs = []model.Section{{Fun: model.Absent, Target: model.Absent}, {Fun: model.Absent, Target: 0}, {Fun: model.Absent}, {Fun: model.Absent}}
		program.Parts = make([]model.Parts, 4)
		program.Parts[0].FirstRel = x.first
		program.Parts[1] = model.Parts{Relocs: []model.Reloc{{Disposition: x.what}}, NextRel: model.Absent}
		program.Strtab, program.Symtab, program.Shstrtab = 2, 3, 2
		f := &file{Program: program, img: &plan{parts: []part{p, {}, {}, {}}, sassOf: []int32{0, 1, 2, 3}, mercOf: []int32{x.merc, -1, -1, -1}, mercSymtab: -1}, of: []model.SecID{0, 1, 2, 3}}
		if got := f.partsOf(0); got != x.want {
			t.Errorf("%s: %d pieces, want %d", x.name, got, x.want)
		}
	}
}

// TestNamesInPieces writes .shstrtab in pieces and as a whole: the bytes are the same, also where a name that is
// overwritten or one of the tail is in two pieces.
func TestNamesInPieces(t *testing.T) {
	table := names.New(0, nil)
	l := &Backend{Program: &model.Program{Names: table}}
	img := &plan{Plan: &output.Plan{Shstr: names.NewStrtab(table, 0)}}
	own, want := []byte{0}, []byte(nil)
	for i := 0; len(own) < 3*names.Block; i++ {
		name := fmt.Sprintf(".nv.constant3.function_%d", i)
		at := uint32(len(own))
		img.Shstr.Add(table.ID(name))
		own = append(append(own, name...), 0)
		if len(own) > names.Block && at <= names.Block {
			img.extra.renamed = append(img.extra.renamed, renamed{at, name, ".nv.constant3.f"})
			copy(own[at:], ".nv.constant3.f"+strings.Repeat("\x00", len(name)-len(".nv.constant3.f")))
		}
	}
	for i := 0; len(want) < 2*names.Block; i++ {
		name := fmt.Sprintf(".text.f_%d", i)
		if off := img.extra.add(ofMercury, table.ID(name), table); int(off) != len(want) {
			t.Fatalf("name %d at %d, want %d", i, off, len(want))
		}
		want = append(append(append(want, input.MercPrefix...), name...), 0)
	}
	want = append(append(own, want...), make([]byte, 40)...) // and room for names that are not there
	whole := make([]byte, len(want))
	l.putAllNames(img, whole)
	if !bytes.Equal(whole, want) {
		t.Error("the whole table differs")
	}
	var pieces []byte
	for part := 0; len(pieces) < len(want); part++ {
		from, n := img.namesExtent(part, uint64(len(want)))
		if int(from) != len(pieces) || n == 0 {
			t.Fatalf("piece %d: %d bytes at %d, behind %d", part, n, from, len(pieces))
		}
		b := make([]byte, n)
		l.putNames(img, b, part)
		pieces = append(pieces, b...)
	}
	if !bytes.Equal(pieces, want) {
		t.Error("the pieces differ")
	}
}
