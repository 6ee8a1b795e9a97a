package model

import (
	"fmt"

	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// nullPointer is data that holds zero where an input has it hold an address.
type nullPointer struct {
	to     names.ID
	file   int32
	target SecID
}

// NotePointer notes that nvlink leaves data in a section zero where a file has it hold an
// address.
func (l *Program) NotePointer(to names.ID, file int32, target SecID) {
	l.nullPointers = append(l.nullPointers, nullPointer{to, file, target})
}

// WarnNullPointers tells of what was noted, once a link is known to succeed.
func (l *Program) WarnNullPointers() {
	for _, p := range l.nullPointers {
		name, in, section := l.Names.Str(p.to), l.FileName(p.file), l.Names.Str(l.Secs[p.target].Name)
		l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.NullPointer, File: in, Section: section, Symbol: name,
			Text: fmt.Sprintf("Pointer to '%s' in %s of '%s' is zero, because another input defines '%s' too, as with nvlink %s", name, section, in, name, l.Release.Name)})
	}
	l.nullPointers = nil
}
