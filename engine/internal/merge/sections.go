package merge

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// mergeShared keeps a section of shared memory for what it holds without a symbol; others are made of their
// variables. A whole program (-ewp) has no such symbols, and an empty section of it stands for dynamic ones.
func (l *merger) mergeShared(m *module, i int, s *cubin.Section) error {
	whole := m.file.Header.Type == cuda.ETEwp
	bare := s.Size > 0 && s.Owner() != 0 && !l.ShowsDebug() && (whole || l.Release.KeepsBareShared)
	empty := s.Size == 0 && whole && (s.Owner() != 0 || l.Release.KeepsEmptyPool)
	if !bare && !empty {
		return nil
	}
	if err := l.mergeSection(m, i, s); err != nil || bare {
		return err
	}
	if id := m.sec[i]; id != lost && !l.isOfHidden(id) {
		l.Secs[id].Present = true
	}
	return nil
}

// isOfHidden reports whether a section belongs to a kernel that a filter hides.
func (l *merger) isOfHidden(id model.SecID) bool {
	text := l.Secs[id].Owner
	return text >= 0 && l.Secs[text].Fun != model.Absent && l.IsHidden(&l.Funs[l.Secs[text].Fun])
}

// isTable reports whether the image has its own section of a type, so that an
// input's is read and not copied.
func isTable(t cuda.SectionType) bool {
	switch t {
	case cuda.SHTNull, cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTSymtabShndx, cuda.SHTNote,
		cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaInfo, cuda.SHTCudaCallgraph,
		cuda.SHTCudaPrototype, cuda.SHTCudaCompat, cuda.SHTCudaHost, cuda.SHTCudaResolvedRela, cuda.SHTCudaRelocInfo:
		return true
	}
	return false
}

// mergeSection appends input section i to its section of the image.
func (l *merger) mergeSection(m *module, i int, s *cubin.Section) error {
	if m.sec[i] != model.Absent {
		return nil
	}
	if s.Align&(s.Align-1) != 0 {
		return m.fault(cubin.BadHeader, s, s.Off, s.Align, "sh_addralign is not a power of two")
	}
	id, err := l.sectionFor(m, s)
	if err != nil {
		return err
	}
	m.sec[i] = id
	if id == lost || s.Type == cuda.SHTCudaConstant0 && l.sharesParams(m, id, s) {
		return nil
	}
	if s.Type == cuda.SHTCudaConstant0+2 && s.Owner() != 0 && m.sec[s.Owner()] != lost {
		if end := m.dataEnd(i); end == 0 && s.Size > 0 && len(l.Parts[id].Chunks) == 0 {
			l.Secs[id].Stray = true // the table of a definition that lost, as an earlier link left it
		} else if end != 0 && end < s.Size {
			s = shortened(s, end)
		}
	}
	base, err := l.appendChunk(m, id, i, s)
	m.base[i] = base
	return err
}

// dataEnd is where the last symbol of data in a section of compiler constants ends. A jump table that an
// earlier link left of a definition that lost has no symbol; after those of the one that is kept it goes.
func (m *module) dataEnd(i int) uint64 {
	if m.dataEnds == nil {
		m.dataEnds = make(map[uint32]uint64)
		for k := range m.syms {
			if sym := &m.syms[k]; sym.Type() == cuda.STTCudaObject && sym.Value+sym.Size >= sym.Size {
				at := m.tab.Shndx(k, sym)
				m.dataEnds[at] = max(m.dataEnds[at], sym.Value+sym.Size)
			}
		}
	}
	return m.dataEnds[uint32(i)]
}

// shortened returns a section with fewer bytes.
func shortened(s *cubin.Section, size uint64) *cubin.Section {
	short := *s
	short.Size = size
	return &short
}

// copyNote appends a note to those of its name, where the release knows them for nothing else.
func (l *merger) copyNote(m *module, i int, s *cubin.Section) error {
	if !l.Release.NotesAreData {
		return nil
	}
	name := l.Names.ID(m.file.SectionName(s))
	id := l.Unowned(name)
	if id == model.Absent {
		id = l.NewSection(name, s.Type, s.Flags, s.Align)
		l.SetUnowned(name, id)
		l.Secs[id].Mute = true
	}
	_, err := l.appendChunk(m, id, i, s)
	return err
}

