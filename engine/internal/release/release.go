package release

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Choose returns the named release or build, or the oldest release that knows the newest
// input and that nvlink itself was asked about; nil where there is none.
func Choose(name string, newest uint32) *Release {
	for _, p := range earlier {
		if p.Name == name {
			return p
		}
	}
	for _, p := range All {
		if name != "" && p.isCalled(name) || name == "" && p.Toolkit >= newest && !p.ByNvJitLink {
			return p
		}
	}
	return nil
}

// isCalled reports whether a name is the release's or its last build's. Of releases that write no
// notes it may be that of any build.
func (r *Release) isCalled(name string) bool {
	rest, longer := strings.CutPrefix(name, r.Name+".")
	switch {
	case !longer:
		return name == r.Name
	case r.Version == "":
		return true
	}
	return strings.HasSuffix(r.Version, ", V"+r.Name+"."+rest)
}

// Release is what one release of nvlink does its own way: data and named
// decisions. Everything not named here all releases do alike.
type Release struct {
	Name    string // "12.4"; "13.2.78" for a build that isn't the release's last
	Toolkit uint32 // 124: e_version of old objects, API word of new ones
	Version string // the release line of .note.nv.tkinfo
	Build   string

	// ByNvJitLink: nvJitLink of the release was asked, nvlink wasn't.
	ByNvJitLink bool

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
	// NoOpenCalls: .nv.callgraph omits calls of what nothing defines.
	NoOpenCalls bool
	// RaiseRegs: sh_info of a kernel's text gets the propagated count.
	RaiseRegs bool
	// RenamesUnified: types of the unified tables become plain ones before
	// anything else is decided.
	RenamesUnified bool
	// GraphCalls is how many of the functions for graphs that the device
	// launches the driver has: the launch, then conditions too, then all.
	GraphCalls uint8
	// RelocCount is the number of types the release has descriptors for.
	RelocCount uint32
	// LoserDebug: debug relocations of a losing weak definition stay.
	LoserDebug bool
	// WeakByRecord: where sh_info holds no register count, weak definitions are
	// judged by REGCOUNT; older releases then keep the first.
	WeakByRecord bool
	// Notes: .note.nv.tkinfo, .note.nv.cuinfo, .nv.compat and the new header.
	Notes bool
	// FirstNotes: the notes and .nv.compat are those of 12.8: .note.nv.cuver is the note of the SM, notes have
	// no symbols, e_flags tells the accelerator, and no attribute the version of Mercury.
	FirstNotes bool
	// TellsTarget: and the SM in the note is the target's, not the lowest that inputs were written for.
	TellsTarget bool
	// EarlyCapsules: capsules have the form of 12.8.
	EarlyCapsules bool
	// BarrierAttr: barriers live in NUM_BARRIERS, not in sh_flags.
	BarrierAttr bool
	// KnowsNested: a function inside a kernel that was compiled as a whole program
	// isn't asked for a SPARSE_MMA_MASK.
	KnowsNested bool
	// Compat: how .nv.compat is merged.
	Compat CompatRules
	// UnplacesUndefined: a global variable that an option lets stay undefined has
	// the address of what has no place.
	UnplacesUndefined bool
	// OwnSharedLocal: a shared variable that one kernel uses becomes local.
	OwnSharedLocal bool
	// ListsDescSizes: the size of a descriptor that a query names stands among the global symbols, as the input has it.
	ListsDescSizes bool
	// WeakListed: weak symbols stand among the global ones.
	WeakListed bool
	// NoRelBeside: .rela<X> leaves no name of a .rel<X>.
	NoRelBeside bool
	// NoMixedAccelerated: an accelerated object is not linked for a target
	// that is not.
	NoMixedAccelerated bool
	// Above is what the release does from sm_100 on, where that is otherwise.
	Above *Release
	// Finalizer is the oldest toolkit whose code from sm_100 on the release
	// schedules as it came; that of older ones it makes again as a whole.
	Finalizer uint32
	// Pads: some instructions from sm_100 on are beside a NOP.
	Pads bool
	// TagsIMMA: of products of integer matrices from sm_100 on the tag alone is kept.
	TagsIMMA bool
	// OwnLeaves: kernels from sm_100 on that load a stack pointer nothing reads get
	// other scoreboards than 13.0 gives them.
	OwnLeaves bool
	// KeepsLeaves: and these keep what they have.
	KeepsLeaves bool
	// HoldsDoubles: in rescheduled code every instruction of doubles holds a
	// scoreboard.
	HoldsDoubles bool
	// Bares: in rescheduled code a function without optimization loses its
	// schedule.
	Bares bool
	// JoinsMoves: in rescheduled code, a part of an instruction that moves a register to itself goes.
	JoinsMoves bool
	// Unpaces: doubles of older toolkits' code that NOPs pace, from sm_103 on, aren't any more.
	Unpaces bool
	// LocalsFirst: from sm_100 on an input's symbols are sorted, local ones first. They are read so, and
	// EXTERNS, and with -r MAX_STACK_SIZE, name what then has a symbol's number.
	LocalsFirst bool
	// LeavesLast: in rescheduled code sources that are needed after their block leave one
	// scoreboard to others.
	LeavesLast bool
	// SharesSources is the oldest toolkit that gives scoreboards of sources out in the order of
	// the release's finalizer, 0 where all do that aren't rescheduled.
	SharesSources uint32
	// FreesWorkID is the toolkit whose UGETNEXTWORKIDs hold scoreboards, which the release gives out again, 0 for none.
	FreesWorkID uint32
	// SplitsMapCopies is the oldest toolkit that makes several words of a copy of a tensor map with a
	// fence of the system's scope; the release makes them of older code too. 0 for none.
	SplitsMapCopies uint32
	// Marks6B, Marks6D: on the SASS side .nv.info.<f> ends with these attributes.
	Marks6B, Marks6D bool
	// FreshNames: images from sm_100 on hold the names that they use and no others,
	// the Mercury group is in the order of the SASS side, after its symbols,
	// and the section headers follow the last byte.
	FreshNames bool
	// SharesAlike: the sides of .debug_info are one stretch where they are alike in the inputs.
	SharesAlike bool
	// NamesConstants: compiler constants keep their names from sm_100 on too.
	NamesConstants bool
	// FilterSkipsLost: under a kernel filter the records of a definition that lost
	// are no error from sm_100 on.
	FilterSkipsLost bool
	// ToolsPatch is what a message calls the option for tools' patches.
	ToolsPatch string
	// DropsLostTables: the relocations of a replaced definition's jump tables go from sm_100 on too.
	DropsLostTables bool
	// FramesOfSASS: .debug_frame of the SASS side says what the Mercury side
	// doesn't, registers that are lost.
	FramesOfSASS bool
	// TellsMoves: and so of moves of 64 bits.
	TellsMoves bool

	// BehindFirst: places in .debug_frame of the SASS side are those behind the first word of an
	// instruction of several, not behind the principal one.
	BehindFirst bool

	// FirstOfSize: the finalizer knows code by its first symbol that has a size,
	// not by its first.
	FirstOfSize bool
	// MercuryStarts: .debug_frame of SASS has the Mercury address at which a function inside a kernel
	// begins.
	MercuryStarts bool
	// FirstOfName: of records about static functions of one name, which -r left, the
	// first are taken for each from sm_100 on.
	FirstOfName bool
	// ClonesCalls: the Mercury group has .nv.callgraph and .nv.prototype too.
	ClonesCalls bool
	// SharesWritten: the sides of data are one stretch also where the finalizer writes addresses into it.
	SharesWritten bool
	// ExternsByName: the SASS side of EXTERNS names the last symbol of a name.
	ExternsByName bool
	// KeepsEqual: equal constants are not merged under a kernel filter.
	KeepsEqual bool
	// ExternsInOrder: the only kernel of a link names what it needs of others in
	// the order in which it is found.
	ExternsInOrder bool
	// GroupsOfFunctions is how often the only kernel of a link is told of where functions alone give it tcgen05 of both
	// granularities.
	GroupsOfFunctions int
	// KeepsShared: -r leaves shared variables to a later link.
	KeepsShared bool
	// ShowsUnplaced: -g lists a variable in shared memory that has no place.
	ShowsUnplaced bool
	// KeepsEmptyPool: a whole program's empty section of shared variables of no kernel stays.
	KeepsEmptyPool bool
	// KeepsBareShared: what an input's section of a kernel's shared memory holds
	// beside its variables has a place, as one more variable.
	KeepsBareShared bool
	// ChecksReserved: --disable-smem-reservation refuses functions that use reserved
	// shared memory.
	ChecksReserved bool
	// PlacesWithoutReserve: from sm_100 on, symbols of the SASS side count in what the driver
	// keeps of shared memory only where it keeps it.
	PlacesWithoutReserve bool
	// ClosesLines: from sm_100 on, a unit of line numbers that has no sequence left has
	// the end of one, and a sequence of code that didn't move is not rewritten.
	ClosesLines bool
	// ZeroedDefines: against a tentative definition a variable without data counts as one
	// with data does.
	ZeroedDefines bool
	// HollowReserved: the Mercury group's .nv.shared.reserved.0 has a size and no room in the file.
	HollowReserved bool
	// EntrySection: an unused .nv.uft.entry is made after the symbol tables.
	EntrySection bool
	// LinksEntry: sections refer to the symbol table by that one's number.
	LinksEntry bool
	// NoRelAction: there is no .nv.rel.action.
	NoRelAction bool
	// PacksConstants: a bank of the program's constants that is too long is packed anew.
	PacksConstants bool
	// SharedByTarget: how much shared memory a kernel may use depends on the target.
	SharedByTarget bool
	// TakesNewer: up to sm_90a objects with the header of 13.x are linked too.
	TakesNewer bool
	// IgnoresDynamicAlign: what the value of an undefined dynamic variable asks for isn't looked at.
	IgnoresDynamicAlign bool
	// NotesAreData: of these the notes are copied, and the virtual SM is read where it used to stand, which is zero.
	NotesAreData bool
	// CapAtZero: what they say of .nv.reservedSmem.cap is lost.
	CapAtZero bool
	// Relocatable: -r makes a relocatable file.
	Relocatable bool
	// AlignsDynamic: a kernel with dynamic shared memory asks for a multiple of its alignment.
	AlignsDynamic bool
	// DebugSingleShared: -g emits shared variables one kernel uses.
	DebugSingleShared bool

	// relAction is the range of types that .nv.rel.action describes.
	RelActionFirst, RelActionLast int
}

