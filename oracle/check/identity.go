package check

import (
	"github.com/twinlink/twinlink/cuda"
)

// identity is what a name stands for in the whole link: one function, object
// or image, however many modules mention it. A local name has an identity for
// each module that defines it.
type identity struct {
	name  string
	order int // of first mention; orders of shared memory and image slots follow it
	local bool
	early bool // stands among the local symbols: local, or weak when first seen

	// Taken over from the definition, or from the first mention where there
	// is none.
	info, other byte
	size        uint64
	file        string

	def                *symbol // nil: nobody defines it
	mod                *module // of def
	mentioned, defined int     // moments of the first mention and the first definition

	code    *body // functions: the code that won
	several bool  // it has other definitions
	twin    bool  // static: another input has a function of its name and code

	// Objects.
	common     bool   // no definition but a common one; size and align are the largest
	align      uint64 // commons and shared variables
	firstAlign uint64 // commons: of the first mention
	at         *area  // where it lies
	value      uint64 // its offset there
	placed     bool
	foreign    uint64 // st_value of the first mention that defines nothing
	named      bool   // by a record that stays

	// Call graph.
	node      int32 // in the graph
	calls     callees
	mayCall   callees         // by definitions that lost
	mayName   map[string]bool // prototypes that those name
	edges     callees
	indirect  []string // prototypes it calls through
	prototype string   // its own, "" for none
	taken     bool     // its address is taken
	typed     bool     // prototype came with the taking
	asked     bool     // a kernel that must be there
	reached   bool     // from such a kernel
	live      bool     // it is in the output, or must be

	out int // symbol index in the output, 0: not matched
}

func (d *identity) kind() cuda.SymbolType { return cuda.SymbolType(d.info % 16) }
func (d *identity) bind() cuda.Binding    { return cuda.Binding(d.info / 16) }
func (d *identity) function() bool        { return d.kind() == cuda.STTFunc }

// sharesCode reports whether a function's code isn't its alone: it has none, or one of several
// definitions, or one with several names.
func (d *identity) sharesCode() bool {
	return d.code == nil || d.several || len(d.code.names) > 1
}

// String returns the name.
func (d *identity) String() string {
	if d == nil {
		return ""
	}
	return d.name
}

func (d *identity) kernel() bool { return d.function() && d.other&cuda.STOEntry != 0 }
func (d *identity) image() bool {
	k := d.kind()
	return k == cuda.STTCudaTexture || k == cuda.STTCudaSampler || k == cuda.STTCudaSurface
}
func (d *identity) space() byte { return d.other & cuda.STOSpace }

// first is the function that a second name of its code (PTX .alias) stands for.
func (d *identity) first() *identity {
	if d != nil && d.code != nil && d.code.owner != nil {
		return d.code.owner
	}
	return d
}

// externShared reports whether the object is an array of unknown length in
// shared memory, extern __shared__ x[]. nvlink 13.2 and later define it with -r, and a
// second link treats it as before.
func (d *identity) externShared() bool {
	return d.kind() == cuda.STTCudaObject && d.space() == cuda.STOShared && d.size == 0 && !d.common
}

// unified names the eight symbols of the unified tables, which only the driver
// defines.
func unified(name string) bool {
	switch name {
	case "__UFT", "__UDT", "__UFT_END", "__UDT_END", "__UFT_OFFSET", "__UDT_OFFSET", "__UFT_CANONICAL", "__UDT_CANONICAL":
		return true
	}
	return false
}
