package resources

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// A kernel compiled for a limited number of registers can't call code that
// needs more.

// noRegisterLimit is the MAXREG_COUNT of a kernel without a limit; of the attribute nvlink reads one byte.
const noRegisterLimit = 0xff

// IsUnrated reports whether a record says that some code has no registers that is
// linked, or a kernel that a filter omits; 11.8 asks for dead code too.
func (l *Usage) IsUnrated() bool {
	if l.IsRelocatable() {
		return false
	}
	for i := range l.Funs {
		f := &l.Funs[i]
		if f.Regs == 0 && f.Mod[model.ModRegs] > 0 && f.Text != model.Absent && (f.Live || l.Release.RegistersFirst || l.Syms[f.Sym].Other&cuda.STOEntry != 0) {
			return true
		}
	}
	return false
}

// CheckRegisters reports calls that break a limit: functions in the order of
// their .nv.info.<f>, and for each the kernels whose count it raises, the last
// first. With the call graph it prints every raise.
func (l *Usage) CheckRegisters() {
	if l.IsRelocatable() {
		return
	}
	var raised []model.FunID
	for _, k := range slices.Backward(l.LiveKernels()) {
		if l.Opt.DumpCallgraph || l.needs[k] > l.registerLimit(k) {
			raised = append(raised, k)
		}
	}
	count := make(map[model.FunID]uint32)
	for _, reached := range l.reachedBy(raised) {
		n := l.Funs[reached.code].Regs
		for _, k := range reached.kernels {
			if n > max(count[k], l.Funs[k].Regs) {
				count[k] = n
				l.tellRegisters(k, reached.code)
			}
		}
	}
}

// registerLimit is how many registers a kernel was compiled for.
func (l *Usage) registerLimit(k model.FunID) uint32 {
	if r := l.Attribute(l.Funs[k].Info, cuda.AttrMaxregCount); r != nil && uint8(r.Value) != 0 {
		return uint32(uint8(r.Value))
	}
	return noRegisterLimit
}

// reachedCode is a function and the kernels that reach it.
type reachedCode struct {
	code    model.FunID
	kernels []model.FunID
}

// reachedBy returns what some kernels reach but themselves, in the order of the code.
func (l *Usage) reachedBy(kernels []model.FunID) []reachedCode {
	var list []reachedCode
	at := make(map[model.FunID]int)
	for _, k := range kernels {
		l.Reach(k, func(f model.FunID) {
			if f == k {
				return
			}
			i, ok := at[f]
			if !ok {
				i, at[f] = len(list), len(list)
				list = append(list, reachedCode{code: f})
			}
			list[i].kernels = append(list[i].kernels, k)
		})
	}
	slices.SortFunc(list, func(a, b reachedCode) int { return int(l.Funs[a.code].Text) - int(l.Funs[b.code].Text) })
	return list
}

// tellRegisters reports that some code raises the count of a kernel.
func (l *Usage) tellRegisters(k, code model.FunID) {
	n, limit := l.Funs[code].Regs, l.registerLimit(k)
	if n > limit {
		l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.RegisterLimit, Symbol: l.SymName(l.Funs[k].Sym), Value: uint64(n),
			Text: fmt.Sprintf("entry function '%s' with max regcount of %d calls function '%s' with regcount of %d",
				l.SymName(l.Funs[k].Sym), limit, l.SymName(l.Funs[code].Sym), int32(n))})
	}
	if l.Opt.DumpCallgraph {
		l.Print(fmt.Sprintf("regcount %d for %s propagated to entry %s", n, l.demangled(l.Funs[code].Sym), l.demangled(l.Funs[k].Sym)))
	}
}
