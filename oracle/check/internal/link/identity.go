package link

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// Identity is what a name stands for in the whole link: one function, object
// or image, however many modules mention it. A local name has an identity for
// each module that defines it.
type Identity struct {
	Name  string
	Order int // of first mention; orders of shared memory and image slots follow it
	Local bool
	Early bool // stands among the local symbols: local, or weak when first seen

	// Taken over from the definition, or from the first mention where there
	// is none.
	Info, Other byte
	Size        uint64
	File        string

	Def                *image.Symbol // nil: nothing defines it
	Mod                *Module       // of def
	Mentioned, Defined int           // moments of the first mention and the first definition

	Code        *Body   // functions: the code that won
	Several     bool    // it has other definitions
	Definitions []*Body // all of a function, in the order of the modules
	Duplicate   bool    // static: another input has a function of its name and code

	// Objects.
	Common     bool   // no definition but a common one; size and align are the largest
	Align      uint64 // commons and shared variables
	FirstAlign uint64 // commons: of the first mention
	At         *Area  // where it lies
	Value      uint64 // its offset there
	Placed     bool
	Foreign    uint64 // st_value of the first mention that defines nothing
	Named      bool   // by a record that stays

	// Call graph.
	Node      int32 // in the graph
	Calls     callees
	MayCall   callees         // by definitions that lost
	MayName   map[string]bool // prototypes that those name
	Edges     callees
	Indirect  []string // prototypes it calls through
	Prototype string   // its own, "" for none
	Taken     bool     // its address is taken
	Typed     bool     // prototype came with the taking
	Asked     bool     // a kernel that must be there
	Reached   bool     // from such a kernel
	Live      bool     // it is in the output, or must be

	Out int // symbol index in the output, 0: not matched
}

func (d *Identity) Kind() cuda.SymbolType { return cuda.SymbolType(d.Info % 16) }
func (d *Identity) Bind() cuda.Binding    { return cuda.Binding(d.Info / 16) }
func (d *Identity) Function() bool        { return d.Kind() == cuda.STTFunc }

// SharesCode reports whether a function's code isn't its alone: it has none, or one of several
// definitions, or one with several names.
func (d *Identity) SharesCode() bool {
	return d.Code == nil || d.Several || len(d.Code.Names) > 1
}

// String returns the name.
func (d *Identity) String() string {
	if d == nil {
		return ""
	}
	return d.Name
}

func (d *Identity) Kernel() bool { return d.Function() && d.Other&cuda.STOEntry != 0 }
func (d *Identity) Image() bool {
	k := d.Kind()
	return k == cuda.STTCudaTexture || k == cuda.STTCudaSampler || k == cuda.STTCudaSurface
}
func (d *Identity) Space() byte { return d.Other & cuda.STOSpace }

// First is the function that a second name of its code (PTX .alias) stands for.
func (d *Identity) First() *Identity {
	if d != nil && d.Code != nil && d.Code.Owner != nil {
		return d.Code.Owner
	}
	return d
}

// Inside reports whether a function is inside a kernel's code (-ewp).
func (d *Identity) Inside() bool { return d != nil && d.Function() && d.Def != nil && d.Def.Value != 0 }

// Meant is what a record means that names it: a function inside a kernel, and else the first that its code has.
func (d *Identity) Meant() *Identity {
	if d.Inside() {
		return d
	}
	return d.First()
}

// ExternShared reports whether the object is an array of unknown length in
// shared memory, extern __shared__ x[]. nvlink 13.2 and later define it with -r, and a
// second link treats it as before.
func (d *Identity) ExternShared() bool {
	return d.Kind() == cuda.STTCudaObject && d.Space() == cuda.STOShared && d.Size == 0 && !d.Common
}

// Unified names the eight symbols of the unified tables, which only the driver
// defines.
func Unified(name string) bool {
	switch name {
	case "__UFT", "__UDT", "__UFT_END", "__UDT_END", "__UFT_OFFSET", "__UDT_OFFSET", "__UFT_CANONICAL", "__UDT_CANONICAL":
		return true
	}
	return false
}

// MayBeOf reports whether a function's prototype is, or some definition of it says, a given one.
func (d *Identity) MayBeOf(prototype string) bool {
	return d.Prototype == prototype || d.MayName[prototype]
}

// InShared reports whether a variable is in shared memory, or of what the system keeps of it.
func (d *Identity) InShared() bool {
	return d.Space() == cuda.STOShared || d.Space() == cuda.STOReservedShared || strings.HasPrefix(d.Name, ".nv.reservedSmem.")
}

func (d *Identity) ConstantSize() bool {
	return d.Name == constantSize && d.Local && d.Def == nil
}

// MayTell notes a prototype that a definition which lost names.
func (d *Identity) MayTell(prototype string) {
	if d.MayName == nil {
		d.MayName = map[string]bool{}
	}
	d.MayName[prototype] = true
}

// StandIn reports whether a symbol stands for arrays of unknown length. A final link
// gives the same place to all of a kernel's.
func (i *Identity) StandIn() bool {
	return i != nil && i.Name == ExternInstance && i.Space() == cuda.STOShared
}