// The functions for graphs of GraphCalls.
const (
	GraphLaunch = 1 + iota
	GraphConditions
	AllGraphCalls
)

var All = []*Release{&r118, &r120, &r121, &r122, &r123, &r124, &r125, &r126, &r128, &r129, &r130, &r131, &r132, &r133, &r134, &r135}

var r118 = Release{
	Name: "11.8", Toolkit: 118,
	Osabi: cuda.OSABILegacy, Abi: cuda.ABIVersionLegacy, Eversion: 118, RelocCount: 114,
	Archs: []string{"sm_35", "sm_37", "sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62",
		"sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90"},
	NamelessFunc:      true,
	EarlyStrings:      true,
	KeepsAliases:      true,
	ShowsUnplaced:     true,
	RegistersFirst:    true,
	IcallPairs:        true,
	RaiseRegs:         true,
	LoserDebug:        true,
	UnplacesUndefined: true,
	RelActionFirst:    cuda.R_CUDA_ABS55_16_34, RelActionLast: cuda.R_CUDA_SAMP_HEADER_INDEX_0,
}

var r124 = Release{
	Name: "12.4", Toolkit: 124,
	Osabi: cuda.OSABILegacy, Abi: cuda.ABIVersionLegacy, Eversion: 124, RelocCount: 116,
	Archs: []string{"sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72",
		"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"},
	InfoLink:          true,
	NamelessFunc:      true,
	Edges:             true,
	GraphCalls:        AllGraphCalls,
	RenamesUnified:    true,
	ListsDescSizes:    true,
	SharedByTarget:    true,
	PacksConstants:    true,
	LoserDebug:        true,
	DebugSingleShared: true,
	RelActionFirst:    cuda.R_CUDA_CONST_FIELD22_37, RelActionLast: cuda.R_CUDA_CONST_FIELD22_37,
}

