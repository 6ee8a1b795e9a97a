package engine

import (
	"fmt"
	"strings"
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

func (l *linker) dumpCallgraph() {
	l.print(fmt.Sprintf(graphLegend, fmt.Sprintf("sm_%d", l.arch.sm)))
	number := make([]int, len(l.funs))
	next, nameless := 1, l.nameless
	for i := range l.funs {
		if len(nameless) > 0 && nameless[0] == funID(i) {
			nameless = nameless[1:]
			next++
		}
		number[i] = next
		next++
	}
	for i := range l.funs {
		if i > 0 && number[i] != number[i-1]+1 || i == 0 && number[i] != 1 {
			arrow := ""
			if l.keepsDead() {
				arrow = " ->"
			}
			l.print(fmt.Sprintf("%d: %s", number[i]-1, arrow))
		}
		l.print(l.graphLine(funID(i), number))
	}
}

func (l *linker) graphLine(id funID, number []int) string {
	f := &l.funs[id]
	var b strings.Builder
	fmt.Fprintf(&b, "%d: ", number[id])
	if !f.live {
		return b.String()
	}
	if l.entry(id) {
		b.WriteByte('^')
	}
	if f.taken {
		b.WriteByte('&')
	}
	b.WriteString(l.demangled(f.sym))
	if f.text != absent && l.secs[f.text].fun == id {
		fmt.Fprintf(&b, " [%d]", f.regs)
	}
	b.WriteString(" ->")
	for _, g := range l.calledBy(id) {
		fmt.Fprintf(&b, " %d", number[g])
	}
	return b.String()
}

// demangled is the symbol's name as the graph shows it.
func (l *linker) demangled(s symID) string {
	if l.opt.Demangle == nil {
		return l.symName(s)
	}
	return l.opt.Demangle(l.symName(s))
}

func (l *linker) print(text string) {
	l.say(Diagnostic{Severity: Plain, Text: text})
}
