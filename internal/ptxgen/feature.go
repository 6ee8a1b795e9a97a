package ptxgen

// Feature names something that a linker sees in a program.
type Feature int

// The features. The names say what ends up in the objects, not how PTX spells it.
const (
	GlobalZero Feature = iota
	GlobalValue
	GlobalAtomic
	AddressInit
	FunctionInit
	LaneInit
	ConstDirect
	ConstIndexed
	Common
	CommonDefined
	WeakObject
	WeakOverruled
	WeakShared
	Managed
	StaticObject
	DeclaredOnly
	GenericAddress
	SharedModule
	SharedAcross
	SharedStatic
	SharedScope
	SharedDynamic
	LocalFrame
	Call
	CallAcross
	CallByAddress
	CallByTable
	Recursion
	WeakFunction
	WeakKernel
	StaticFunction
	Alias
	DeadFunction
	AddressKept
	StructParameter
	Texture
	Sampler
	Surface
	Print
	Heap
	Assert
	Barrier
	Pressure
	DoubleConstant
	Division
	JumpTable
	GridZ
	Bounds
	KernelStruct
	Trap
	DynamicStack
	ClusterBarrier
	Transaction
	ReservedShared
	KernelAddress
	KernelTable
	KernelLaunch
	StaticKernel
	ScopedObject
	OpenArray
	Undefined
	Duplicate
	SizeMismatch
	SpaceMismatch
	PrototypeMismatch
	KernelClash
	BankMismatch
	numFeatures
)

var featureNames = [numFeatures]string{
	"global-zero", "global-value", "global-atomic", "address-init", "function-init", "lane-init", "const-direct", "const-indexed",
	"common", "common-defined", "weak-object", "weak-overruled", "weak-shared", "managed", "static-object", "declared-only", "generic-address",
	"shared-module", "shared-across", "shared-static", "shared-scope", "shared-dynamic", "local-frame",
	"call", "call-across", "call-by-address", "call-by-table", "recursion", "weak-function", "weak-kernel", "static-function",
	"alias", "dead-function", "address-kept", "struct-parameter", "texture", "sampler", "surface", "print", "heap", "assert", "barrier",
	"pressure", "double-constant", "division", "jump-table", "grid-z", "bounds", "kernel-struct", "trap", "dynamic-stack",
	"cluster-barrier", "transaction", "reserved-shared",
	"kernel-address", "kernel-table", "kernel-launch", "static-kernel", "scoped-object", "open-array", "undefined", "duplicate", "size-mismatch", "space-mismatch", "prototype-mismatch", "kernel-clash", "bank-mismatch",
}

func (f Feature) String() string {
	if f < 0 || f >= numFeatures {
		return "unknown"
	}
	return featureNames[f]
}

// Fault reports whether the feature makes a link fail (or, where only dead code is concerned, may make it fail).
func (f Feature) Fault() bool { return f >= Undefined }

// asked reports whether the feature belongs to no random subset: it came when seeds had their meaning, so that
// Options.Focus or Options.Also has to name it.
func (f Feature) asked() bool { return f >= KernelAddress && f < Undefined }

// Launching are the features of programs whose code and data hold addresses of kernels, as launches from the device do.
func Launching() []Feature { return []Feature{KernelAddress, KernelTable, KernelLaunch, StaticKernel} }

// Features lists them all.
func Features() []Feature {
	list := make([]Feature, numFeatures)
	for i := range list {
		list[i] = Feature(i)
	}
	return list
}
