package capsule

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Attributes of .nv.info.F whose payload holds offsets of instructions. In
// .nv.merc.nv.info.F the same words are Mercury offsets: of the start of a
// node, where SASS names one word of it. Everything else is equal on both sides.
//
//	1c 28 31 46 47 57 65   u32 offset…
//	39                  {u32 offset, 3 words}…
//	40                  {u32 offset, 2 words}…
//	2e 44               {u32 offset, 1 word}…
//	34                  {u32 branch, 0, n, n × u32 target}…
//	55                  {1, offset} {2, offset, n, n bytes} {3, n, n bytes}…, padded to words
//
// 0xffffffff stands for no instruction. Source: 13,000 functions of ptxas and
// nvlink 13.0 and 13.5, objects of 13.4 for 65; 47 and 57 were never seen and are
// taken to be like 46.

// NoOffset is an offset word that means no instruction.
const NoOffset = 0xffffffff

// attr101 was first seen in objects of 13.4; what it is for isn't known.
const attr101 cuda.InfoAttr = 101

// offsetStride is the number of words per offset of the regular payloads.
var offsetStride = [1 << 8]int{
	cuda.AttrExitInstrOffsets:           1,
	cuda.AttrCoopGroupInstrOffsets:      1,
	cuda.AttrIntWarpWideInstrOffsets:    1,
	cuda.AttrSyscallOffsets:             1,
	cuda.AttrSwWarMembarSysInstrOffsets: 1,
	cuda.AttrStackCanaryTrapOffsets:     1,
	attr101:                             1,
	cuda.AttrAtom16EmulInstrRegMap:      2,
	cuda.AttrUnusedLoadByteOffset:       2,
	cuda.AttrInstrRegMap:                3,
	cuda.AttrMbarrierInstrOffsets:       4,
}

// HasOffsets reports whether an attribute's payload holds offsets of instructions.
func HasOffsets(a cuda.InfoAttr) bool {
	return offsetStride[a] != 0 || a == cuda.AttrIndirectBranchTargets || a == cuda.AttrAnnotations
}

// VisitOffsets calls visit with the byte position in data of every offset
// word. A payload that hasn't the form of its attribute is a fault; its offset
// counts from the payload's start.
func VisitOffsets(a cuda.InfoAttr, data []byte, visit func(at int)) *Fault {
	if stride := offsetStride[a]; stride != 0 {
		if len(data)%(4*stride) != 0 {
			return bad(0, uint64(len(data)), "a payload of that many bytes is not a table of its attribute")
		}
		for at := 0; at < len(data); at += 4 * stride {
			visit(at)
		}
		return nil
	}
	switch a {
	case cuda.AttrIndirectBranchTargets:
		return VisitBranches(data, visit, visit)
	case cuda.AttrAnnotations:
		return visitAnnotations(data, visit)
	}
	return nil
}

// VisitBranches calls branch for the place of each indirect branch's own offset in a payload of
// INDIRECT_BRANCH_TARGETS, and target for those of its targets' offsets.
func VisitBranches(data []byte, branch, target func(at int)) *Fault {
	for pos := uint64(0); pos < uint64(len(data)); {
		head, ok := cubin.Window(data, pos, 12)
		if !ok {
			return bad(pos, uint64(len(data)), "a branch goes past the payload")
		}
		n := uint64(binary.LittleEndian.Uint32(head[8:]))
		if _, ok := cubin.Window(data, pos+12, 4*n); !ok {
			return bad(pos+8, n, "so many targets go past the payload")
		}
		branch(int(pos))
		for i := range n {
			target(int(pos + 12 + 4*i))
		}
		pos += 12 + 4*n
	}
	return nil
}

// Annotations are of three forms.
const (
	annotationOffset     = 1
	annotationOffsetData = 2
	annotationData       = 3
)

func visitAnnotations(data []byte, visit func(at int)) *Fault {
	word := func(pos uint64) (uint64, bool) {
		b, ok := cubin.Window(data, pos, 4)
		if !ok {
			return 0, false
		}
		return uint64(binary.LittleEndian.Uint32(b)), true
	}
	for pos := uint64(0); pos < uint64(len(data)); {
		form, ok := word(pos)
		if !ok {
			return bad(pos, uint64(len(data)), "an annotation goes past the payload")
		}
		at := pos + 4
		if form == annotationOffset || form == annotationOffsetData {
			if _, ok := word(at); !ok {
				return bad(at, form, "an annotation goes past the payload")
			}
			visit(int(at))
			at += 4
		}
		switch form {
		case annotationOffset:
		case annotationOffsetData, annotationData:
			n, ok := word(at)
			if _, fits := cubin.Window(data, at+4, n); !ok || !fits {
				return bad(at, n, "an annotation's data go past the payload")
			}
			at += 4 + (n+3)&^3
		default:
			return bad(pos, form, "no form of annotation")
		}
		pos = at
	}
	return nil
}
