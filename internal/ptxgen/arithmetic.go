package ptxgen

import "fmt"

// pressure keeps many values alive across a barrier.
func (b *body) pressure() string {
	if b.pointer == "" {
		return ""
	}
	n := between(b.m.plan.c, 8, 72)
	list := make([]string, n)
	for i := range list {
		list[i] = b.reg(bankF32)
		b.op("ld.f32 %s, [%s+%d]", list[i], b.pointer, 4*i)
	}
	b.op("bar.sync 0")
	for i := 1; i < n; i++ {
		b.op("fma.rn.f32 %s, %s, %s, %s", list[i], list[i], list[i-1], list[n-i])
	}
	for i := range list {
		b.op("st.f32 [%s+%d], %s", b.pointer, 4*i, list[i])
	}
	r := b.reg(bank32)
	b.op("cvt.rzi.u32.f32 %s, %s", r, list[n-1])
	return r
}

// polynomial needs double constants, which ptxas puts into a constant bank of the function.
func (b *body) polynomial() string {
	c := b.m.plan.c
	x, y, r := b.reg(bankF64), b.reg(bankF64), b.reg(bank32)
	b.op("cvt.rn.f64.u32 %s, %s", x, b.acc)
	b.op("mov.f64 %s, %s", y, x)
	for range between(c, 1, 8) {
		next := b.reg(bankF64)
		b.op("fma.rn.f64 %s, %s, %s, %s", next, y, x, fmt.Sprintf("0d40%02X%04X%08X", c.below(64), c.below(65536), c.below(1<<30)))
		y = next
	}
	b.op("cvt.rzi.u32.f64 %s, %s", r, y)
	return r
}

// divide is completed by ptxas with functions of its own.
func (b *body) divide() string {
	r := b.reg(bank32)
	switch b.m.plan.c.below(4) {
	case 0:
		x, y := b.reg(bankF64), b.reg(bankF64)
		b.op("cvt.rn.f64.u32 %s, %s", x, b.acc)
		b.op("div.rn.f64 %s, %s, 0d4008000000000001", y, x)
		b.op("cvt.rzi.u32.f64 %s, %s", r, y)
	case 1:
		x, y := b.reg(bankF64), b.reg(bankF64)
		b.op("cvt.rn.f64.u32 %s, %s", x, b.acc)
		b.op("sqrt.rn.f64 %s, %s", y, x)
		b.op("cvt.rzi.u32.f64 %s, %s", r, y)
	case 2:
		x, y := b.reg(bank64), b.reg(bank64)
		b.op("cvt.u64.u32 %s, %s", x, b.acc)
		b.op("rem.u64 %s, 1234567890123, %s", y, x)
		b.op("cvt.u32.u64 %s, %s", r, y)
	case 3:
		x, y := b.reg(bankF32), b.reg(bankF32)
		b.op("cvt.rn.f32.u32 %s, %s", x, b.acc)
		b.op("div.rn.f32 %s, 0f3F800000, %s", y, x)
		b.op("cvt.rzi.u32.f32 %s, %s", r, y)
	}
	return r
}

// jump branches through a table.
func (b *body) jump() string {
	n := pick(b.m.plan.c, []int{4, 8})
	id, at, r, done := b.newID(), b.reg(bank32), b.reg(bank32), b.newLabel()
	labels, list := make([]string, n), ""
	for i := range labels {
		labels[i] = b.newLabel()
		if i > 0 {
			list += ", "
		}
		list += labels[i]
	}
	b.op("and.b32 %s, %s, %d", at, b.acc, n-1)
	b.lines = append(b.lines, fmt.Sprintf("\tjumps%d: .branchtargets %s;\n", id, list))
	b.op("brx.idx %s, jumps%d", at, id)
	ops := []string{"add.u32 %s, %s, 7", "mul.lo.u32 %s, %s, 13", "xor.b32 %s, %s, 99", "shl.b32 %s, %s, 3", "sub.u32 %s, %s, 5", "not.b32 %s, %s", "popc.b32 %s, %s", "brev.b32 %s, %s"}
	for i, l := range labels {
		b.label(l)
		b.op(ops[i], r, b.acc)
		b.op("bra %s", done)
	}
	b.label(done)
	return r
}

// texture samples one, with a sampler of its own in the independent mode.
func (b *body) texture() string {
	v := b.m.choose(textureRef, nil)
	if v == nil {
		return ""
	}
	sampler := ""
	if b.m.plan.independent {
		s := b.m.choose(samplerRef, nil)
		if s == nil {
			return ""
		}
		sampler = s.name + ", "
		b.m.plan.use(Sampler)
	}
	x, r := b.reg(bankF32), b.reg(bank32)
	b.op("cvt.rn.f32.u32 %s, %s", x, b.acc)
	var out [4]string
	for i := range out {
		out[i] = b.reg(bankF32)
	}
	shape, at := "1d", x
	if b.m.plan.c.below(2) == 1 {
		shape, at = "2d", x+", "+x
	}
	b.op("tex.%s.v4.f32.f32 {%s, %s, %s, %s}, [%s, %s{%s}]", shape, out[0], out[1], out[2], out[3], v.name, sampler, at)
	b.op("cvt.rzi.u32.f32 %s, %s", r, out[b.m.plan.c.below(4)])
	return r
}

func (b *body) surface() string {
	v := b.m.choose(surfaceRef, nil)
	if v == nil {
		return ""
	}
	if b.m.plan.c.below(2) == 1 {
		b.op("sust.b.1d.b32.trap [%s, {%s}], {%s}", v.name, b.acc, b.acc)
		return b.acc
	}
	r := b.reg(bank32)
	b.op("suld.b.2d.b32.clamp {%s}, [%s, {%s, %s}]", r, v.name, b.acc, b.acc)
	return r
}
