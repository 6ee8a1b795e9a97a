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
	// Compat: how .nv.compat is merged.
	Compat CompatRules
	// WeakListed: weak symbols stand among the global ones.
	WeakListed bool
	// NoRelTwin: .rela<X> leaves no name of a .rel<X>.
	NoRelTwin bool
	// NoMixedAccelerated: an accelerated object is not linked for a target
	// that is not.
	NoMixedAccelerated bool
	// NoMercury: what the release does above sm_90 is not known.
	NoMercury bool
	// KeepsEqual: equal constants are not merged under a kernel filter.
	KeepsEqual bool
	// KeepsShared: -r leaves shared variables to a later link, which is not
	// implemented.
	KeepsShared bool
	// Relocatable: -r makes a relocatable file.
	Relocatable bool
	// DebugSingleShared: -g emits shared variables one kernel uses.
	DebugSingleShared bool

	// relAction is the range of types that .nv.rel.action describes.
	RelActionFirst, RelActionLast int
}

var All = []*Release{&r118, &r124, &r130, &r131, &r132, &r133, &r134, &r135}

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

// The releases after 13.0 differ from it in what they call themselves, in the
// architectures they know, and in the decisions named here. Each begins as its
// predecessor.
var (
	r131 = r130.successor("13.1", 131, "V13.1.115", "37061995", func(r *Release) {
		r.Compat.Keeps = true
		r.NoMixedAccelerated = true
		r.NoMercury = true
	})
	r132 = r131.successor("13.2", 132, "V13.2.86", "37953736", func(r *Release) {
		r.Compat.Fastpath = true
		r.KeepsShared = true
	})
	r133 = r132.successor("13.3", 133, "V13.3.73", "38244171", func(r *Release) { r.Compat.Missing0D = 0x100 })
	r134 = r133.successor("13.4", 134, "V13.4.92", "38855100", func(r *Release) {
		r.Compat.Missing0C = 2
		r.WeakListed = true
		r.Archs = append(r.Archs[:len(r.Archs):len(r.Archs)], "sm_107", "sm_107a", "sm_107f")
	})
	r135 = r134.successor("13.5", 135, "V13.5.37", "39125733", func(r *Release) {
		r.NoRelTwin = true
		r.KeepsEqual = true
	})
)

// CompatRules are what a release does with .nv.compat. From 13.1 on it keeps
// the records of the first input that has some, in their order, and joins those
// of the others.
type CompatRules struct {
	Keeps    bool // that; false is how 13.0 does it
	Fastpath bool // CAN_FASTPATH_FINALIZE is kept
	// What an input without the attribute counts as having, 0 for no such rule.
	Missing0C, Missing0D uint16
}

// successor is the next release: this one but for its names and what change does.
func (r Release) successor(name string, toolkit uint32, version, build string, change func(*Release)) Release {
	r.Name, r.Toolkit = name, toolkit
	r.Version = "Cuda compilation tools, release " + name + ", " + version
	r.Build = "Build cuda_" + name + ".r" + name + "/compiler." + build + "_0"
	change(&r)
	return r
}
