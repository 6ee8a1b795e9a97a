package nvjitlink

import "fmt"

// Kind is what an input is, in nvJitLink's numbers.
type Kind uint32

// The kinds of input.
const (
	Cubin   Kind = 1
	PTX     Kind = 2
	LTOIR   Kind = 3
	Fatbin  Kind = 4
	Object  Kind = 5  // a host object with device code inside
	Library Kind = 6  // an archive of such
	Index   Kind = 7  // a unified-table index
	Any     Kind = 10 // the library looks for itself; from 12.3 on
)

var kindNames = map[Kind]string{Cubin: "cubin", PTX: "PTX", LTOIR: "LTO IR", Fatbin: "fatbin", Object: "object", Library: "library", Index: "index", Any: "any"}

// String names the kind.
func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("kind %d", uint32(k))
}

// Input is one file of a link.
type Input struct {
	Kind Kind
	Name string // shows in messages
	Data []byte
}

// Question is one link.
type Question struct {
	// Options as nvJitLink takes them: one dash, the value after "=":
	// "-arch=sm_90", "-lto", "-kernels-used=k".
	Options []string
	Inputs  []Input
	// PTX asks for the PTX that "-lto -ptx" makes instead of a cubin.
	PTX bool
}

// check reports what can't go over a C interface.
func (q *Question) check() error {
	for _, o := range q.Options {
		if hasNUL(o) {
			return &CannotAskError{What: o, Reason: "an option with a NUL inside"}
		}
	}
	total := 0
	for i := range q.Inputs {
		if hasNUL(q.Inputs[i].Name) {
			return &CannotAskError{What: q.Inputs[i].Name, Reason: "a name with a NUL inside"}
		}
		total += len(q.Inputs[i].Data)
	}
	if total > maxQuestion {
		return &CannotAskError{What: fmt.Sprintf("%d bytes of inputs", total), Reason: fmt.Sprintf("at most %d are sent", maxQuestion)}
	}
	return nil
}

// maxQuestion leaves room in a frame for names and options.
const maxQuestion = 1<<30 - 1<<24

func hasNUL(s string) bool {
	for i := range len(s) {
		if s[i] == 0 {
			return true
		}
	}
	return false
}
