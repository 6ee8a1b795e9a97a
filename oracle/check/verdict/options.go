package verdict

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

// Options are what the linker was asked for, as far as it shows in the output. They
// and the inputs decide what is checked; nothing of that is taken from the
// output. A field that engine.Options has too has the same name and meaning there.
type Options struct {
	Arch string // "sm_90a"; "": the newest that an input was made for

	// Toolkit names the linker's release, "11.8", "13.0". "": the one that the
	// output's header names, which must not be older than the inputs'.
	Toolkit string

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

	// HostUse is what host code refers to: other kernels go. nil: it isn't
	// known.
	HostUse *HostUse

	// Strict makes findings of the remarks on what is nvlink's habit and no
	// property of a correct link: padding, tables that nothing reads, which of
	// several weak definitions was taken.
	Strict bool
}

// Debugs reports whether the link keeps what a debugger wants, code that a filter would drop included.
func (o *Options) Debugs() bool { return o.Debug && !o.SuppressDebug }

// HostUse lists the kernels that host code refers to, by name or by pattern, in
// which * stands for any characters. InternalKernels have a LOCAL symbol.
type HostUse struct {
	Kernels         []string
	InternalKernels []string
}

// Names reports whether a list names a kernel.
func (h *HostUse) Names(name string, local bool) bool {
	list := h.Kernels
	if local {
		list = h.InternalKernels
	}
	for _, pattern := range list {
		quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`)
		if ok, err := regexp.MatchString(`^(?s:`+quoted+`)$`, name); err == nil && ok {
			return true
		}
	}
	return false
}

// Filters reports whether kernels were asked for by name.
func (o *Options) Filters() bool { return o.KernelsUsed != nil || o.VariablesUsed != nil }

// ReleaseOf is the number of a toolkit's name, 130 for "13.0"; 0 for "".
func ReleaseOf(toolkit string) (r oracle.Release, ok bool) {
	if toolkit == "" {
		return 0, true
	}
	major, minor, ok := strings.Cut(toolkit, ".")
	if !ok || len(major) != 2 || len(minor) != 1 || strings.Trim(major+minor, "0123456789") != "" {
		return 0, false
	}
	for _, d := range major + minor {
		r = 10*r + oracle.Release(d-'0')
	}
	return r, true
}

// SmOf is the number of an architecture's name, 0 for none.
func SmOf(arch string) int {
	n := 0
	for _, d := range strings.TrimLeft(arch, "smcopute_") {
		if d < '0' || d > '9' || n > 999 {
			break
		}
		n = 10*n + int(d-'0')
	}
	return n
}
