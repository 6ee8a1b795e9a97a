package engine

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// A kernel compiled for a limited number of registers can't call code that
// needs more.

// noRegisterLimit is the MAXREG_COUNT of a kernel without a limit.
const noRegisterLimit = 0xff

// checkRegisters reports calls that break a limit: functions in the order of
// their .nv.info.<f>, and for each the kernels whose count it raises, the last
// first. With the call graph it prints every raise.
func (l *linker) checkRegisters() {
	if l.isRelocatable() {
		return
	}
	if l.opt.DumpCallgraph {
		l.dumpCallgraph()
	}
	var raised []funID
	limit := make(map[funID]uint32)
	for _, k := range slices.Backward(l.liveKernels()) {
		limit[k] = noRegisterLimit
		if r := l.record(l.funs[k].info, cuda.AttrMaxregCount); r != nil {
			limit[k] = uint32(r.value)
		}
		if l.opt.DumpCallgraph || limit[k] != noRegisterLimit && l.needs[k] > limit[k] {
			raised = append(raised, k)
		}
	}
	if len(raised) == 0 {
		return
	}
	callers := make(map[funID][]funID)
	var code []funID
	for _, k := range raised {
		l.reach(k, func(f funID) {
			if f == k {
				return
			}
			if callers[f] == nil {
				code = append(code, f)
			}
			callers[f] = append(callers[f], k)
		})
	}
	slices.SortFunc(code, func(a, b funID) int { return int(l.funs[a].text) - int(l.funs[b].text) })
	count := make(map[funID]uint32)
	for _, f := range code {
		for _, k := range callers[f] {
			n := l.funs[f].regs
			if n <= max(count[k], l.funs[k].regs) {
				continue
			}
			count[k] = n
			if n > limit[k] {
				l.say(Diagnostic{Severity: Error, Kind: RegisterLimit, Symbol: l.symName(l.funs[k].sym), Value: uint64(n),
					Text: fmt.Sprintf("entry function '%s' with max regcount of %d calls function '%s' with regcount of %d",
						l.symName(l.funs[k].sym), limit[k], l.symName(l.funs[f].sym), n)})
			}
			if l.opt.DumpCallgraph {
				l.print(fmt.Sprintf("regcount %d for %s propagated to entry %s", n, l.demangled(l.funs[f].sym), l.demangled(l.funs[k].sym)))
			}
		}
	}
}
