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
// linked, or a kernel that a filter leaves out; 11.8 asks for dead code too.
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
	limit := make(map[model.FunID]uint32)
	for _, k := range slices.Backward(l.LiveKernels()) {
		limit[k] = noRegisterLimit
		if r := l.Attribute(l.Funs[k].Info, cuda.AttrMaxregCount); r != nil && uint8(r.Value) != 0 {
			limit[k] = uint32(uint8(r.Value))
		}
		if l.Opt.DumpCallgraph || l.needs[k] > limit[k] {
			raised = append(raised, k)
		}
	}
	if len(raised) == 0 {
		return
	}
	callers := make(map[model.FunID][]model.FunID)
	var code []model.FunID
	for _, k := range raised {
		l.Reach(k, func(f model.FunID) {
			if f == k {
				return
			}
			if callers[f] == nil {
				code = append(code, f)
			}
			callers[f] = append(callers[f], k)
		})
	}
	slices.SortFunc(code, func(a, b model.FunID) int { return int(l.Funs[a].Text) - int(l.Funs[b].Text) })
	count := make(map[model.FunID]uint32)
	for _, f := range code {
		for _, k := range callers[f] {
			n := l.Funs[f].Regs
			if n <= max(count[k], l.Funs[k].Regs) {
				continue
			}
			count[k] = n
			if n > limit[k] {
				l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.RegisterLimit, Symbol: l.SymName(l.Funs[k].Sym), Value: uint64(n),
					Text: fmt.Sprintf("entry function '%s' with max regcount of %d calls function '%s' with regcount of %d",
						l.SymName(l.Funs[k].Sym), limit[k], l.SymName(l.Funs[f].Sym), int32(n))})
			}
			if l.Opt.DumpCallgraph {
				l.Print(fmt.Sprintf("regcount %d for %s propagated to entry %s", n, l.demangled(l.Funs[f].Sym), l.demangled(l.Funs[k].Sym)))
			}
		}
	}
}