// The other releases of 12.x are 12.4 but for what is named here, as far as
// their nvJitLink shows.
var (
	r123 = r124.sibling("12.3", 123, func(r *Release) {
		r.EarlyStrings, r.EntrySection, r.RaiseRegs, r.KeepsAliases = true, true, true, true
		r.InfoLink = false
		r.GraphCalls = GraphConditions
		r.SharedByTarget = false
	})
	r122 = r123.sibling("12.2", 122, func(r *Release) {
		r.LinksEntry, r.NoOpenCalls = true, true
		r.GraphCalls = GraphLaunch
	})
	r121 = r122.sibling("12.1", 121, func(r *Release) {
		r.NoRelAction, r.NoOpenCalls = true, false
	})
	r120 = r121.sibling("12.0", 120, func(r *Release) { r.IcallPairs = true })
	r125 = r124.sibling("12.5", 125, func(r *Release) {
		r.TakesNewer, r.NotesAreData, r.CapAtZero, r.IgnoresDynamicAlign = true, true, true, true
	})
	r126 = r125.sibling("12.6", 126, nil)
	r128 = r124.sibling("12.8", 128, func(r *Release) {
		r.Archs = append(r.Archs[:len(r.Archs):len(r.Archs)], "sm_100", "sm_100a", "sm_101", "sm_101a", "sm_120", "sm_120a")
		r.Above, r.LoserDebug = &above128, false
		r.TakesNewer, r.CapAtZero, r.SharedByTarget, r.IgnoresDynamicAlign = true, true, false, true
		r.KnowsNested = true
	})
	r129 = r128.sibling("12.9", 129, func(r *Release) {
		r.CapAtZero = false
		r.Above = &above129
		r.Archs = append(r.Archs[:len(r.Archs):len(r.Archs)], "sm_100f", "sm_101f", "sm_103", "sm_103a", "sm_103f", "sm_120f", "sm_121", "sm_121a", "sm_121f")
	})
)

