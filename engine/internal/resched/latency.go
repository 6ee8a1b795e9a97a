package resched

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// How many cycles a consumer follows a producer at least, by opcodes of both:
// the shortest that ptxas 13.0.88 and 13.5.37, and nvlink 13.0.88 in code for sm_103, were seen
// to leave, but for what one in two hundred undercuts. hazard says which register it is.
//
//go:embed latency.tsv
var latencyText string

// hazard is in what way one word depends on another.
type hazard uint8

const (
	// Below: the number of the register among those of a result.
	hazardGuard     hazard = 8
	hazardPredicate hazard = 9
	hazardUniform   hazard = 16 // and the number of the register
	hazardUnit      hazard = 32 // both are of the memory unit
	hazardNext      hazard = 33 // one stands right after the other
	hazardOver      hazard = 34 // both write a register
	hazardHigh      hazard = 40 // and the number: it is the second of a pair that the consumer reads
	hazardOperand   hazard = 64 // times the number of the consumer's operand
)

type pair struct {
	from, to uint16
	hazard   hazard
}

// Of code for sm_120, by ptxas 13.0.88; of results, and of what is in front, also by ptxas 13.5.37
// and nvlink 13.1.115 and 13.5.37 where nothing waits in between. That two LDS stand four cycles apart
// is of blocks that nvlink set apart again.
//
//go:embed latency120.tsv
var latencyText120 string

// Of pairs that latency.tsv has not, in code that is set apart for sm_103: the shortest that ptxas 13.0.88 and
// 13.5.37 leave for sm_100 in libraries, HeCBench, SHOC and CUDA samples.
//
//go:embed latency103.tsv
var latencyText103 string

var (
	latenciesMore = sync.OnceValue(func() map[pair]int { return readLatencies(latencyText103) })
	latencies103  = sync.OnceValue(func() map[pair]int { return readLatencies(latencyText) })
	latencies120  = sync.OnceValue(func() map[pair]int { return readLatencies(latencyText120) })
)

func readLatencies(text string) map[pair]int {
	m := map[pair]int{}
	for line := range strings.Lines(text) {
		if line[0] == '#' {
			continue
		}
		var p pair
		var n int
		if _, err := fmt.Sscanf(line, "%x\t%x\t%d\t%d", &p.from, &p.to, &p.hazard, &n); err != nil {
			panic("resched: latency.tsv: " + strconv.Quote(line))
		}
		m[p] = n
	}
	return m
}

// kindOf is an opcode without the form of its operands; those of doubles but
// comparisons are one.
func kindOf(w *word) uint16 {
	op := w.op() & 0x1ff
	if op == 0x29 || op == 0x2b {
		return 0x28
	}
	return op
}

// latencyOf returns how far two words stand apart at least, false where it isn't known.
func latencyOf(from, to *word, h hazard) (cycles int, known bool) {
	cycles, known = latencies103()[pair{kindOf(from), kindOf(to), h}]
	if like, ok := globals[kindOf(to)]; ok && h < hazardGuard {
		if n, ok := latencies103()[pair{kindOf(from), like, h}]; ok && (!known || n < cycles) {
			return n, true
		}
	}
	return cycles, known
}

// latencyFor is latencyOf where more pairs are known.
func latencyFor(from, to *word, h hazard) (cycles int, known bool) {
	if cycles, known = latencyOf(from, to, h); !known {
		cycles, known = latenciesMore()[pair{kindOf(from), kindOf(to), h}]
	}
	return cycles, known
}

// globals are the accesses to global memory whose addresses are read as early as those of accesses
// to local memory, of which fewer were seen.
var globals = map[uint16]uint16{0x183: 0x181, 0x187: 0x186}

// leastApart is latencyOf for words one after the other that have nothing to do with each other.
func leastApart(from, to *word) int {
	n, known := latencyOf(from, to, hazardNext)
	if u := from.unit(); !known && u != noUnit && u == to.unit() && !from.isFloat() {
		n = 2
	}
	return max(1, n)
}

// isFloat reports whether a word is FMUL, FADD or FFMA, which take their unit for one cycle.
func (w *word) isFloat() bool { return kindOf(w) == 0x20 || kindOf(w) == 0x21 || kindOf(w) == 0x23 }

// The units of arithmetic, which take an instruction in two cycles.
const (
	noUnit = iota
	unitSums
	unitProducts
	unitUniform
)

// unit is the one that an instruction goes through.
func (w *word) unit() int {
	switch kindOf(w) {
	case 0x02, 0x03, 0x05, 0x07, 0x08, 0x09, 0x0b, 0x0c, 0x10, 0x11, 0x12, 0x13, 0x16, 0x17, 0x19, 0x1a, 0x1c, 0x3e, 0x46, 0x48:
		return unitSums
	case 0x20, 0x21, 0x23, 0x24, 0x25, 0x27, 0x31, 0x36:
		return unitProducts
	case 0x87, 0x8c, 0x90, 0x91, 0x92, 0x99, 0x9c, 0xa4, 0xa5:
		return unitUniform
	}
	return noUnit
}

// isShared reports whether an instruction goes through the memory unit, which
// takes one every few cycles.
func (w *word) isShared() bool {
	switch w.op() {
	case 0x980, 0x981, 0x983, 0x984, 0x985, 0x986, 0x987, 0x988, 0x385, 0x387, 0x388, 0x98e, 0x9a8, 0x3a9, 0x38c, 0x38d, 0x389, 0x589, 0x989, 0xf89, 0x9a1, 0x9a3, 0xfae:
		return true
	}
	return false
}

// producers is the words of a block that last wrote each register.
type producers struct {
	last   map[int]written
	memory int  // last word of the memory unit, plus 1
	halves bool // tell the registers of a pair that is read apart
}

type written struct {
	at     int
	number hazard // of the register in the result
}

// of calls do for each word that another depends on.
func (d *producers) of(w *word, o *operands, do func(at int, h hazard)) {
	if w.isShared() && d.memory > 0 {
		do(d.memory-1, hazardUnit)
	}
	operand := hazard(0)
	for _, r := range o.reads {
		for k := range r.count {
			p, ok := d.last[r.first+k]
			if !ok {
				continue
			}
			h := p.number
			switch {
			case r.first == predFile+int(w.guard()&7):
				h = hazardGuard
			case r.first >= predFile:
				h = hazardPredicate
			case r.first >= uniformFile:
				h += hazardUniform
			default:
				h += operand
				if d.halves && k&1 != 0 {
					h += hazardHigh
				}
			}
			do(p.at, h)
		}
		if r.first < uniformFile {
			operand += hazardOperand
		}
	}
	for _, r := range o.writes {
		for k := range r.count {
			if p, ok := d.last[r.first+k]; ok {
				do(p.at, hazardOver)
			}
		}
	}
}

func (d *producers) add(at int, w *word, o *operands) {
	if w.isShared() {
		d.memory = at + 1
	}
	if d.last == nil {
		d.last = map[int]written{}
	}
	for _, r := range o.writes {
		for k := range r.count {
			d.last[r.first+k] = written{at, hazard(k)}
		}
	}
}
