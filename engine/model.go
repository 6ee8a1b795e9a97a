package engine

import (
	"github.com/twinlink/twinlink/cuda"
)

// What a link is made of: sections in the order of their creation, symbols in
// the order of theirs, functions. Order is the essence: the order of the
// image's sections, symbols, names and relocations all follow from it.

type (
	secID int32 // index into linker.secs; absent is -1
	symID int32 // index into linker.syms; absent is -1
	funID int32 // index into linker.funs; absent is -1
)

const absent = -1

// section is a section of the image in the making.
type section struct {
	name   nameID
	typ    cuda.SectionType
	flags  cuda.SectionFlags
	align  uint64
	size   uint64
	owner  secID // the .text a per-function section belongs to
	target secID // the section a relocation section patches
	sym    symID // its SECTION symbol
	fun    funID // a .text: its function
	regs   uint8 // a .text: register count, top byte of sh_info

	deleted bool
	emptied bool // compiler constants of a definition that was replaced
	present bool // in the image even if empty
	stray   bool // compiler constants of losing definitions alone
	mute    bool // has no SECTION symbol in the image
	made    bool // the link makes its content, which is never empty
	moved   bool // a compiler-constant unit that layout gave to kernels

	owned  []secID // a .text: the sections that belong to it
	rels   []secID // relocation sections that patch this one
	chunks []chunk
	relocs []reloc    // a relocation section's records in reading order
	info   *infoLists // an .nv.info.<f>'s records, nil for none

	off     uint64 // in the image
	index   uint32 // in the image; 0 is not there
	nameOff uint32
}

// chunk is what one input section contributed.
type chunk struct {
	off   uint64
	size  uint64
	align uint64
	data  []byte // nil for a section without bits
	file  int32  // the input and the number of its section
	from  uint32
}

// symbol is a symbol of the image in the making.
type symbol struct {
	name  nameID
	info  uint8
	other uint8
	flags symFlags
	sec   secID // where it is defined
	fun   funID // a function's
	file  int32 // input that defined it, or first named it
	at    int32 // moment of its creation, or of the definition that filled it
	value uint64
	size  uint64
	index uint32 // in the image; 0 is not there
}

type symFlags uint8

const (
	symGlobal   symFlags = 1 << iota // in the global list: GLOBAL, or first seen undefined
	symDefined                       // has a definition
	symCommon                        // a tentative definition waits for layout
	symDead                          // removed
	symNameless                      // the FUNC symbol without a name
	symLaid                          // a shared variable that layout placed; value is its offset
	symOwned                         // a shared variable read from a kernel's own section
	symDynamic                       // an "extern __shared__ x[]" that layout placed
)

func (s *symbol) is(f symFlags) bool { return s.flags&f != 0 }

func (s *symbol) typ() cuda.SymbolType  { return cuda.SymbolType(s.info & 0xf) }
func (s *symbol) binding() cuda.Binding { return cuda.Binding(s.info >> 4) }

// space returns the memory space bits of st_other of an object.
func (s *symbol) space() uint8 { return s.other & cuda.STOSpace }

// isShared reports whether the symbol is a variable in shared memory.
func (s *symbol) isShared() bool {
	return s.typ() == cuda.STTCudaObject && s.space() == cuda.STOShared
}

// isReservedShared reports whether the symbol is a variable in the part of
// shared memory that the driver reserves. The finalizer gives it its address.
func (s *symbol) isReservedShared() bool {
	return s.typ() == cuda.STTCudaObject && s.space() == cuda.STOReservedShared && s.is(symDefined)
}

// isExternShared reports whether it is an "extern __shared__ x[]".
func (s *symbol) isExternShared() bool {
	return s.isShared() && s.size == 0 && !s.is(symDefined) || s.is(symDynamic)
}

// isImage reports whether the symbol is a texture, sampler or surface.
func (s *symbol) isImage() bool { return isImageType(s.typ()) }

func isImageType(t cuda.SymbolType) bool {
	return t == cuda.STTCudaTexture || t == cuda.STTCudaSampler || t == cuda.STTCudaSurface
}

