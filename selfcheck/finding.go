package selfcheck

import "strconv"

// Kind is the list of the seeds' comparator that a finding belongs to.
type Kind uint8

const (
	Text  Kind = iota // code, and what describes it: symbols, attributes
	Debug             // DWARF and NVIDIA's own debug sections
	Reloc             // relocations and the values that they left
)

func (k Kind) String() string { return [...]string{"text", "debug", "reloc"}[k] }

// Aspect is what of a thing differs.
type Aspect uint8

const (
	Content  Aspect = iota // its bytes
	Count                  // it lacks, or is one too many
	Metadata               // size, address, flags, links
)

func (a Aspect) String() string { return [...]string{"content", "count", "metadata"}[a] }

// Finding is one disagreement.
type Finding struct {
	Code     int // by the report's Codes
	Kind     Kind
	Aspect   Aspect
	Section  string // "" for the file as a whole
	Offset   uint64 // in the section; in the file where Section is ""
	Expected string
	Found    string
	What     string // what was compared
}

// lacking is what a finding of a whole section is about.
const (
	lackingClone       = "Mercury clone"
	lackingCounterpart = "SASS counterpart"
	lackingSection     = "section"
)

// gravity orders findings; see [Report.Code].
func (f *Finding) gravity() int {
	switch {
	case f.Aspect == Count && (f.What == lackingClone || f.What == lackingCounterpart || f.What == lackingSection):
		return 3
	case f.Aspect == Content:
		return 2
	case f.Aspect == Count:
		return 1
	}
	return 0
}

// Detail tells the finding in words.
func (f *Finding) Detail() string {
	if f.Expected == "" && f.Found == "" {
		return f.What
	}
	return f.What + ": expected " + f.Expected + ", found " + f.Found
}

// Codes numbers findings.
type Codes struct {
	Name string
	by   [3][3]int // kind, aspect
}

// Code returns the number of a kind and an aspect.
func (c *Codes) Code(k Kind, a Aspect) int { return c.by[k][a] }

// Two readings of errors 17, 18 and 19. The seeds tell them by aspect. The
// fields that the comparator is described to look at, and the order of its
// messages, speak for the kind. Both agree on the content of texts, the number
// of debug sections and the fields of relocations.
//
//	            content  count  metadata
//	seed   any       17     18        19
//	section  text    17     17        17
//	         debug   18     18        18
//	         reloc   19     19        19
var (
	DocumentCodes = &Codes{"document", [3][3]int{{17, 18, 19}, {17, 18, 19}, {17, 18, 19}}}
	SectionCodes  = &Codes{"section", [3][3]int{Text: {17, 17, 17}, Debug: {18, 18, 18}, Reloc: {19, 19, 19}}}
)

// LookupCodes returns the table of a name, nil for none.
func LookupCodes(name string) *Codes {
	for _, c := range [...]*Codes{DocumentCodes, SectionCodes} {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func hex[T ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int](v T) string {
	return "0x" + strconv.FormatUint(uint64(v), 16)
}
