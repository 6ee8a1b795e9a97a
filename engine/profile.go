package engine

import "github.com/twinlink/twinlink/cuda"

// profile is what one release of nvlink does its own way: data and named
// decisions. Everything not named here all releases do alike.
type profile struct {
	name    string // "12.4"
	toolkit uint32 // 124: e_version of old objects, API word of new ones
	version string // the release line of .note.nv.tkinfo
	build   string

	osabi, abi uint8
	eversion   uint32

	archs []string // what -arch takes

	// infoLink: per-function sections carry SHF_INFO_LINK.
	infoLink bool
	// namelessFunc: a module's first new undefined function brings a nameless
	// FUNC symbol along, visible only with -g and --preserve-relocs.
	namelessFunc bool
	// earlyStrings: names enter the string tables when they are created, so
	// that those of deleted things stay.
	earlyStrings bool
	// keepsAliases: a second name of live code lives.
	keepsAliases bool
	// registersFirst: broken register limits are reported before undefined
	// references.
	registersFirst bool
	// paramRelaLink: a parameter bank's .rela carries SHF_INFO_LINK.
	paramRelaLink bool
	// edges: .nv.callgraph has the part of function-pointer edges.
	edges bool
	// icallPairs: matches of an indirect call become CALL pairs.
	icallPairs bool
	// raiseRegs: sh_info of a kernel's text gets the propagated count.
	raiseRegs bool
	// renamesUnified: types of the unified tables become plain ones before
	// anything else is decided.
	renamesUnified bool
	// relocCount is the number of types the release has descriptors for.
	relocCount uint32
	// loserDebug: debug relocations of a losing weak definition stay.
	loserDebug bool
	// weakByRecord: where sh_info holds no register count, weak definitions are
	// judged by REGCOUNT; older releases then keep the first.
	weakByRecord bool
	// notes: .note.nv.tkinfo, .note.nv.cuinfo, .nv.compat and the new header.
	notes bool
	// barrierAttr: barriers live in NUM_BARRIERS, not in sh_flags.
	barrierAttr bool
	// relocatable: -r makes a relocatable file.
	relocatable bool
	// debugSingleShared: -g emits shared variables one kernel uses.
	debugSingleShared bool

	// relAction is the range of types that .nv.rel.action describes.
	relActionFirst, relActionLast int
}

var profiles = []*profile{&profile118, &profile124, &profile130}

var profile118 = profile{
	name: "11.8", toolkit: 118,
	osabi: cuda.OSABILegacy, abi: cuda.ABIVersionLegacy, eversion: 118, relocCount: 114,
	archs: []string{"sm_35", "sm_37", "sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62",
		"sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90"},
	namelessFunc:   true,
	earlyStrings:   true,
	keepsAliases:   true,
	registersFirst: true,
	icallPairs:     true,
	raiseRegs:      true,
	loserDebug:     true,
	relActionFirst: cuda.R_CUDA_ABS55_16_34, relActionLast: cuda.R_CUDA_SAMP_HEADER_INDEX_0,
}

var profile124 = profile{
	name: "12.4", toolkit: 124,
	osabi: cuda.OSABILegacy, abi: cuda.ABIVersionLegacy, eversion: 124, relocCount: 116,
	archs: []string{"sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72",
		"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"},
	infoLink:          true,
	namelessFunc:      true,
	edges:             true,
	renamesUnified:    true,
	loserDebug:        true,
	debugSingleShared: true,
	relActionFirst:    cuda.R_CUDA_CONST_FIELD22_37, relActionLast: cuda.R_CUDA_CONST_FIELD22_37,
}

var profile130 = profile{
	name: "13.0", toolkit: 130,
	version: "Cuda compilation tools, release 13.0, V13.0.88",
	build:   "Build cuda_13.0.r13.0/compiler.36424714_0",
	osabi:   cuda.OSABICuda13, abi: cuda.ABIVersionCuda13, eversion: 1, relocCount: 116,
	archs: []string{"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a",
		"sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f", "sm_110", "sm_110a", "sm_110f",
		"sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f"},
	infoLink:          true,
	edges:             true,
	renamesUnified:    true,
	notes:             true,
	barrierAttr:       true,
	weakByRecord:      true,
	relocatable:       true,
	paramRelaLink:     true,
	debugSingleShared: true,
	relActionFirst:    cuda.R_CUDA_CONST_FIELD22_37, relActionLast: cuda.R_CUDA_CONST_FIELD22_37,
}
