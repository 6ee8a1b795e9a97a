package engine

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Input is one object: its name as the user gave it, and its bytes, which the
// link borrows.
type Input struct {
	Name string
	Data []byte
}

// Options say what to link for and how. The zero value but for Arch is a
// plain final link.
type Options struct {
	// Arch is the target: "sm_90", "sm_90a".
	Arch string

	// Toolkit names the release to behave as, "11.8", "12.4" or "13.0"; ""
	// takes the newest among the inputs.
	Toolkit string

	// Output is the name that messages of the finalizer give the image.
	Output string

	Debug         bool // -g
	Relocatable   bool // -r
	PreserveReloc bool // --preserve-relocs
	ForceRela     bool // --force-rela

	// KernelsUsed and VariablesUsed list name fragments; a kernel whose name
	// contains none of KernelsUsed is removed. nil is no filter.
	KernelsUsed   []string
	VariablesUsed []string

	ReserveNull   bool // --reserve-null-pointer: no shared variable at address 0
	SuppressDebug bool // --suppress-debug-info: Debug shows no symbols it adds
	NoReserved    bool // --disable-smem-reservation=true: no reserved shared memory

	DumpCallgraph bool                // print the call graph among the messages
	Demangle      func(string) string // names in it; nil leaves them as they are

	// Alloc returns zeroed memory of that many bytes for the image; nil takes
	// it from the heap.
	Alloc func(size int) []byte

	ExtraWarnings        bool // -extrawarn
	SuppressStackWarning bool // --suppress-stack-size-warning
	NoWarnings           bool // -w
	WarningsAsErrors     bool // -Werror

	// Record is the command line that .note.nv.tkinfo records from 13.0 on,
	// without the input names: see CommandLine.
	Record CommandLine
}

// target is the architecture a link is for.
type target struct {
	name        string // as given: sm_90a
	sm          cuda.SM
	accelerated bool // the "a"
	family      bool // the "f"
}

// parseArch reads sm_NN, sm_NNa, sm_NNf.
func parseArch(name string) (target, bool) {
	t := target{name: name}
	digits, ok := strings.CutPrefix(name, "sm_")
	if !ok {
		return t, false
	}
	switch {
	case len(digits) > 0 && digits[len(digits)-1] == 'a':
		t.accelerated = true
		digits = digits[:len(digits)-1]
	case len(digits) > 0 && digits[len(digits)-1] == 'f':
		t.family = true
		digits = digits[:len(digits)-1]
	}
	if len(digits) < 2 || len(digits) > 3 {
		return t, false
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return t, false
		}
		t.sm = t.sm*10 + cuda.SM(c-'0')
	}
	return t, true
}
