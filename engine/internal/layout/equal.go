package layout

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// warnMoved says which inputs' code reads other constants than its own, since
// equal ones before them were stored once. before are the pieces as they were, in
// their order; those that are left have their new places in the bank.
func (l *Layout) warnMoved(bank model.SecID, before []model.Chunk) {
	type origin struct {
		file int32
		from uint32
	}
	place := make(map[origin]uint64, len(before))
	for _, c := range l.Parts[bank].Chunks {
		place[origin{c.File, c.From}] = c.Off
	}
	moved := slices.DeleteFunc(slices.Clone(before), func(c model.Chunk) bool {
		off, left := place[origin{c.File, c.From}]
		return left && off == c.Off
	})
	told := map[int32]bool{}
	for i := range l.Secs {
		s := &l.Secs[i]
		if s.Target == model.Absent || s.Deleted {
			continue
		}
		relocs := l.Parts[i].Relocs
		for j := range relocs {
			c := l.pieceOf(bank, moved, relocs[j].Sym)
			if c == nil || told[c.File] {
				continue
			}
			told[c.File] = true
			name := l.FileName(c.File)
			l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Displaced, File: name, Section: l.Names.Str(l.Secs[bank].Name),
				Text: fmt.Sprintf("Code reads other data than the constants of '%s', which equal constants of another input displace, as with nvlink %s", name, l.Release.Name)})
		}
	}
}

// pieceOf returns the piece of a bank in which a symbol lies, nil for none. The
// pieces are in the order of their places.
func (l *Layout) pieceOf(bank model.SecID, pieces []model.Chunk, sym model.SymID) *model.Chunk {
	if sym == model.Absent || l.Syms[sym].Sec != bank {
		return nil
	}
	at := l.Syms[sym].Value
	i, found := slices.BinarySearchFunc(pieces, at, func(c model.Chunk, at uint64) int { return cmp.Compare(c.Off, at) })
	if !found {
		i--
	}
	if i < 0 || at-pieces[i].Off >= pieces[i].Size {
		return nil
	}
	return &pieces[i]
}
