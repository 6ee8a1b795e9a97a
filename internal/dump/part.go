package dump

import (
	"fmt"
	"strings"
)

// Part names a part of a dump.
type Part uint16

const (
	PartHeader Part = 1 << iota
	PartPrograms
	PartSections
	PartSymbols
	PartRelocations
	PartInfo
	PartCallgraph
	PartRelAction
	PartNotes
	PartCompat

	All = 1<<iota - 1
)

var partNames = [...]string{"header", "programs", "sections", "symbols", "relocations", "info", "callgraph", "relaction", "notes", "compat"}

// PartNames lists the names ParseParts knows.
func PartNames() []string { return partNames[:] }

// ParseParts reads names separated by commas.
func ParseParts(list string) (Part, error) {
	var parts Part
	for _, name := range strings.Split(list, ",") {
		p := Part(0)
		for i, n := range partNames {
			if n == name {
				p = 1 << i
			}
		}
		if p == 0 {
			return 0, &PartError{name}
		}
		parts |= p
	}
	return parts, nil
}

// PartError is a name that is no part.
type PartError struct{ Name string }

func (e *PartError) Error() string {
	return fmt.Sprintf("no part is named %q; there are %s", e.Name, strings.Join(partNames[:], ", "))
}
