package model

import (
	"fmt"

	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// WarnNullPointer says that data in a section holds zero where an input has it hold an
// address: nvlink leaves it so, without a word.
func (l *Program) WarnNullPointer(to names.ID, file int32, target SecID) {
	name, in, section := l.Names.Str(to), l.FileName(file), l.Names.Str(l.Secs[target].Name)
	l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.NullPointer, File: in, Section: section, Symbol: name,
		Text: fmt.Sprintf("Pointer to '%s' in %s of '%s' is zero, since an earlier input defines '%s' too, as with nvlink %s", name, section, in, name, l.Release.Name)})
}
