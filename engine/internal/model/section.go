package model

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// Section is a section of the image in the making; what it is made of are Parts.
type Section struct {
	Name   names.ID
	Type   cuda.SectionType
	Flags  cuda.SectionFlags
	Align  uint64
	Size   uint64
	Owner  SecID // the .text a per-function section belongs to
	Target SecID // the section a relocation section patches
	Sym    SymID // its SECTION symbol
	Fun    FunID // a .text: its function
	Regs   uint8 // a .text: register count, top byte of sh_info

	Deleted bool
	Emptied bool // compiler constants of a definition that was replaced
	Present bool // in the image even if empty
	Stray   bool // compiler constants of losing definitions alone
	Mute    bool // has no SECTION symbol in the image
	Made    bool // the link makes its content, which is never empty
	Moved   bool // a compiler-constant unit that layout gave to kernels

	Off   uint64 // in the image
	Index uint32 // in the image; 0 is not there

	// Beside is the name of an empty relocation section that follows this one and of
	// which nothing but its name is asked; 0 for none. See AddBeside.
	Beside names.ID
}

// Parts are what a section is made of. They are beside the table of sections:
// passes over all sections don't ask for them.
type Parts struct {
	Chunks []Chunk
	Relocs []Reloc         // a relocation section's records in reading order
	Info   *AttributeLists // an .nv.info.<f>'s records, nil for none

	FirstOwned, NextOwned SecID // a .text: the sections that belong to it; the next of those of its owner
	FirstRel, NextRel     SecID // the relocation sections that patch this one; the next for its target
}

// Chunk is what one input section contributed.
type Chunk struct {
	Off   uint64
	Size  uint64
	Align uint64
	Data  []byte // nil for a section without bits
	File  int32  // the input, absent for an option's bytes, and the number of its section
	From  uint32
}

// IsMergeable reports whether the search for equal constants looks at a piece:
// it has lists for these sizes.
func (c *Chunk) IsMergeable() bool {
	switch c.Size {
	case 4, 8:
		return c.Align == c.Size
	case 12, 16, 20, 24, 32, 48, 64:
		return true
	}
	return false
}

// NewOwned makes a section that belongs to a function.
func (l *Program) NewOwned(text SecID, name names.ID, typ cuda.SectionType, flags cuda.SectionFlags, align uint64) SecID {
	if typ == cuda.SHTCudaInfo {
		flags |= l.InfoFlags()
	}
	id := l.NewSection(name, typ, flags, align)
	l.Own(text, id)
	return id
}

// SharedFor finds or makes .nv.shared.<k>. It is looked up by name: static kernels of one name
// have one, which belongs to the first.
func (l *Program) SharedFor(text SecID, kernel names.ID) (id SecID, made bool) {
	name := l.SharedName(kernel)
	if id := l.SharedNamed(name); id != Absent {
		return id, false
	}
	id = l.NewOwned(text, name, cuda.SHTCudaShared, l.InfoFlags()|cuda.SHFWrite|cuda.SHFAlloc, 1)
	l.SetUnowned(name, id)
	return id, true
}

// SharedName is what the section of a kernel's shared variables is called.
func (l *Program) SharedName(kernel names.ID) names.ID {
	return l.Names.ID(".nv.shared." + l.Names.Str(kernel))
}

// SharedNamed finds the section of a name that some kernel has for its shared variables.
func (l *Program) SharedNamed(name names.ID) SecID {
	id := l.Unowned(name)
	if id == Absent || l.Secs[id].Owner == Absent || l.Secs[id].Type != cuda.SHTCudaShared {
		return Absent
	}
	return id
}

func (l *Program) Own(text, id SecID) {
	l.Secs[id].Owner = text
	at := &l.Parts[text].FirstOwned
	for *at != Absent {
		at = &l.Parts[*at].NextOwned
	}
	*at = id
}

// Disown takes a section from the code that has it.
func (l *Program) Disown(text, id SecID) {
	at := &l.Parts[text].FirstOwned
	for *at != id {
		at = &l.Parts[*at].NextOwned
	}
	*at, l.Parts[id].NextOwned = l.Parts[id].NextOwned, Absent
}

// NewRelocSection makes an empty relocation section.
func (l *Program) NewRelocSection(name names.ID, typ cuda.SectionType, flags cuda.SectionFlags, target SecID) SecID {
	id := l.NewSection(name, typ, flags, 8)
	l.Secs[id].Target = target
	at := &l.Parts[target].FirstRel
	for *at != Absent {
		at = &l.Parts[*at].NextRel
	}
	*at = id
	return id
}

