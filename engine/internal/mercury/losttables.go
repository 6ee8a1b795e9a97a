package mercury

import (
	"encoding/binary"
	"fmt"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// jumpTargets holds, by section of code, the Mercury offsets that a function's attributes
// call targets of indirect branches.
type jumpTargets map[model.SecID]map[uint64]bool

// has reports whether an offset of a function's code is a target.
func (t jumpTargets) has(l *Backend, text model.SecID, off uint64) bool {
	known, ok := t[text]
	if !ok {
		known = l.readJumpTargets(text)
		t[text] = known
	}
	return known[off]
}

func (l *Backend) readJumpTargets(text model.SecID) map[uint64]bool {
	targets := make(map[uint64]bool)
	info := l.Funs[l.Secs[text].Fun].Info
	if info == model.Absent {
		return targets
	}
	records := l.Parts[info].Records()
	for i := range records {
		r := &records[i]
		if r.Attr != cuda.AttrIndirectBranchTargets || r.Gone {
			continue
		}
		data := r.Data()
		_ = capsule.VisitBranches(data, func(int) {}, func(at int) { targets[uint64(binary.LittleEndian.Uint32(data[at:]))] = true })
	}
	return targets
}

// sayLostTables warns of each function whose jump table gets addresses of 0: nvlink up to 13.4 also
// applies the relocations of the table of a definition that was replaced, last.
func (l *Backend) sayLostTables() {
	if l.IsRelocatable() {
		return
	}
	said, targets := make(map[model.SecID]bool), make(jumpTargets)
	for i := range l.Secs {
		if !l.Secs[i].Emptied || len(l.Parts[i].Chunks) == 0 {
			continue
		}
		for rela := l.Parts[i].FirstRel; rela != model.Absent; rela = l.Parts[rela].NextRel {
			for j := range l.Parts[rela].Relocs {
				r := &l.Parts[rela].Relocs[j]
				if r.Sym == model.Absent || l.Syms[r.Sym].Sec < 0 || said[l.Syms[r.Sym].Sec] {
					continue
				}
				text := l.Syms[r.Sym].Sec
				if l.opened(text) == nil || targets.has(l, text, uint64(r.Addend)) {
					continue
				}
				said[text] = true
				file := l.FileName(l.Funs[l.Secs[text].Fun].From)
				l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Displaced, File: file, Section: l.Names.Str(l.Secs[i].Name), Offset: r.Off,
					Text: fmt.Sprintf("Jump table of '%s' in '%s' has addresses of 0, as with nvlink %s, because it replaces a definition that has one", l.SymName(r.Sym), file, l.Release.Name)})
			}
		}
	}
}

// sayForeign warns of lists of resolved records that several functions of one name share: nvlink puts those of
// all into one section and looks each up in the code of the first.
func (l *Backend) sayForeign() {
	for i := range l.Secs {
		text := l.Secs[i].Target
		if l.Secs[i].Type != cuda.SHTCudaResolvedRela || text == model.Absent || l.Secs[text].Fun == model.Absent {
			continue
		}
		for _, p := range l.Resolved[model.SecID(i)] {
			if l.Secs[p.Sec].Target == text {
				continue
			}
			l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Displaced, Section: l.Names.Str(l.Secs[i].Name),
				Text: fmt.Sprintf("Records in %s belong to several functions of that name, and may differ from nvlink's", l.Names.Str(l.Secs[i].Name))})
			break
		}
	}
}
