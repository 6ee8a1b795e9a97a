package resources

import (
	"fmt"

	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// checkStack reports a kernel whose stack is larger than its MAX_STACK_SIZE allows; 0 is no limit, and an unknown
// stack is beyond every limit.
func (l *Usage) checkStack(k model.FunID, stack uint32) {
	f := &l.Funs[k]
	at := f.Mod[model.ModMaxStack]
	if at == 0 {
		return
	}
	limit := l.ModuleAttributes[at-1].Word(1)
	if limit == 0 || stack <= limit {
		return
	}
	name := l.SymName(f.Sym)
	l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.StackLimit, Symbol: name, Value: uint64(stack),
		Text: fmt.Sprintf("Function '%s' uses %d bytes stack but limited to %d", name, int32(stack), int32(limit))})
}