// appendChunk adds the bytes of an input section at the next multiple of its
// alignment and returns where they begin.
func (l *merger) appendChunk(m *module, id model.SecID, i int, s *cubin.Section) (uint64, error) {
	out := &l.Secs[id]
	base := model.AlignUp(out.Size, s.Align)
	if err := l.spend(m, s, base-out.Size); err != nil {
		return 0, err
	}
	if s.Size > model.MaxSection || base > model.MaxSection {
		return 0, m.fault(cubin.OverBudget, s, s.Off, s.Size, "a section of that many bytes")
	}
	out.Align = max(out.Align, s.Align)
	out.Size = base + s.Size
	if s.Size > 0 {
		parts := &l.Parts[id]
		parts.Chunks = append(l.chunkLists.Room(parts.Chunks, 1), model.Chunk{Off: base, Size: s.Size, Align: s.Align, Data: m.file.Content(s), File: m.num, From: uint32(i)})
	}
	return base, nil
}

// sectionFor finds or makes the section that takes an input section's bytes.
func (l *merger) sectionFor(m *module, s *cubin.Section) (model.SecID, error) {
	name := l.Names.ID(m.file.SectionName(s))
	owner := s.Owner()
	if owner == 0 {
		if id := l.Unowned(name); id != model.Absent {
			return id, nil
		}
		id := l.NewSection(name, s.Type, s.Flags, s.Align)
		l.SetUnowned(name, id)
		return id, nil
	}
	text, err := l.ownerOf(m, s, owner)
	if err != nil {
		return text, err
	}
	if s.Type == cuda.SHTCudaConstant0 {
		return l.paramBankFor(m, s, owner, name), nil
	}
	if text == lost {
		if _, ok := cubin.ConstantBank(s.Type); ok || s.Type == cuda.SHTCudaShared {
			id := l.straySection(m, s, owner, name)
			if m.twice[owner] {
				return id, l.refuseOverlap(m, s, id)
			}
			return id, nil
		}
		return lost, nil
	}
	if id := l.Owned(text, name); id != model.Absent {
		if out := &l.Secs[id]; out.Stray { // that of a definition that lost stood here
			out.Stray, out.Align = false, s.Align
		}
		l.Fill(id)
		return id, nil
	}
	if s.Type == cuda.SHTCudaShared {
		return l.sharedSection(s, text, name), nil
	}
	return l.NewOwned(text, name, s.Type, s.Flags, s.Align), nil
}

// sharedSection returns the section for shared variables that a kernel has not got yet: another's of that
// name, or one of a kernel that a filter hides.
func (l *merger) sharedSection(s *cubin.Section, text model.SecID, name names.ID) model.SecID {
	id := l.SharedNamed(name)
	if id == model.Absent {
		id = l.NewOwned(text, name, s.Type, s.Flags|l.InfoFlags(), s.Align) // releases before 12.x have no such flag
		l.SetUnowned(name, id)
	}
	l.Funs[l.Secs[text].Fun].Shared = id
	return id
}

// straySection returns the section that takes the compiler constants or the
// shared variables of a losing definition: the winner's, or one of its own that
// the layout of constants will not know of.
func (l *merger) straySection(m *module, s *cubin.Section, owner uint32, name names.ID) model.SecID {
	text := m.winner[owner]
	id := l.Owned(text, name)
	if id == model.Absent {
		id = l.NewOwned(text, name, s.Type, s.Flags, s.Align)
		l.Secs[id].Stray = true
	}
	l.Secs[id].Deleted = false
	return id
}

// ownerOf returns the .text an owned input section belongs to, or lost.
func (l *merger) ownerOf(m *module, s *cubin.Section, owner uint32) (model.SecID, error) {
	if int64(owner) >= int64(len(m.sec)) {
		return model.Absent, m.fault(cubin.BadIndex, s, 0, uint64(owner), "sh_info names no section")
	}
	text := m.sec[owner]
	if text == model.Absent || text != lost && l.Secs[text].Fun == model.Absent {
		return model.Absent, m.fault(cubin.BadIndex, s, 0, uint64(owner), "sh_info names no function's code")
	}
	return text, nil
}

// spend takes n bytes or steps from the link's budget.
func (l *merger) spend(m *module, s *cubin.Section, n uint64) error {
	if n > uint64(max(l.Budget, 0)) {
		return m.fault(cubin.OverBudget, s, 0, n, "memory budget exceeded (64 MB + 8x input size)")
	}
	l.Budget -= int64(n)
	return nil
}
