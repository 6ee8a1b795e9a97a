package model

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/names"
)

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

// IsOpenVariable reports whether it is a variable that nothing defines.
func (s *Symbol) IsOpenVariable() bool {
	return s.Type() == cuda.STTCudaObject && !s.Is(SymDefined|SymDead|SymCommon)
}

// IsTexture reports whether the symbol is a texture, sampler or surface.
func (s *Symbol) IsTexture() bool { return IsTextureType(s.Type()) }

func IsTextureType(t cuda.SymbolType) bool {
	return t == cuda.STTCudaTexture || t == cuda.STTCudaSampler || t == cuda.STTCudaSurface
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
