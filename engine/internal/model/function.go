package model

import (
	"github.com/twinlink/twinlink/engine/internal/names"
)

// Function is what a link knows of a function: defined, or only named.
type Function struct {
	Sym    SymID
	Text   SecID // absent while undefined
	Info   SecID // .nv.info.<f>
	Shared SecID // .nv.shared.<k> of a kernel

	Callees    Calls      // CALL, oldest first
	Icalls     []names.ID // prototypes it calls through, oldest first
	Edges      Calls      // functions whose address it takes, oldest first
	Proto      names.ID
	HasProto   bool  // proto was given, if only as an empty one
	From       int32 // input of the definition that is kept
	Replaced   int32 // definitions before that one
	LikeDriver bool  // a definition of the program's own, called as a function of the driver
	Taken      bool  // its address is taken
	Live       bool
	Whole      bool // its input is a whole program (-ewp)
	Unbounded  bool // its input says that the stack is unknown, as whole programs do of recursion

	Mod [modRecords]int32 // its records in the module list, index + 1

	ReferredAt int32  // when an input named it that had no definition; 0 where the first that did had one
	InfoAt     int32  // when the .nv.info.<f> of the definition that is kept was first read
	InfoMade   int32  // when that section of the output was made, or a later definition's took its place
	Regs       uint32 // REGCOUNT
	Frame      uint32 // FRAME_SIZE
	Barriers   uint32
}

// IsNested reports whether a function is inside the code of another, a kernel that was compiled as a whole program.
func (p *Program) IsNested(f FunID) bool {
	fn := &p.Funs[f]
	return fn.Text != Absent && p.Secs[fn.Text].Fun != f && p.Syms[fn.Sym].Value != 0
}

// Module records of a function that go when its definition is replaced.
const (
	ModRegs = iota
	ModFrame
	ModMaxStack
	ModSamRegion
	modRecords
)

// Calls is a list of functions, and where the part begins that the definition
// that is kept has added: those of one that was replaced stay, and aren't looked
// at again.
type Calls struct {
	List  []FunID
	Since int
}