// reloc is a relocation of the image in the making.
type reloc struct {
	off    uint64 // in the target section
	addend int64
	base   uint64 // SECTION symbols: where the module's part of that section begins
	typ    uint32
	sym    symID
	file   int32
	newTyp uint32 // type to write if kept
	from   uint32 // Mercury: symbol's index in the input
	// Mercury, a record of code: its place on the SASS side and its type there
	// (0: the SASS side has none), its place in the capsule (0: not stored).
	sassOff, sassTyp, capOff uint32
	seq                      int32 // place among all records in reading order
	fate                     fate
	rel                      bool // read from a REL section
	atField                  bool // Mercury, code: at the last word of an instruction
}

// fate is what happens to a relocation.
type fate uint8

const (
	undecided fate = iota
	dropped
	cleared // its place is zeroed, the record goes
	applied
	kept
)

// newSection appends a section and its SECTION symbol.
func (l *linker) newSection(name nameID, typ cuda.SectionType, flags cuda.SectionFlags, align uint64) secID {
	id := l.newBareSection(name, typ, flags, align)
	l.newSectionSymbol(id)
	return id
}

// newBareSection appends a section without a symbol.
func (l *linker) newBareSection(name nameID, typ cuda.SectionType, flags cuda.SectionFlags, align uint64) secID {
	id := secID(len(l.secs))
	l.secs = append(l.secs, section{
		name: name, typ: typ, flags: flags, align: align,
		owner: absent, target: absent, sym: absent, fun: absent,
	})
	if l.prof.earlyStrings {
		l.shstr.add(name)
	}
	return id
}

// newSectionSymbol appends the SECTION symbol of a section.
func (l *linker) newSectionSymbol(id secID) {
	sym := l.newSymbol(symbol{name: l.secs[id].name, info: uint8(cuda.STTSection), sec: id, flags: symDefined})
	l.secs[id].sym = sym
}

// newSymbol appends a symbol to the list its flags name.
func (l *linker) newSymbol(s symbol) symID {
	id := symID(len(l.syms))
	s.at = l.moment()
	if s.typ() != cuda.STTFunc {
		s.fun = absent
	}
	l.syms = append(l.syms, s)
	if l.prof.earlyStrings {
		if s.is(symNameless) {
			l.str.addEmpty()
		} else {
			l.str.add(s.name)
		}
	}
	return id
}

// moment numbers creations and definitions.
func (l *linker) moment() int32 {
	l.clock++
	return l.clock
}

// unowned looks up a section that belongs to no function, by name.
func (l *linker) unowned(name nameID) secID {
	if int(name) < len(l.secOf) {
		return l.secOf[name] - 1
	}
	return absent
}

func (l *linker) setUnowned(name nameID, id secID) {
	l.secOf = extend(l.secOf, int(name))
	l.secOf[name] = id + 1
}

// lookup finds a symbol that is not LOCAL, by name.
func (l *linker) lookup(name nameID) symID {
	if int(name) < len(l.symOf) {
		return l.symOf[name] - 1
	}
	return absent
}

func (l *linker) setLookup(name nameID, id symID) {
	l.symOf = extend(l.symOf, int(name))
	l.symOf[name] = id + 1
}

// extend makes s long enough to hold index i.
func extend[T any](s []T, i int) []T {
	if i < len(s) {
		return s
	}
	return append(s, make([]T, max(i+1-len(s), len(s)))...)
}

// owned finds a section of a function, by name.
func (l *linker) owned(owner secID, name nameID) secID {
	for _, id := range l.secs[owner].owned {
		if l.secs[id].name == name && l.secs[id].target == absent {
			return id
		}
	}
	return absent
}

// relocSection finds the relocation section of that name for a target.
func (l *linker) relocSection(target secID, name nameID) secID {
	for _, id := range l.secs[target].rels {
		if l.secs[id].name == name {
			return id
		}
	}
	return absent
}

// alignUp rounds up to a multiple of align, a power of two or 0.
func alignUp(v, align uint64) uint64 {
	if align <= 1 {
		return v
	}
	return (v + align - 1) &^ (align - 1)
}

// bankOf is the number of the constant bank that sections of a type are. Types
// that are no bank have one too, by the same subtraction: a field of five bits
// takes 6 for shared memory, 28 for no section.
func bankOf(t cuda.SectionType) uint32 { return uint32(t) - uint32(cuda.SHTCudaConstant0) }
