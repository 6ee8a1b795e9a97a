package check

import (
	"regexp"
	"strings"

	"github.com/twinlink/twinlink/oracle"
)

// Input is one device object of a link, in the order of the command line.
type Input struct {
	Name string
	Data []byte
}

// Options are what the linker was told, as far as it shows in the output. What
// is left zero is taken from the output where it can be seen there.
type Options struct {
	Arch    string         // "sm_90a"; "": as the output's header says
	Release oracle.Release // 118, 124, 130, 135; 0: as the output's header says

	Relocatable    bool // -r
	PreserveRelocs bool // --preserve-relocs
	Debug          bool // -g
	SuppressDebug  bool // -suppress-debug-info
	KeepAll        bool // nothing is taken for dead; -g, -r and --preserve-relocs imply it
	ForceRela      bool // --force-rela
	NoReservation  bool // --disable-smem-reservation
	ReserveNull    bool // --reserve-null-pointer

	// Loose judges an image that was not made by one plain link of the inputs:
	// by two (-r, then final), or edited or stripped afterwards. What such an
	// image may lack or have another way (debug information, notes, symbols
	// that nothing names, places in shared memory) is a remark; what it must
	// not have wrong is a finding as ever.
	Loose bool

	// FilterKernels is set where -kernels-used or -variables-used was given:
	// kernels whose name contains an item of KernelsUsed stay.
	FilterKernels bool
	KernelsUsed   []string
	VariablesUsed []string

	// HostKernels says which kernels host code refers to, where that is known;
	// others go. nil: it isn't known.
	HostKernels *HostKernels
}

// HostKernels lists kernels by name or by pattern, in which * stands for any
// characters: those with a LOCAL symbol, and the others.
type HostKernels struct{ Global, Local []string }

// names reports whether a list names a kernel.
func (h *HostKernels) names(name string, local bool) bool {
	list := h.Global
	if local {
		list = h.Local
	}
	for _, pattern := range list {
		quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`)
		if ok, err := regexp.MatchString(`^(?s:`+quoted+`)$`, name); err == nil && ok {
			return true
		}
	}
	return false
}