// From sm_100 on 12.8 and 12.9 are 13.0 but for what is named here.
var (
	above128 = r130.successor("12.8", 128, "V12.8.93", "35583870", func(r *Release) {
		r.ByNvJitLink = true
		r.Compat.Missing = nil
		r.FirstNotes = true
		r.EarlyCapsules, r.TellsTarget = true, true
		r.KeepsLeaves = true
		r.NamelessFunc = true
		r.WeakByRecord = false
		r.FramesOfSASS = true
		r.Finalizer = 128
	})
	above129 = above128.successor("12.9", 129, "V12.9.86", "36037853", func(r *Release) {
		r.EarlyCapsules, r.TellsTarget = false, false
	})
)

// sibling is a release of which nvJitLink was asked: this one but for its
// number and what change does.
func (r Release) sibling(name string, toolkit uint32, change func(*Release)) Release {
	r.Name, r.Toolkit, r.Eversion, r.ByNvJitLink = name, toolkit, toolkit, true
	if change != nil {
		change(&r)
	}
	return r
}

var r130 = Release{
	Name: "13.0", Toolkit: 130,
	Version: "Cuda compilation tools, release 13.0, V13.0.88",
	Build:   "Build cuda_13.0.r13.0/compiler.36424714_0",
	Osabi:   cuda.OSABICuda13, Abi: cuda.ABIVersionCuda13, Eversion: 1, RelocCount: 116,
	Archs: []string{"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a",
		"sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f", "sm_110", "sm_110a", "sm_110f",
		"sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f"},
	InfoLink:            true,
	PacksConstants:      true,
	Edges:               true,
	IgnoresDynamicAlign: true,
	GraphCalls:          AllGraphCalls,
	RenamesUnified:      true,
	ListsDescSizes:      true,
	Notes:               true,
	ChecksReserved:      true,
	BarrierAttr:         true,
	KnowsNested:         true,
	WeakByRecord:        true,
	Relocatable:         true,
	ParamRelaLink:       true,
	KeepsEmptyPool:      true,
	DebugSingleShared:   true,
	Finalizer:           130,
	FirstOfName:         true,
	Compat:              CompatRules{Missing: missingBy130},
	RelActionFirst:      cuda.R_CUDA_CONST_FIELD22_37, RelActionLast: cuda.R_CUDA_CONST_FIELD22_37,
}

