package merge

import (
	"fmt"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
)

// checkSanitized refuses sanitized code of two toolkits, once for each function that
// stands. nvlink 13.1 to 13.5 asked; no toolkit before 13.0 makes such code.
func (l *merger) checkSanitized(m *module, rec *cubin.InfoRecord) {
	if rec.Attr != cuda.AttrSanitize {
		return
	}
	toolkit := l.Toolkit(m.num)
	if l.sanitizedBy == 0 {
		l.sanitizedBy = toolkit
	}
	if toolkit != l.sanitizedBy {
		l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.WrongToolkit, File: m.file.Name, Value: uint64(toolkit),
			Text: fmt.Sprintf("Cannot link sanitized object '%s' from version %d with sanitized object from a different toolkit version (%d)",
				m.file.Name, toolkit, l.sanitizedBy)})
	}
}
