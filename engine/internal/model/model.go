package model

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// What a link is made of: sections in the order of their creation, symbols in
// the order of theirs, functions. Order is the essence: the order of the
// image's sections, symbols, names and relocations all follow from it.

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

// InfoFlags is what per-function sections that the link makes itself carry.
func (l *Program) InfoFlags() cuda.SectionFlags {
	if l.Release.InfoLink {
		return cuda.SHFInfoLink
	}
	return 0
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

// Blank returns n elements that are absent, reusing s where it is long enough.
func Blank[T ~int32](s []T, n int) []T {
	if cap(s) < n {
		s = make([]T, n)
	}
	s = s[:n]
	for i := range s {
		s[i] = Absent
	}
	return s
}

type (
	SecID int32 // index into linker.secs; absent is -1
	SymID int32 // index into linker.syms; absent is -1
	FunID int32 // index into linker.funs; absent is -1
)

const Absent = -1

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

// Parts are what a section is made of. They stand beside the table of sections:
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

// IsOfChunks reports whether a section is its chunks, one behind the other.
func (l *Program) IsOfChunks(id SecID) bool { return AreWhole(l.Parts[id].Chunks, l.Secs[id].Size) }

// AreWhole reports whether chunks lie one behind the other in so many bytes.
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

// Symbol is a symbol of the image in the making.
type Symbol struct {
	Name  names.ID
	Info  uint8
	Other uint8
	Flags SymFlags
	Sec   SecID // where it is defined
	Fun   FunID // a function's
	File  int32 // input that defined it, or first named it
	At    int32 // moment of its creation, or of the definition that filled it
	Value uint64
	Size  uint64
	Index uint32 // in the image; 0 is not there
}

type SymFlags uint16

const (
	SymGlobal   SymFlags = 1 << iota // in the global list: GLOBAL, or first seen undefined
	SymDefined                       // has a definition
	SymCommon                        // a tentative definition waits for layout
	SymDead                          // removed
	SymNameless                      // the FUNC symbol without a name
	SymLaid                          // a shared variable that layout placed; value is its offset
	SymOwned                         // a shared variable read from a kernel's own section
	SymDynamic                       // an "extern __shared__ x[]" that layout placed
	SymSized                         // an "extern __shared__ x[]" of which another input had a definition: it has no place
	SymSettled                       // a tentative definition that a strong one without data joined
	SymCrossed                       // a tentative definition to which a weak one with data lost
	SymTwice                         // a weak shared variable that a strong one replaced: it takes its place twice
)

func (s *Symbol) Is(f SymFlags) bool { return s.Flags&f != 0 }

func (s *Symbol) Type() cuda.SymbolType { return cuda.SymbolType(s.Info & 0xf) }

func (s *Symbol) Binding() cuda.Binding { return cuda.Binding(s.Info >> 4) }

// Space returns the memory space bits of st_other of an object.
func (s *Symbol) Space() uint8 { return s.Other & cuda.STOSpace }

// IsShared reports whether the symbol is a variable in shared memory.
func (s *Symbol) IsShared() bool {
	return s.Type() == cuda.STTCudaObject && s.Space() == cuda.STOShared
}

// IsReservedShared reports whether the symbol is a variable in the part of
// shared memory that the driver reserves. The finalizer gives it its address.
func (s *Symbol) IsReservedShared() bool {
	return s.Type() == cuda.STTCudaObject && s.Space() == cuda.STOReservedShared && s.Is(SymDefined)
}

// IsExternShared reports whether it is an "extern __shared__ x[]".
func (s *Symbol) IsExternShared() bool {
	return s.IsShared() && s.Size == 0 && !s.Is(SymDefined) || s.Is(SymDynamic|SymSized)
}

// IsTexture reports whether the symbol is a texture, sampler or surface.
func (s *Symbol) IsTexture() bool { return IsTextureType(s.Type()) }

func IsTextureType(t cuda.SymbolType) bool {
	return t == cuda.STTCudaTexture || t == cuda.STTCudaSampler || t == cuda.STTCudaSurface
}

// Reloc is a relocation of the image in the making.
type Reloc struct {
	Off     uint64 // in the target section
	Addend  int64
	Base    uint64 // SECTION symbols: where the module's part of that section begins
	Type    uint32
	Sym     SymID
	File    int32
	NewType uint32 // type to write if kept
	More    int32  // what else is known of it, by number; 0 for nothing

	Disposition Disposition
	Rel         bool // read from a REL section
	Fits        bool // no check refuses it; where false, one may
}

// RelocMore is what links that keep resolved records, and those of Mercury, know of a
// relocation besides.
type RelocMore struct {
	Seq  int32  // place among all records in reading order
	From uint32 // Mercury: symbol's index in the input
	// Mercury, a record of code: its place on the SASS side and its type there
	// (0: the SASS side has none), its place in the capsule (0: not stored).
	SASSOff, SASSType, CapOff uint32
	AtField                   bool // at the last word of an instruction
}

// MoreOf returns what else is known of a relocation.
func (l *Program) MoreOf(r *Reloc) *RelocMore { return &l.More[r.More] }

// RelocSize is the size of a record in a section of a type.
func RelocSize(t cuda.SectionType) uint64 {
	if t == cuda.SHTRel {
		return cubin.RelSize
	}
	return cubin.RelaSize
}

// Disposition is what happens to a relocation.
type Disposition uint8

const (
	Undecided Disposition = iota
	Dropped
	Cleared // its place is zeroed, the record goes
	Applied
	Kept
)

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

// AddBeside notes an empty relocation section behind the last one, with the same
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

// NewSectionSymbol appends the SECTION symbol of a section.
func (l *Program) NewSectionSymbol(id SecID) {
	sym := l.NewSymbol(Symbol{Name: l.Secs[id].Name, Info: uint8(cuda.STTSection), Sec: id, Flags: SymDefined})
	l.Secs[id].Sym = sym
}

// NewSymbol appends a symbol to the list its flags name.
func (l *Program) NewSymbol(s Symbol) SymID {
	id := SymID(len(l.Syms))
	s.At = l.Moment()
	if s.Type() != cuda.STTFunc {
		s.Fun = Absent
	}
	l.Syms = append(l.Syms, s)
	if l.Release.EarlyStrings {
		if s.Is(SymNameless) {
			l.Str.AddEmpty()
		} else {
			l.Str.Add(s.Name)
		}
	}
	return id
}

// Moment numbers creations and definitions.
func (l *Program) Moment() int32 {
	l.clock++
	return l.clock
}

// Unowned looks up a section that belongs to no function, by name.
func (l *Program) Unowned(name names.ID) SecID {
	if int(name) < len(l.SecOf) {
		return l.SecOf[name] - 1
	}
	return Absent
}

func (l *Program) SetUnowned(name names.ID, id SecID) {
	l.SecOf = extend(l.SecOf, int(name))
	l.SecOf[name] = id + 1
}

// Lookup finds a symbol that is not LOCAL, by name.
func (l *Program) Lookup(name names.ID) SymID {
	if id := l.LookupAny(name); id != Absent && l.Syms[id].Binding() != cuda.STBLocal {
		return id
	}
	return Absent
}

// LookupAny finds the symbol of a name that is not LOCAL, or where there is none
// the first LOCAL one.
func (l *Program) LookupAny(name names.ID) SymID {
	if int(name) < len(l.SymOf) {
		return l.SymOf[name] - 1
	}
	return Absent
}

// SetLookup makes a symbol one that is found by its name. A LOCAL one gives way
// to those before it and to any that is not LOCAL.
func (l *Program) SetLookup(name names.ID, id SymID) {
	l.SymOf = extend(l.SymOf, int(name))
	if l.SymOf[name] == 0 || l.Syms[id].Binding() != cuda.STBLocal {
		l.SymOf[name] = id + 1
	}
}

// extend makes s long enough to hold index i.
func extend[T any](s []T, i int) []T {
	if i < len(s) {
		return s
	}
	return append(s, make([]T, max(i+1-len(s), len(s)))...)
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

// AlignUp rounds up to a multiple of align, or of 1 where that is 0. Where -r put dynamic shared memory,
// a later link takes for an alignment, which then is no power of two.
func AlignUp(v, align uint64) uint64 {
	if align <= 1 {
		return v
	}
	if align&(align-1) != 0 {
		return (v + align - 1) / align * align
	}
	return (v + align - 1) &^ (align - 1)
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

// Unplaced is the value of what layout gave no place.
const Unplaced = ^uint64(0)

// MaxSection bounds the size of a section: no memory space of a device is
// larger, and offsets stay far from overflow.
const MaxSection = 1 << 40

// IsDynamicAlignment reports whether the value of undefined dynamic shared memory is an alignment: that of
// what -r left is where it put the memory, which a later link takes for one.
func IsDynamicAlignment(n uint64) bool { return n <= MaxSection }

// IsAlignment reports whether offsets can be aligned to n; 0 is no alignment.
func IsAlignment(n uint64) bool { return n&(n-1) == 0 && n <= MaxSection }