// The releases after 13.0 differ from it in what they call themselves, in the
// architectures they know, and in the decisions named here. Each begins as its
// predecessor.
var (
	r131 = r130.successor("13.1", 131, "V13.1.115", "37061995", func(r *Release) {
		r.AlignsDynamic, r.IgnoresDynamicAlign = true, false
		r.Compat.Keeps = true
		r.Compat.Missing = missingBy131
		r.NoMixedAccelerated = true
		r.Finalizer = 131
		r.OwnLeaves = true
		r.FramesOfSASS = true
	})
	r132 = r131.successor("13.2", 132, "V13.2.86", "37953736", func(r *Release) {
		r.Compat.Fastpath = true
		r.KeepsShared = true
		r.GroupsOfFunctions = 2
		r.ExternsInOrder = true
		r.Finalizer = 132
		r.Pads = true
		r.TagsIMMA = true
		r.Marks6B = true
	})
	r133 = r132.successor("13.3", 133, "V13.3.73", "38244171", func(r *Release) {
		r.Compat.Missing = missingBy133
		r.Compat.AnyCode = true
		r.Finalizer = 133
		r.HoldsDoubles = true
		r.Bares = true
		r.JoinsMoves = true
		r.ZeroedDefines = true
		r.ToolsPatch = "--astoolspatch"
	})
	r134 = r133.successor("13.4", 134, "V13.4.92", "38855100", func(r *Release) {
		r.ToolsPatch = "-astoolspatch"
		r.Compat.Missing = missingBy134
		r.Compat.Own0E = 0x400
		r.ClonesCalls = true
		r.TellsMoves = true
		r.Unpaces = true
		r.FreesWorkID = 133
		r.SplitsMapCopies = 134

		r.Marks6D = true
		r.ExternsByName = true
		r.WeakListed = true
		r.OwnSharedLocal = true
		r.KeepsBareShared = true
		r.Archs = append(r.Archs[:len(r.Archs):len(r.Archs)], "sm_107", "sm_107a", "sm_107f")
	})
	r135 = r134.successor("13.5", 135, "V13.5.37", "39125733", func(r *Release) {
		r.NoRelBeside = true
		r.SharesSources = 135
		r.LeavesLast = true
		r.LocalsFirst = true
		r.KeepsEqual = true
		r.Compat.Own0E = 0x440
		r.FreshNames = true
		r.SharesAlike = true
		r.SharesWritten = true
		r.ClosesLines = true
		r.HollowReserved = true
		r.PlacesWithoutReserve = true
		r.NamesConstants = true
		r.FilterSkipsLost = true
		r.DropsLostTables = true
		r.FirstOfSize = true
		r.MercuryStarts = true
		r.FirstOfName = false
	})
)

// CompatRules are what a release does with .nv.compat.
type CompatRules struct {
	Keeps    bool // records join as from 13.1 on; false is how 13.0 does it
	Fastpath bool // CAN_FASTPATH_FINALIZE is kept
	Missing  []CompatRecord
	// What the finalizer sets attribute 0e to, 0 if it doesn't.
	Own0E uint16
	// AnyCode: CAN_FASTPATH_FINALIZE is a matter of the target, not of the code.
	AnyCode bool
}

// CompatRecord is an attribute that an input without it counts as having.
type CompatRecord struct {
	Attr   cuda.CompatAttr
	Format cuda.InfoFormat
	Value  uint16
	Silent bool // an image doesn't say this value
}

// Says reports whether an image has a record of an attribute and a value.
func (c *CompatRules) Says(attr cuda.CompatAttr, value uint16) bool {
	return !slices.ContainsFunc(c.Missing, func(r CompatRecord) bool { return r.Silent && r.Attr == attr && r.Value == value })
}

