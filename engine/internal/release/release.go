package release

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Choose returns the named release, or the oldest that knows the newest
// input; nil where none does.
func Choose(name string, newest uint32) *Release {
	for _, p := range All {
		if name != "" && (p.Name == name || strings.HasPrefix(name, p.Name+".")) || name == "" && p.Toolkit >= newest {
			return p
		}
	}
	return nil
}

// Release is what one release of nvlink does its own way: data and named
// decisions. Everything not named here all releases do alike.
type Release struct {
	Name    string // "12.4"
	Toolkit uint32 // 124: e_version of old objects, API word of new ones
	Version string // the release line of .note.nv.tkinfo
	Build   string

	Osabi, Abi uint8
	Eversion   uint32

	Archs []string // what -arch takes

	// InfoLink: per-function sections carry SHF_INFO_LINK.
	InfoLink bool
	// NamelessFunc: a module's first new undefined function brings a nameless
	// FUNC symbol along, visible only with -g and --preserve-relocs.
	NamelessFunc bool
	// EarlyStrings: names enter the string tables when they are created, so
	// that those of deleted things stay.
	EarlyStrings bool
	// KeepsAliases: a second name of live code lives.
	KeepsAliases bool
	// RegistersFirst: broken register limits are reported before undefined
	// references.
	RegistersFirst bool
	// ParamRelaLink: a parameter bank's .rela carries SHF_INFO_LINK.
	ParamRelaLink bool
	// Edges: .nv.callgraph has the part of function-pointer edges.
	Edges bool
	// IcallPairs: matches of an indirect call become CALL pairs.
	IcallPairs bool
	// RaiseRegs: sh_info of a kernel's text gets the propagated count.
	RaiseRegs bool
	// RenamesUnified: types of the unified tables become plain ones before
	// anything else is decided.
	RenamesUnified bool
	// GraphCalls: the driver has functions for graphs that the device launches.
	GraphCalls bool
	// RelocCount is the number of types the release has descriptors for.
	RelocCount uint32
	// LoserDebug: debug relocations of a losing weak definition stay.
	LoserDebug bool
	// WeakByRecord: where sh_info holds no register count, weak definitions are
	// judged by REGCOUNT; older releases then keep the first.
	WeakByRecord bool
	// Notes: .note.nv.tkinfo, .note.nv.cuinfo, .nv.compat and the new header.
	Notes bool
	// BarrierAttr: barriers live in NUM_BARRIERS, not in sh_flags.
	BarrierAttr bool
	// Relocatable: -r makes a relocatable file.
	Relocatable bool
	// DebugSingleShared: -g emits shared variables one kernel uses.
	DebugSingleShared bool

	// relAction is the range of types that .nv.rel.action describes.
	RelActionFirst, RelActionLast int
}

var All = []*Release{&r118, &r124, &r130}

var r118 = Release{
	Name: "11.8", Toolkit: 118,
	Osabi: cuda.OSABILegacy, Abi: cuda.ABIVersionLegacy, Eversion: 118, RelocCount: 114,
	Archs: []string{"sm_35", "sm_37", "sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62",
		"sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90"},
	NamelessFunc:   true,
	EarlyStrings:   true,
	KeepsAliases:   true,
	RegistersFirst: true,
	IcallPairs:     true,
	RaiseRegs:      true,
	LoserDebug:     true,
	RelActionFirst: cuda.R_CUDA_ABS55_16_34, RelActionLast: cuda.R_CUDA_SAMP_HEADER_INDEX_0,
}

var r124 = Release{
	Name: "12.4", Toolkit: 124,
	Osabi: cuda.OSABILegacy, Abi: cuda.ABIVersionLegacy, Eversion: 124, RelocCount: 116,
	Archs: []string{"sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72",
		"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"},
	InfoLink:          true,
	NamelessFunc:      true,
	Edges:             true,
	GraphCalls:        true,
	RenamesUnified:    true,
	LoserDebug:        true,
	DebugSingleShared: true,
	RelActionFirst:    cuda.R_CUDA_CONST_FIELD22_37, RelActionLast: cuda.R_CUDA_CONST_FIELD22_37,
}

var r130 = Release{
	Name: "13.0", Toolkit: 130,
	Version: "Cuda compilation tools, release 13.0, V13.0.88",
	Build:   "Build cuda_13.0.r13.0/compiler.36424714_0",
	Osabi:   cuda.OSABICuda13, Abi: cuda.ABIVersionCuda13, Eversion: 1, RelocCount: 116,
	Archs: []string{"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a",
		"sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f", "sm_110", "sm_110a", "sm_110f",
		"sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f"},
	InfoLink:          true,
	Edges:             true,
	GraphCalls:        true,
	RenamesUnified:    true,
	Notes:             true,
	BarrierAttr:       true,
	WeakByRecord:      true,
	Relocatable:       true,
	ParamRelaLink:     true,
	DebugSingleShared: true,
	RelActionFirst:    cuda.R_CUDA_CONST_FIELD22_37, RelActionLast: cuda.R_CUDA_CONST_FIELD22_37,
}
