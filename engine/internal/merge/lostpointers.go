package merge

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// pointerBanks are the banks of the program's own constants and of the slots of position
// independent code; the last two are those of the Mercury side.
var pointerBanks = []string{".nv.constant3", ".nv.constant4", ".nv.constant.user", ".nv.constant.pic"}

// losePointers drops what the constants and slots of earlier inputs, and banks that these made, say of variables
// whose weak definition a strong one of this module replaces: nvlink leaves such pointers zero. Code, and
// data that is no constant, keep theirs. Source: nvlink 12.4.131, 13.0.88 and 13.5.37.
func (l *merger) losePointers(m *module) error {
	if len(m.replaced) == 0 {
		return nil
	}
	for _, name := range pointerBanks {
		bank := l.Unowned(l.Names.ID(name))
		if bank == model.Absent {
			continue
		}
		for rel := l.Parts[bank].FirstRel; rel != model.Absent; rel = l.Parts[rel].NextRel {
			if t := l.Secs[rel].Type; t != cuda.SHTRel && t != cuda.SHTRela {
				continue
			}
			l.Parts[rel].Relocs = slices.DeleteFunc(l.Parts[rel].Relocs, func(r model.Reloc) bool {
				gone := r.Sym != model.Absent && m.replaced[r.Sym]
				if gone {
					l.NotePointer(l.Syms[r.Sym].Name, r.File, bank)
				}
				return gone
			})
		}
	}
	return nil
}
