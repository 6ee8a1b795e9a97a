package resources

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/engine/internal/model"
)

// What --dump-callgraph prints: one line for every function a link has met, by
// creation, the line empty where the function was removed.
//
//	4: &f1 [24] -> 7 7 7
//	|   |   |      '-- what it may call: matches of indirect calls first
//	|   |   '--------- registers, of a defined function
//	|   '------------- & address taken, ^ kernel
//	'----------------- place in the order of creation
//
// Releases that make a nameless function beside a module's first undefined one
// count it too.

const graphLegend = `callgraph for %s:
# A: s -> B // s (number A) potentially calls B
# s [N]     // s uses N registers
# ^s        // s is entry point
# &s        // s has address taken`

func (l *Usage) PrintCallgraph() {
	if len(l.Files) == 0 {
		l.Print("No relocatable objects found. Did not generate callgraph.")
		return
	}
	l.Print(fmt.Sprintf(graphLegend, fmt.Sprintf("sm_%d", l.Arch.SM)))
	number := make([]int, len(l.Funs))
	next, nameless := 1, l.Nameless
	for i := range l.Funs {
		if len(nameless) > 0 && nameless[0] == model.FunID(i) {
			nameless = nameless[1:]
			next++
		}
		number[i] = next
		next++
	}
	for i := range l.Funs {
		if i > 0 && number[i] != number[i-1]+1 || i == 0 && number[i] != 1 {
			arrow := ""
			if l.KeepsDead() {
				arrow = " ->"
			}
			l.Print(fmt.Sprintf("%d: %s", number[i]-1, arrow))
		}
		l.Print(l.graphLine(model.FunID(i), number))
	}
}

func (l *Usage) graphLine(id model.FunID, number []int) string {
	f := &l.Funs[id]
	var b strings.Builder
	fmt.Fprintf(&b, "%d: ", number[id])
	if !f.Live {
		return b.String()
	}
	if l.IsEntry(id) {
		b.WriteByte('^')
	}
	if f.Taken {
		b.WriteByte('&')
	}
	b.WriteString(l.demangled(f.Sym))
	if f.Text != model.Absent && l.Secs[f.Text].Fun == id {
		fmt.Fprintf(&b, " [%d]", f.Regs)
	}
	b.WriteString(" ->")
	for _, g := range l.CalledBy(id) {
		fmt.Fprintf(&b, " %d", number[g])
	}
	return b.String()
}

// EachCall calls visit for each call of the graph.
func (l *Usage) EachCall(visit func(caller, callee string)) {
	for i := range l.Funs {
		if !l.Funs[i].Live {
			continue
		}
		for _, g := range l.CalledBy(model.FunID(i)) {
			visit(l.SymName(l.Funs[i].Sym), l.SymName(l.Funs[g].Sym))
		}
	}
}

// demangled is the symbol's name as the graph shows it.
func (l *Usage) demangled(s model.SymID) string {
	if l.Opt.Demangle == nil {
		return l.SymName(s)
	}
	return l.Opt.Demangle(l.SymName(s))
}
