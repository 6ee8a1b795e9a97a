package verdict

import "fmt"

// RefusalKind says why a file can't be read or a check can't be made.
type RefusalKind uint8

const (
	NotELF     RefusalKind = iota + 1 // no ELF magic, or shorter than an ELF header
	WrongClass                        // not 64-bit little-endian
	NotDevice                         // e_machine is not EM_CUDA
	BadTable                          // section or program header table outside the file
	BadSection                        // a section's bytes are outside the file
	BadSymbols                        // symbol table, name or section index out of range
	BadRecords                        // relocations, attributes, call graph or notes that don't parse
	BadOptions                        // options that contradict each other or the inputs
	TooMuch                           // the work would pass the budget
)

var refusalNames = [...]string{"?", "not an ELF file", "not a 64-bit little-endian ELF file", "not a device ELF file",
	"header table out of range", "section out of range", "bad symbol table", "bad records", "bad options", "more work than the budget allows"}

// String returns the reason in words.
func (k RefusalKind) String() string {
	if int(k) < len(refusalNames) {
		return refusalNames[k]
	}
	return "?"
}

// Refusal is the error of everything here that can't be read.
type Refusal struct {
	Kind    RefusalKind
	File    string
	Section string
	Offset  uint64
	Value   uint64
}

func (r *Refusal) Error() string {
	where := r.File
	if r.Section != "" {
		where += ": " + r.Section
	}
	return fmt.Sprintf("%s: %s (offset 0x%x, value 0x%x)", where, r.Kind, r.Offset, r.Value)
}
