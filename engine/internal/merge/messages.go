package merge

import (
	"fmt"

	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// firstFile names the input that brought a symbol in; images are listed apart,
// and the tool has no name for theirs.
func (l *merger) firstFile(s model.SymID) string {
	if l.Syms[s].IsTexture() {
		return "<input>"
	}
	return l.FileName(l.Syms[s].File)
}

// clash reports that an input and an earlier one disagree about a name; the
// text takes the name, this input and the first.
func (l *merger) clash(kind diag.Kind, m *module, s model.SymID, text string) {
	name := l.SymName(s)
	l.Say(diag.Diagnostic{Severity: diag.Error, Kind: kind, File: m.file.Name, Symbol: name, Text: fmt.Sprintf(text, name, m.file.Name, l.firstFile(s))})
}

func (l *merger) multipleDefinition(m *module, s model.SymID) {
	l.clash(diag.MultipleDefinition, m, s, "Multiple definition of '%s' in '%s', first defined in '%s'")
}

func (l *merger) prototypeMismatch(m *module, s model.SymID) {
	l.clash(diag.PrototypeMismatch, m, s, "Prototype doesn't match for '%s' in '%s', first defined in '%s'")
}

func (l *merger) sizeMismatch(m *module, s model.SymID) {
	l.clash(diag.SizeMismatch, m, s, "Size doesn't match for '%s' in '%s', first specified in '%s'")
}

func (l *merger) spaceMismatch(m *module, s model.SymID) {
	l.clash(diag.SpaceMismatch, m, s, "Memory space doesn't match for '%s' in '%s', first specified in '%s'")
}

func (l *merger) managedMismatch(m *module, s model.SymID) {
	l.clash(diag.SpaceMismatch, m, s, "Managed attribute doesn't match for '%s' in '%s', first specified in '%s'")
}

func (l *merger) paramMismatch(m *module, s model.SymID) {
	name := l.SymName(s)
	l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.SizeMismatch, File: m.file.Name, Symbol: name,
		Text: fmt.Sprintf("Duplicate weak parameter bank for '%s' is not the same size", name)})
}

func (l *merger) entryMismatch(m *module, s model.SymID) {
	name := l.SymName(s)
	l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.EntryMismatch, File: m.file.Name, Symbol: name,
		Text: fmt.Sprintf("Function '%s' not declared __global__ in all source files", name)})
}

func (l *merger) commonTooLarge(m *module, s model.SymID, file string) {
	name := l.SymName(s)
	l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.SizeMismatch, File: m.file.Name, Symbol: name,
		Text: fmt.Sprintf("Common symbol '%s' in file '%s' has larger size than initialization", name, file)})
}
