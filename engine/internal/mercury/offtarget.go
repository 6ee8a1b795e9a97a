package mercury

import (
	"fmt"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/engine/internal/diag"
)

// offTarget refuses code of sm_100 that sm_103 runs with other latencies. There
// FP64 and IMMA results arrive behind a scoreboard, so the code of sm_100, which
// counts cycles for them, would read old values. The tool makes other code of
// such functions (nvlink 13.0.88: scoreboards, pacing by NOPs); this linker
// doesn't know how.
func (l *Backend) offTarget(fn *code) error {
	from := fn.input.File.Header.SM()
	if l.IsRelocatable() || from != 100 || l.Arch.SM != 103 {
		return nil
	}
	for at := 0; at+capsule.WordSize <= len(fn.sass); at += capsule.WordSize {
		if op := opcode(fn.sass[at:]); isDouble(op) || op == opIMMA {
			name := l.SymName(l.Funs[l.Secs[fn.text].Fun].Sym)
			return &diag.LinkError{Exit: 1, Diags: []diag.Diagnostic{{
				Severity: diag.Fatal, Kind: diag.Unsupported, File: fn.input.File.Name, Section: fn.input.File.SectionName(&fn.sasssec), Symbol: name, Offset: uint64(at), Value: uint64(op),
				Text: fmt.Sprintf("Function '%s' of sm_%d has FP64 or integer matrix instructions (opcode 0x%x at 0x%x); making sm_%d code of it is not supported by twinlink", name, from, op, at, l.Arch.SM),
			}}}
		}
	}
	return nil
}
