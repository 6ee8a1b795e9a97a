package ptxgen

// print calls vprintf with the accumulator as its only argument.
func (b *body) print() string {
	b.m.system["vprintf"] = true
	id, at, r := b.newID(), b.reg(bank64), b.reg(bank32)
	b.local(".local .align 8 .b8 args%d[8]", id)
	b.op("st.local.u32 [args%d], %s", id, b.acc)
	b.op("cvta.local.u64 %s, args%d", at, id)
	b.op("{ .param .b64 arg_x%d", id)
	b.op(".param .b64 arg_y%d", id)
	b.op(".param .b32 arg_z%d", id)
	b.op("st.param.b64 [arg_x%d], %s", id, at)
	b.op("st.param.b64 [arg_y%d], %s", id, at)
	b.op("call.uni (arg_z%d), vprintf, (arg_x%d, arg_y%d)", id, id, id)
	b.op("ld.param.b32 %s, [arg_z%d]", r, id)
	b.lines = append(b.lines, "\t}\n")
	return r
}

// heap allocates, and sometimes frees.
func (b *body) heap() string {
	b.m.system["malloc"] = true
	id, size, at := b.newID(), b.reg(bank64), b.reg(bank64)
	b.op("cvt.u64.u32 %s, %s", size, b.acc)
	b.op("{ .param .b64 arg_x%d", id)
	b.op(".param .b64 arg_z%d", id)
	b.op("st.param.b64 [arg_x%d], %s", id, size)
	b.op("call.uni (arg_z%d), malloc, (arg_x%d)", id, id)
	b.op("ld.param.b64 %s, [arg_z%d]", at, id)
	b.lines = append(b.lines, "\t}\n")
	v := b.loadAt("", 4, at)
	if b.m.plan.c.below(2) == 1 {
		b.m.system["free"] = true
		b.op("{ .param .b64 arg_q%d", id)
		b.op("st.param.b64 [arg_q%d], %s", id, at)
		b.op("call.uni free, (arg_q%d)", id)
		b.lines = append(b.lines, "\t}\n")
	}
	return v
}

func (b *body) assert() string {
	b.m.system["__assertfail"] = true
	id, q, done, r, zero := b.newID(), b.reg(bankPred), b.newLabel(), b.reg(bank32), b.reg(bank64)
	b.op("setp.ne.u32 %s, %s, 0", q, b.acc)
	b.op("@%s bra %s", q, done)
	b.op("cvt.u64.u32 %s, %s", zero, b.acc)
	b.op("{ .param .b64 arg_m%d", id)
	b.op(".param .b64 arg_f%d", id)
	b.op(".param .b32 arg_l%d", id)
	b.op(".param .b64 arg_n%d", id)
	b.op(".param .b64 arg_s%d", id)
	for _, x := range []string{"m", "f", "n", "s"} {
		b.op("st.param.b64 [arg_%s%d], %s", x, id, zero)
	}
	b.op("st.param.b32 [arg_l%d], 7", id)
	b.op("call.uni __assertfail, (arg_m%d, arg_f%d, arg_l%d, arg_n%d, arg_s%d)", id, id, id, id, id)
	b.lines = append(b.lines, "\t}\n")
	b.label(done)
	b.op("add.u32 %s, %s, 1", r, b.acc)
	return r
}

func (b *body) trap() string {
	q, done, r := b.reg(bankPred), b.newLabel(), b.reg(bank32)
	b.op("setp.ne.u32 %s, %s, 12345", q, b.acc)
	b.op("@%s bra %s", q, done)
	b.op("trap")
	b.label(done)
	b.op("mov.u32 %s, %%tid.y", r)
	return r
}

func (b *body) gridZ() string {
	r := b.reg(bank32)
	b.op("mov.u32 %s, %%ctaid.z", r)
	return r
}

func (b *body) barrier() string {
	p := b.m.plan
	n := p.c.below(16)
	if p.c.below(3) == 1 {
		q, r := b.reg(bankPred), b.reg(bank32)
		b.op("setp.gt.u32 %s, %s, 9", q, b.acc)
		b.op("bar.red.popc.u32 %s, %d, %s", r, n, q)
		return r
	}
	b.op("bar.sync %d", n)
	r := b.reg(bank32)
	b.op("mov.u32 %s, %%tid.x", r)
	return r
}
