package resources

import (
	"fmt"

	"github.com/twinlink/twinlink/engine/internal/diag"
)

// checkShared reports kernels that use more shared memory than nvlink lets them, in the
// order of their symbols. A link with -r asks nothing. Of a made-up size nvlink takes 32 bits with a sign.
func (l *Usage) checkShared() {
	most := l.Release.MostShared(l.Arch)
	for _, k := range l.AllKernels() {
		if n := int32(l.UsedShared(k)); n > most {
			name := l.SymName(l.Funs[k].Sym)
			l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.SharedLimit, Symbol: name, Value: uint64(n),
				Text: fmt.Sprintf("Entry function '%s' uses too much shared data (0x%x bytes, 0x%x max)", name, n, most)})
		}
	}
}
