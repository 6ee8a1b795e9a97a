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

// Options are what the linker was told, as far as it shows in the output. They
// and the inputs decide what is checked; nothing of that is taken from the
// output.
type Options struct {
	Arch string // "sm_90a"; "": the newest that an input was made for

	// Release is the linker's toolkit, 118, 124, 130, 135. 0: the one that the
	// output's header names, which must not be older than the inputs'.
	Release oracle.Release

	Relocatable    bool // -r
	PreserveRelocs bool // --preserve-relocs
	Debug          bool // -g
	SuppressDebug  bool // -suppress-debug-info
	ForceRela      bool // --force-rela
	NoReserved     bool // --disable-smem-reservation=true
	ReserveNull    bool // --reserve-null-pointer

	// KernelsUsed and VariablesUsed list name fragments; a kernel whose name
	// contains none of KernelsUsed may be missing. nil is no filter.
	KernelsUsed   []string
	VariablesUsed []string

	// HostKernels says which kernels host code refers to, where that is known;
	// others go. nil: it isn't known.
	HostKernels *HostKernels

	// Strict makes findings of the remarks on what is nvlink's habit and no
	// property of a correct link: padding, tables that nothing reads, which of
	// several weak definitions was taken.
	Strict bool
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

// filters reports whether kernels were asked for by name.
func (o *Options) filters() bool { return o.KernelsUsed != nil || o.VariablesUsed != nil }

// smOf is the number of an architecture's name, 0 for none.
func smOf(arch string) int {
	n := 0
	for _, d := range strings.TrimLeft(arch, "smcopute_") {
		if d < '0' || d > '9' || n > 999 {
			break
		}
		n = 10*n + int(d-'0')
	}
	return n
}
