package ptxgen

import (
	"fmt"
	"strings"
)

// body is a function while it is written.
type body struct {
	m       *module
	f       *function
	decls   []string
	lines   []string
	counts  [6]int // registers in use, by bank
	labels  int
	acc     string // the value everything is mixed into
	pointer string // a register with some address
}

// Register banks, in the order of body.counts.
const (
	bank16 = iota
	bank32
	bank64
	bankF32
	bankF64
	bankPred
)

var banks = [6]struct{ prefix, typ string }{{"%h", "b16"}, {"%r", "b32"}, {"%rd", "b64"}, {"%f", "f32"}, {"%fd", "f64"}, {"%p", "pred"}}

func (b *body) reg(bank int) string {
	b.counts[bank]++
	return fmt.Sprintf("%s%d", banks[bank].prefix, b.counts[bank])
}

func (b *body) op(format string, args ...any) {
	b.lines = append(b.lines, "\t"+fmt.Sprintf(format, args...)+";\n")
}

func (b *body) label(name string) { b.lines = append(b.lines, name+":\n") }

func (b *body) newLabel() string {
	b.labels++
	return fmt.Sprintf("L%d", b.labels)
}

// local declares a variable of the function.
func (b *body) local(format string, args ...any) {
	b.decls = append(b.decls, "\t"+fmt.Sprintf(format, args...)+";\n")
}

// mix folds a value into the accumulator.
func (b *body) mix(value string) {
	next := b.reg(bank32)
	switch b.m.plan.c.below(3) {
	case 0:
		b.op("add.u32 %s, %s, %s", next, b.acc, value)
	case 1:
		b.op("xor.b32 %s, %s, %s", next, b.acc, value)
	case 2:
		b.op("mad.lo.u32 %s, %s, %s, %d", next, b.acc, value, between(b.m.plan.c, 1, 99))
	}
	b.acc = next
}

// index returns a 64-bit register with the accumulator scaled, for an access nobody can foresee.
func (b *body) index(width int) string {
	small, wide := b.reg(bank32), b.reg(bank64)
	b.op("and.b32 %s, %s, 3", small, b.acc)
	b.op("mul.wide.u32 %s, %s, %d", wide, small, width)
	return wide
}

// writeFunction returns one definition.
func (m *module) writeFunction(f *function) string {
	p := m.plan
	b := &body{m: m, f: f}
	var head string
	if f.entry {
		head = b.openKernel()
	} else {
		head = m.head(f) + "\n"
		b.openDevice()
	}
	n := between(p.c, 1, 5)
	if f.short {
		n = 0
	}
	for range n {
		b.fragment()
	}
	b.close()
	switch {
	case f.static && f.entry:
		p.use(StaticKernel)
	case f.static:
		p.use(StaticFunction)
	case f.weak && f.entry && len(f.defs) > 1:
		p.use(WeakKernel)
	case f.weak && len(f.defs) > 1:
		p.use(WeakFunction)
	}
	var out strings.Builder
	out.WriteString("\n" + head + "{\n")
	for i, n := range b.counts {
		if n > 0 {
			fmt.Fprintf(&out, "\t.reg .%s %s<%d>;\n", banks[i].typ, banks[i].prefix, n+1)
		}
	}
	out.WriteString(strings.Join(b.decls, ""))
	out.WriteString(strings.Join(b.lines, ""))
	out.WriteString("}\n")
	return out.String()
}

func (b *body) openKernel() string {
	p := b.m.plan
	b.pointer = b.reg(bank64)
	b.op("ld.param.u64 %s, [p]", b.pointer)
	b.acc = b.reg(bank32)
	b.op("ld.global.u32 %s, [%s]", b.acc, b.pointer)
	if b.f.number {
		n := b.reg(bank32)
		b.op("ld.param.u32 %s, [n]", n)
		b.mix(n)
	}
	if b.f.block > 0 {
		size := b.f.blockIn(b.m.index)
		if b.f.differ {
			p.use(BankMismatch)
		}
		v := b.reg(bank32)
		b.op("ld.param.u32 %s, [s+%d]", v, size-4)
		b.mix(v)
		p.use(KernelStruct)
	}
	head := b.m.head(b.f) + "\n"
	if p.may(Bounds) && p.c.below(2) == 1 {
		head += pick(p.c, []string{".maxntid 256, 1, 1\n", ".reqntid 64, 2, 1\n", ".maxntid 128, 1, 1\n.minnctapersm 2\n", ".maxnreg 64\n"})
		p.use(Bounds)
	}
	return head
}

func (b *body) openDevice() {
	s := b.f.sig
	b.acc = b.reg(bank32)
	switch {
	case s.bytes > 0:
		b.op("ld.param.b32 %s, [a0+%d]", b.acc, s.bytes-8)
	case len(s.args) == 0:
		b.op("mov.u32 %s, %%tid.x", b.acc)
	case s.args[0] == "b32":
		b.op("mov.b32 %s, a0", b.acc)
	case s.args[0] == "f64":
		b.op("cvt.rzi.u32.f64 %s, a0", b.acc)
	case s.result == "":
		b.pointer = "a0"
		b.op("ld.u32 %s, [a0]", b.acc)
	default:
		b.op("cvt.u32.u64 %s, a0", b.acc)
	}
	if len(s.args) > 1 {
		b.mix("a1")
	}
}

func (b *body) close() {
	switch {
	case b.f.entry:
		b.op("st.global.u32 [%s], %s", b.pointer, b.acc)
	case b.f.sig.bytes > 0:
		b.op("st.param.b32 [out], %s", b.acc)
	case b.f.sig.result == "":
		b.op("st.u32 [a0], %s", b.acc)
	case b.f.sig.result == "b64":
		b.op("cvt.u64.u32 out, %s", b.acc)
	case b.f.sig.result == "f64":
		b.op("cvt.rn.f64.u32 out, %s", b.acc)
	default:
		b.op("mov.b32 out, %s", b.acc)
	}
	b.op("ret")
}
