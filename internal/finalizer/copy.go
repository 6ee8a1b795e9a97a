package finalizer

import (
	"bytes"
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// flagsOffset is where e_flags is in the header: the "+48" of the document.
const flagsOffset = 48

// Copyable reports whether the code runs on the target as it is: attribute 11
// has the target's bit.
func Copyable(x *Facts, target cuda.SM) bool {
	if x.SM == target {
		return true
	}
	bit, ok := fastpathBits[target]
	return ok && x.Kind == Capmerc && x.Fastpath&bit == bit
}

// Retarget copies a file for a target on which its code runs as it is. All that
// changes is the SM in the header: bits 8 to 23 of e_flags, or the low byte in
// files of toolkits before 13.0.
func Retarget(f *cubin.File, target cuda.SM) []byte {
	out := bytes.Clone(f.Data)
	flags := f.Header.Flags
	if f.Header.New() {
		flags = flags&^uint32(cuda.EFSMMask) | uint32(target)<<cuda.EFSMShift
	} else {
		flags = flags&^uint32(cuda.EFLegacySM) | uint32(target)
	}
	binary.LittleEndian.PutUint32(out[flagsOffset:], flags)
	return out
}
