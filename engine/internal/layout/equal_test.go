package layout

import (
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/reach"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// emptyLayout is one of a program without anything.
func emptyLayout() *Layout {
	p := &model.Program{Set: &input.Set{Release: &release.Release{Name: "13.0"}, Opt: &input.Options{}, Dialect: &release.SASS}, Names: names.New(8, nil)}
	return &Layout{Program: p, Graph: &reach.Graph{Program: p}, SharedAlign: make(map[model.SymID]uint64)}
}

// The piece of a bank in which a symbol lies: from its first byte to its last.
func TestPieceOf(t *testing.T) {
	l := emptyLayout()
	bank := l.NewSection(l.Names.ID(".nv.constant3"), cuda.SHTCudaConstant0+3, 0, 4)
	other := l.NewSection(l.Names.ID(".nv.global"), cuda.SHTCudaGlobal, 0, 4)
	pieces := []model.Chunk{{Off: 4, Size: 4}, {Off: 8, Size: 8}, {Off: 20, Size: 1}}
	for at, want := range map[uint64]int{0: -1, 3: -1, 4: 0, 7: 0, 8: 1, 15: 1, 16: -1, 19: -1, 20: 2, 21: -1} {
		s := l.NewSymbol(model.Symbol{Sec: bank, Value: at})
		got := l.pieceOf(bank, pieces, s)
		if want < 0 && got != nil || want >= 0 && got != &pieces[want] {
			t.Errorf("at %d: %v, want piece %d", at, got, want)
		}
	}
	if l.pieceOf(bank, pieces, model.Absent) != nil || l.pieceOf(bank, pieces, l.NewSymbol(model.Symbol{Sec: other, Value: 4})) != nil {
		t.Error("what isn't in the bank has a piece")
	}
}

// Each input whose constants are displaced, and that code reads, is told of once.
func TestWarnMoved(t *testing.T) {
	l := emptyLayout()
	l.Files = []*cubin.File{{Name: "a.cubin"}, {Name: "b.cubin"}, {Name: "c.cubin"}, {Name: "d.cubin"}}
	bank := l.NewSection(l.Names.ID(".nv.constant3"), cuda.SHTCudaConstant0+3, 0, 4)
	before := []model.Chunk{{Off: 0, Size: 4, File: 0}, {Off: 4, Size: 4, File: 1}, {Off: 8, Size: 4, File: 2}, {Off: 12, Size: 4, File: 3}}
	// b's are equal to a's: b's are gone, c's and d's have moved, and d's are read by deleted code alone.
	l.Parts[bank].Chunks = []model.Chunk{before[0], {Off: 4, Size: 4, File: 2}, {Off: 8, Size: 4, File: 3}}
	text := l.NewSection(l.Names.ID(".text.k"), cuda.SHTProgbits, 0, 1)
	for i, deleted := range []bool{true, false, false} {
		rel := l.NewRelocSection(l.Names.ID(".rela.text.k"), cuda.SHTRela, 0, text)
		l.Secs[rel].Deleted = deleted
		list := []uint64{12}
		if !deleted {
			list = []uint64{0, uint64(8 - 4*i + 4), 8}
		}
		for _, at := range list {
			l.Parts[rel].Relocs = append(l.Parts[rel].Relocs, model.Reloc{Sym: l.NewSymbol(model.Symbol{Sec: bank, Value: at})})
		}
	}
	l.warnMoved(bank, before)
	var told []string
	for _, d := range l.Diags {
		want := diag.Diagnostic{Severity: diag.Warning, Kind: diag.Displaced, File: d.File, Section: ".nv.constant3",
			Text: "Code reads other data than the constants of '" + d.File + "', which equal constants of another input displace, as with nvlink 13.0"}
		if d != want {
			t.Errorf("%+v, want %+v", d, want)
		}
		told = append(told, d.File)
	}
	if len(told) != 2 || told[0] != "c.cubin" && told[0] != "b.cubin" || told[0] == told[1] || told[1] == "d.cubin" {
		t.Errorf("told of %v", told)
	}
}