// Fill has a section, and the relocations that it has, stay after all.
func (l *Program) Fill(id SecID) {
	l.Secs[id].Deleted = false
	for r := l.Parts[id].FirstRel; r != Absent; r = l.Parts[r].NextRel {
		l.Secs[r].Deleted = false
	}
}

// IsOfChunks reports whether a section is its chunks, one after the other.
func (l *Program) IsOfChunks(id SecID) bool { return AreWhole(l.Parts[id].Chunks, l.Secs[id].Size) }

// AreWhole reports whether chunks lie one after the other in so many bytes.
func AreWhole(chunks []Chunk, size uint64) bool {
	at := uint64(0)
	for i := range chunks {
		c := &chunks[i]
		if c.Off < at || uint64(len(c.Data)) != c.Size {
			return false
		}
		at = c.Off + c.Size
	}
	return len(chunks) > 0 && at <= size
}

// NewSection appends a section and its SECTION symbol.
func (l *Program) NewSection(name names.ID, typ cuda.SectionType, flags cuda.SectionFlags, align uint64) SecID {
	id := l.NewBareSection(name, typ, flags, align)
	l.NewSectionSymbol(id)
	return id
}

// NewBareSection appends a section without a symbol.
func (l *Program) NewBareSection(name names.ID, typ cuda.SectionType, flags cuda.SectionFlags, align uint64) SecID {
	id := SecID(len(l.Secs))
	l.Secs = append(l.Secs, Section{
		Name: name, Type: typ, Flags: flags, Align: align,
		Owner: Absent, Target: Absent, Sym: Absent, Fun: Absent,
	})
	l.Parts = append(l.Parts, Parts{FirstOwned: Absent, NextOwned: Absent, FirstRel: Absent, NextRel: Absent})
	if l.Release.EarlyStrings {
		l.Shstr.Add(name)
	}
	return id
}

// AddBeside notes an empty relocation section after the last one, with the same
// target. It has a number and leaves two names, but no record of its own: a link has
// one for each function, and every pass would ask for it.
func (l *Program) AddBeside(id SecID, name names.ID) {
	l.Secs[id].Beside = name
	l.Besides++
	if l.Release.EarlyStrings {
		l.Shstr.Add(name)
		l.Str.Add(name)
	}
}

// HasRelocSection reports whether a target has a relocation section of that name, or
// a name of one.
func (l *Program) HasRelocSection(target SecID, name names.ID) bool {
	for id := l.Parts[target].FirstRel; id != Absent; id = l.Parts[id].NextRel {
		if s := &l.Secs[id]; s.Name == name || s.Beside == name {
			return true
		}
	}
	return false
}

// Owned finds a section of a function, by name.
func (l *Program) Owned(owner SecID, name names.ID) SecID {
	for id := l.Parts[owner].FirstOwned; id != Absent; id = l.Parts[id].NextOwned {
		if l.Secs[id].Name == name && l.Secs[id].Target == Absent {
			return id
		}
	}
	return Absent
}

// RelocSection finds the relocation section of that name for a target.
func (l *Program) RelocSection(target SecID, name names.ID) SecID {
	for id := l.Parts[target].FirstRel; id != Absent; id = l.Parts[id].NextRel {
		if l.Secs[id].Name == name {
			return id
		}
	}
	return Absent
}

// IsPatched reports whether the link changes bytes that inputs gave a section.
func (l *Program) IsPatched(id SecID) bool {
	for in := l.Parts[id].FirstRel; in != Absent; in = l.Parts[in].NextRel {
		if l.Secs[in].Deleted {
			continue
		}
		relocs := l.Parts[in].Relocs
		for j := range relocs {
			if d := relocs[j].Disposition; d == Applied || d == Cleared {
				return true
			}
		}
	}
	return false
}

// BankOf is the number of the constant bank that sections of a type are. Types
// that are no bank have one too, by the same subtraction: a field of five bits
// takes 6 for shared memory, 28 for no section.
func BankOf(t cuda.SectionType) uint32 { return uint32(t) - uint32(cuda.SHTCudaConstant0) }

// Raise adds the alignment to the size of a section that is no longer than it.
func (s *Section) Raise() {
	s.Mute = s.Size == 0
	if s.Present && s.Size <= s.Align {
		s.Size += s.Align
	}
}
