package resolve

import (
	"fmt"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// A YIELD is made a NOP by a record against symbol 0, whose value nvlink adds. That is
// not zero where nvlink moved symbol 0 instead of a constant of a definition that lost:
// the operation is then another one, or none.

// IsYield reports whether a type is that of a YIELD, which stays where threads advance
// independently.
func IsYield(typ uint32) bool {
	return typ == cuda.R_CUDA_YIELD_OPCODE9_0 || typ == cuda.R_CUDA_YIELD_CLEAR_PRED4_87
}

// warnYields tells of each function whose YIELDs become another operation.
func (l *Resolution) warnYields() {
	if l.NullValue == 0 {
		return
	}
	for i, t := range l.patches() {
		for j := range l.Parts[i].Relocs {
			r := &l.Parts[i].Relocs[j]
			if r.Type == cuda.R_CUDA_YIELD_OPCODE9_0 && r.Sym == model.Absent && r.Disposition == model.Applied {
				l.SayYield(t, l.FileName(r.File), r.Off)
				break
			}
		}
	}
}

// SayYield warns of a YIELD in a section that a file brought.
func (l *Resolution) SayYield(target model.SecID, file string, off uint64) {
	section := l.Names.Str(l.Secs[target].Name)
	l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Displaced, File: file, Section: section, Offset: off, Value: l.NullValue,
		Text: fmt.Sprintf("YIELD in %s of '%s' becomes another operation, as with nvlink %s, because a function with a jump table is defined twice", section, file, l.Release.Name)})
}
