package registration

import (
	"fmt"
	"strconv"
	"strings"
)

// FaultKind says what is wrong.
type FaultKind string

// Kinds of faults, as keys of a report.
const (
	Malformed    FaultKind = "registration.malformed" // a line of no known form
	Count        FaultKind = "registration.count"     // NUM_PRELINKED_OBJECTS is another number
	Twice        FaultKind = "registration.twice"     // one identifier is registered twice
	Unregistered FaultKind = "registration.missing"   // a module that nothing registers
	Unknown      FaultKind = "registration.unknown"   // an identifier of no module
	NoKernel     FaultKind = "registration.kernel"    // host code refers to a kernel that no image has
	NoVariable   FaultKind = "registration.variable"  // the same of a variable or constant
)

// Fault is one thing that is wrong. Name is an identifier, or a pattern of a
// name; Image the architecture that lacks it.
type Fault struct {
	Kind  FaultKind
	Name  string
	Image string
}

// String says it in a line.
func (f Fault) String() string {
	s := string(f.Kind) + " " + strconv.Quote(f.Name)
	if f.Image != "" {
		s += " in " + f.Image
	}
	return s
}

// ReadFile reads a registration file: the number on its first line and the
// identifiers after it.
func ReadFile(text []byte) (count int, names []string, err error) {
	const head, line = "#define NUM_PRELINKED_OBJECTS ", "DEFINE_REGISTER_FUNC("
	count = -1
	for i, l := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		switch number, isHead := strings.CutPrefix(l, head); {
		case isHead && count < 0:
			if count, err = strconv.Atoi(number); err != nil || count < 0 {
				return 0, nil, fmt.Errorf("line %d: no number of objects: %q", i+1, l)
			}
		case strings.HasPrefix(l, line) && strings.HasSuffix(l, ")"):
			names = append(names, strings.TrimSuffix(l[len(line):], ")"))
		default:
			return 0, nil, fmt.Errorf("line %d: no form of a registration file: %q", i+1, l)
		}
	}
	return count, names, nil
}

// CheckFile holds a registration file against the identifiers that a link's
// inputs ask for.
func CheckFile(text []byte, want []string) []Fault {
	count, names, err := ReadFile(text)
	if err != nil {
		return []Fault{{Kind: Malformed, Name: err.Error()}}
	}
	var faults []Fault
	if count != len(names) {
		faults = append(faults, Fault{Kind: Count, Name: strconv.Itoa(count)})
	}
	return append(faults, matchNames(names, want)...)
}

// matchNames compares what is registered with what there is to register.
func matchNames(registered, modules []string) []Fault {
	var faults []Fault
	seen := make(map[string]bool)
	for _, n := range registered {
		if seen[n] {
			faults = append(faults, Fault{Kind: Twice, Name: n})
		}
		seen[n] = true
	}
	known := make(map[string]bool)
	for _, m := range modules {
		if !known[m] && !seen[m] {
			faults = append(faults, Fault{Kind: Unregistered, Name: m})
		}
		known[m] = true
	}
	for _, n := range registered {
		if !known[n] {
			faults = append(faults, Fault{Kind: Unknown, Name: n})
			known[n] = true
		}
	}
	return faults
}