// compatFormats are the attributes of .nv.compat that releases know, the newest since the toolkit of that number.
var compatFormats = map[cuda.CompatAttr]struct {
	format cuda.InfoFormat
	since  uint32
}{
	cuda.CompatISAClass:                        {cuda.FormatByte, 0},
	cuda.CompatInstTensormapV1:                 {cuda.FormatByte, 0},
	cuda.CompatInstTcgen05MMA:                  {cuda.FormatByte, 0},
	cuda.CompatEnableOpportunisticFinalization: {cuda.FormatByte, 0},
	cuda.CompatAcceleratorTarget:               {cuda.FormatByte, 0},
	cuda.CompatMercuryISAMajorMinor:            {cuda.FormatHalf, 0},
	cuda.CompatMercuryISAPatch:                 {cuda.FormatHalf, 0},
	cuda.CompatCanFastpathFinalize:             {cuda.FormatSized, 0},
	0x0c:                                       {cuda.FormatByte, 134},
	0x0d:                                       {cuda.FormatHalf, 133},
	0x0e:                                       {cuda.FormatHalf, 134},
	0x0f:                                       {cuda.FormatHalf, 134},
}

// CompatFormat returns the format in which an image has an attribute; known is false where the release drops it.
func (r *Release) CompatFormat(attr cuda.CompatAttr) (format cuda.InfoFormat, known bool) {
	f, ok := compatFormats[attr]
	return f.format, ok && r.Toolkit >= f.since
}

// The attributes that inputs may lack.
var (
	noClass      = CompatRecord{Attr: cuda.CompatISAClass, Format: cuda.FormatByte}
	noTensormap  = CompatRecord{Attr: cuda.CompatInstTensormapV1, Format: cuda.FormatByte, Value: 3}
	noISA        = CompatRecord{Attr: cuda.CompatMercuryISAMajorMinor, Format: cuda.FormatHalf, Value: 0x100}
	silentISA    = CompatRecord{Attr: cuda.CompatMercuryISAMajorMinor, Format: cuda.FormatHalf, Value: 0x100, Silent: true}
	noTcgen05    = CompatRecord{Attr: cuda.CompatInstTcgen05MMA, Format: cuda.FormatByte}
	silentMMA    = CompatRecord{Attr: cuda.CompatInstTcgen05MMA, Format: cuda.FormatByte, Silent: true}
	silentTarget = CompatRecord{Attr: cuda.CompatEnableOpportunisticFinalization, Format: cuda.FormatByte, Value: 1, Silent: true}
	silentPatch  = CompatRecord{Attr: cuda.CompatMercuryISAPatch, Format: cuda.FormatHalf, Silent: true}
	noOffTarget  = CompatRecord{Attr: cuda.CompatEnableOpportunisticFinalization, Format: cuda.FormatByte, Value: 1}
	missing0C    = CompatRecord{Attr: 0x0c, Format: cuda.FormatByte, Value: 2} // both without a name that is known
	missing0D    = CompatRecord{Attr: 0x0d, Format: cuda.FormatHalf, Value: 0x100}
	missingBy130 = []CompatRecord{noClass, noTensormap, noTcgen05, noOffTarget, noISA}
	missingBy131 = []CompatRecord{noClass, noTensormap, silentMMA, silentTarget, silentPatch, noISA}
	missingBy133 = []CompatRecord{noClass, noTensormap, silentMMA, silentTarget, silentPatch, silentISA, missing0D}
	missingBy134 = []CompatRecord{noClass, noTensormap, silentMMA, silentTarget, silentPatch, silentISA, missing0C, missing0D}
)

// successor is another release: this one but for its names and what change does.
func (r Release) successor(name string, toolkit uint32, version, build string, change func(*Release)) Release {
	r.Name, r.Toolkit = name, toolkit
	r.identify(name, version, build)
	change(&r)
	return r
}

// identify sets the lines by which the tool names itself.
func (r *Release) identify(name, version, build string) {
	r.Version = "Cuda compilation tools, release " + name + ", " + version
	r.Build = "Build cuda_" + name + ".r" + name + "/compiler." + build + "_0"
}
