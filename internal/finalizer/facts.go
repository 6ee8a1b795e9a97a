package finalizer

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Facts are what a file says that decides.
type Facts struct {
	SM          cuda.SM
	Kind        Kind
	Compat      bool   // has .nv.compat
	Class       uint8  // ISA_CLASS
	Level       uint8  // ENABLE_OPPORTUNISTIC_FINALIZATION
	Accelerator uint8  // CUDA_ACCELERATOR_TARGET: 1 for an "a"
	MMA         uint8  // INST_TCGEN05_MMA
	ISA         uint16 // MERCURY_ISA_MAJOR_MINOR
	Fastpath    uint64 // CAN_FASTPATH_FINALIZE, a bit for each sibling
	Type        uint16 // e_type
	ABI         uint8
}

// Kind is what a file holds.
type Kind uint8

const (
	SASS    Kind = iota // SASS alone
	Mercury             // Mercury alone
	Capmerc             // SASS and the capsule that makes it Mercury
)

var kindNames = [...]string{"sass", "mercury", "capmerc"}

// String returns the name --binary-kind has.
func (k Kind) String() string { return kindNames[k] }

// defaultLevel is the level that a file without one has.
const defaultLevel = 1

// FactsOf reads a file. Like the tool it doesn't look at a record's format: an
// attribute's value is the byte after its number.
func FactsOf(f *cubin.File) (Facts, error) {
	x := Facts{SM: f.Header.SM(), Type: f.Header.Type, ABI: f.Header.ABIVersion(), Level: defaultLevel, ISA: 0x100}
	if f.Header.New() {
		switch low := f.Header.Flags & 3; {
		case low&cuda.EFKindCapmerc != 0:
			x.Kind = Capmerc
		case low == 1:
			x.Kind = Mercury
		}
	}
	if f.Header.Accelerated() {
		x.Accelerator = 1
	}
	for i := range f.OfType(cuda.SHTCudaCompat) {
		s := f.Section(i)
		x.Compat = true
		r := f.Info(&s)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			v := uint8(rec.Value)
			switch cuda.CompatAttr(rec.Attr) {
			case cuda.CompatISAClass:
				x.Class = v
			case cuda.CompatEnableOpportunisticFinalization:
				x.Level = v
			case cuda.CompatAcceleratorTarget:
				x.Accelerator = v
			case cuda.CompatInstTcgen05MMA:
				x.MMA = v
			case cuda.CompatMercuryISAMajorMinor:
				x.ISA = rec.Value
			case cuda.CompatCanFastpathFinalize:
				if lo, ok := rec.Word(0); ok {
					hi, _ := rec.Word(1)
					x.Fastpath = uint64(hi)<<32 | uint64(lo)
				}
			}
		}
		if err := r.Err(); err != nil {
			return x, err
		}
	}
	return x, nil
}
