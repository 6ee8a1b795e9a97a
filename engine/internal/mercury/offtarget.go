package mercury

import (
	"fmt"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/engine/internal/diag"
)

// notMade refuses a function of sm_100 with instructions that sm_103 runs with other
// latencies, which this linker can't make code of sm_103.
func (l *Backend) notMade(fn *code) error {
	from := fn.input.File.Header.SM()
	for at := 0; at+capsule.WordSize <= len(fn.sass); at += capsule.WordSize {
		if op := opcode(fn.sass[at:]); isDouble(op) || op == opIMMA {
			name := l.SymName(l.Funs[l.Secs[fn.text].Fun].Sym)
			return &diag.LinkError{Exit: 1, Diags: []diag.Diagnostic{{
				Severity: diag.Fatal, Kind: diag.Unsupported, File: fn.input.File.Name, Section: fn.sourceName(), Symbol: name, Offset: uint64(at), Value: uint64(op),
				Text: fmt.Sprintf("Function '%s' of sm_%d has FP64 or integer matrix instructions (opcode 0x%x at 0x%x); converting it to sm_%d is not supported by twinlink", name, from, op, at, l.Arch.SM),
			}}}
		}
	}
	return nil
}
