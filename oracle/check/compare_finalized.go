package check

import (
	"github.com/twinlink/twinlink/cuda"
)

// What the finalizer writes anew besides code: offsets of instructions in
// attributes and tables, where words moved, and debug information.

// attrBulkCopyOffsets, for which cuobjdump 13.5 has no name, lists where UBLKCP.S.G stand.
//
// Source: CUB's scan by ptxas 13.5 for sm_120a: five numbers, in the object and in nvlink's
// image, each the place of such a word.
const attrBulkCopyOffsets cuda.InfoAttr = 101

// countsWords reports whether an attribute holds offsets of instructions.
func countsWords(attr cuda.InfoAttr) bool {
	switch attr {
	case cuda.AttrExitInstrOffsets, cuda.AttrS2rctaidInstrOffsets, cuda.AttrCoopGroupInstrOffsets, cuda.AttrIntWarpWideInstrOffsets, cuda.AttrAtom16EmulInstrRegMap,
		cuda.AttrIndirectBranchTargets, cuda.AttrMbarrierInstrOffsets, cuda.AttrInstrRegMap, cuda.AttrUnusedLoadByteOffset, cuda.AttrSyscallOffsets,
		cuda.AttrSwWarMembarSysInstrOffsets, cuda.AttrAnnotations, cuda.AttrStackCanaryTrapOffsets, attrBulkCopyOffsets:
		return true
	}
	return false
}

// rewritten reports whether a section of the SASS side is one that the
// finalizer makes anew, so that its bytes are no input's.
func (c *check) rewritten(a *area) bool {
	return c.out.side == sassSide && a.owner == nil && a.kind == cuda.SHTProgbits && rewrites(a.name)
}

func rewrites(name string) bool {
	switch name {
	case ".debug_frame", ".debug_line", ".nv_debug_line_sass", ".nv_debug_info_reg_sass":
		return true
	}
	return false
}

// wasReworked reports whether words of a function moved.
func (c *check) wasReworked(id *identity) bool {
	if id == nil || id.code == nil {
		return false
	}
	b := id.code
	if c.sass != nil {
		// The Mercury side keeps its offsets.
		return false
	}
	return b.area != nil && b.area.words != nil && !b.area.words.identity
}

// trustTables takes over from the output the jump tables of code whose words
// moved: a word that told a place tells the new one. The tables of functions stand in
// the banks of their kernels.
func (c *check) trustTables(a *area) {
	if a.owner == nil || a.code() || a.out.body == nil {
		return
	}
	for _, p := range a.parts {
		code := p.mod.ownerOf(p.section)
		if code == nil || code.area == nil || code.area.words == nil || code.area.words.identity {
			continue
		}
		for at := roundUp(p.base, 4); at+4 <= min(p.base+p.section.size, uint64(len(a.want)), uint64(len(a.out.body))); at += 4 {
			old, is := uint64(word(a.want, at)), uint64(word(a.out.body, at))
			if old != is && c.movedTo(code.area, old) == is {
				part, _ := cut(a.out.body, at, 4)
				copy(a.want[at:], part)
			}
		}
	}
}
