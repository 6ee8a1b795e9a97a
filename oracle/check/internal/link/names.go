package link

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// Banks of constants; that of the compiler's own, and that of image slots, have the name of
// their function after. Each has another name on the Mercury side.
const (
	UserBank     = ".nv.constant3"
	UserBankMerc = ".nv.constant.user"
	CompilerBank = ".nv.constant2."
	MercuryBank  = ".nv.constant.optimizer."
	ImageBank    = ".nv.constant.entry_image_header_indices."
)

// ExternInstance stands for arrays of unknown length in shared memory, from 13.2 on with -r.
const ExternInstance = "externsharedinstance"

// constantSize is what code names that asks how many bytes of constants there are.
const constantSize = ".nv.ptx.const0.size"

// ReservedShared is how much shared memory the system keeps from sm_90 on: sh_size counts it,
// the addresses don't.
const ReservedShared = 0x400

// ForwardProgress is the first SM on which threads always go on.
const ForwardProgress = 70

// FlagsOwned is the release that began to mark sh_info as a section.
const FlagsOwned oracle.Release = 124

// KeepsFlags reports whether a relocatable output has the number of barriers where an
// older object has it, in the flags of code.
//
// Source: objects of 11.8 with -r by nvlink 13.0.88 and 13.5.37.
func (c *Link) KeepsFlags(a *Area) bool {
	return c.Relocatable && a != nil && a.Out != nil && a.Flags&cuda.SHFBarrierMask != 0 && a.Out.Flags&cuda.SHFBarrierMask == a.Flags&cuda.SHFBarrierMask
}

// BankOf is the number of a bank of constants by its type.
func BankOf(kind cuda.SectionType) (int, bool) {
	return Bank(&image.Section{Kind: kind})
}
