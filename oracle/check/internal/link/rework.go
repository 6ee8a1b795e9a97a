package link

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// AttrBulkCopyOffsets, for which cuobjdump 13.5 has no name, lists where UBLKCP.S.G stand.
//
// Source: CUB's scan by ptxas 13.5 for sm_120a: five numbers, in the object and in nvlink's
// image, each the place of such a word.
const AttrBulkCopyOffsets cuda.InfoAttr = 101

// CountsWords reports whether an attribute holds offsets of instructions.
func CountsWords(attr cuda.InfoAttr) bool {
	switch attr {
	case cuda.AttrExitInstrOffsets, cuda.AttrS2rctaidInstrOffsets, cuda.AttrCoopGroupInstrOffsets, cuda.AttrIntWarpWideInstrOffsets, cuda.AttrAtom16EmulInstrRegMap,
		cuda.AttrIndirectBranchTargets, cuda.AttrMbarrierInstrOffsets, cuda.AttrInstrRegMap, cuda.AttrUnusedLoadByteOffset, cuda.AttrSyscallOffsets,
		cuda.AttrSwWarMembarSysInstrOffsets, cuda.AttrAnnotations, cuda.AttrStackCanaryTrapOffsets, AttrBulkCopyOffsets:
		return true
	}
	return false
}

// Rewritten reports whether a section of the SASS side is one that the
// finalizer makes again, so that its bytes are no input's.
func (c *Link) Rewritten(a *Area) bool {
	return c.Out.Side == image.SassSide && a.Owner == nil && a.Kind == cuda.SHTProgbits && rewrites(a.Name)
}

func rewrites(name string) bool {
	switch name {
	case ".debug_frame", ".debug_line", ".nv_debug_line_sass", ".nv_debug_info_reg_sass":
		return true
	}
	return false
}

// WasReworked reports whether words of a function moved.
func (c *Link) WasReworked(id *Identity) bool {
	if id == nil || id.Code == nil {
		return false
	}
	b := id.Code
	if c.Sass != nil {
		// The Mercury side keeps its offsets.
		return false
	}
	return b.Area != nil && b.Area.Words != nil && !b.Area.Words.Identity
}

// Unversioned reports whether code for sm_100 and up doesn't say its version of Mercury.
//
// Source: objects of ptxas 12.8.93 and 12.9.86 linked by nvlink 13.0 to 13.5.
func (c *Link) Unversioned(b *Body) bool {
	_, told := b.Attribute(cuda.AttrMercuryIsaVersion)
	return c.Out.Side != image.Whole && !told
}

// MovedTo is where a place of the input's code is in the output's.
func (c *Link) MovedTo(a *Area, offset uint64) uint64 {
	if a.Nodes != nil {
		return a.Nodes.at(offset)
	}
	if a.Words == nil || a.Words.Identity {
		return offset
	}
	i := offset / sass.Instruction
	if i >= uint64(len(a.Words.To)) || a.Words.To[i] < 0 {
		return offset
	}
	return uint64(a.Words.To[i])*sass.Instruction + offset%sass.Instruction
}
