package ptxgen

import "fmt"

// kernel returns a kernel that the module can name, and mentions it, or nil.
func (m *module) kernel() *function {
	var list []*function
	for _, f := range m.plan.functions {
		if f.entry && m.reaches(f) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil
	}
	f := pick(m.plan.c, list)
	m.functions[f] = true
	return f
}

// planKernelTables adds tables of kernels: in global or constant memory, and some static or weak.
func (p *plan) planKernelTables() {
	if !p.may(KernelTable) {
		return
	}
	for i := range between(p.c, 1, 3) {
		v := &object{name: fmt.Sprintf("kt%d", i), strongIn: -1, init: initKernels, elem: "u64", width: 8, align: 8}
		v.count, v.defs = between(p.c, 1, 4), p.places(false)
		if oneIn(p.c, 3) {
			v.space = constant
		}
		switch p.c.below(4) {
		case 2:
			p.hide(v, fmt.Sprintf("kown%d", p.c.below(2)))
		case 3:
			v.weak, v.defs = true, p.places(true)
		}
		p.objects = append(p.objects, v)
	}
}

// kernelTable fills a table with kernels, now and then with a function or nothing.
func (m *module) kernelTable(v *object) []string {
	var list []string
	for range v.count {
		name := "0"
		switch m.plan.c.below(10) {
		case 8:
			if f := m.callee(func(*function) bool { return true }); f != nil {
				m.functions[f] = true
				name = f.name
			}
		case 9:
		default:
			if f := m.kernel(); f != nil {
				name = f.name
			}
		}
		list = append(list, name)
	}
	return list
}

// addressOfKernel puts the address of a kernel into a register, by its name or out of a table, or returns "".
func (b *body) addressOfKernel() string {
	if b.m.plan.may(KernelTable) && oneIn(b.m.plan.c, 3) {
		if d := b.loadKernel(); d != "" {
			return d
		}
	}
	f := b.m.kernel()
	if f == nil {
		return ""
	}
	d := b.reg(bank64)
	b.op("mov.u64 %s, %s", d, f.name)
	return d
}

// loadKernel loads an element of a table of kernels.
func (b *body) loadKernel() string {
	s := pick(b.m.plan.c, []space{global, global, constant})
	v := b.m.choose(s, func(v *object) bool { return v.init == initKernels })
	if v == nil {
		return ""
	}
	d := b.reg(bank64)
	if b.m.plan.c.below(2) == 0 {
		b.op("ld%s.u64 %s, [%s+%d]", spaceNames[s], d, v.name, 8*b.m.plan.c.below(v.count))
		return d
	}
	address := b.reg(bank64)
	b.op("mov.u64 %s, %s", address, v.name)
	b.op("add.s64 %s, %s, %s", address, address, b.index(8))
	b.op("ld%s.u64 %s, [%s]", spaceNames[s], d, address)
	return d
}

// kernelAddress keeps the address of a kernel, or picks one of two.
func (b *body) kernelAddress() string {
	d := b.addressOfKernel()
	if d == "" {
		return ""
	}
	if oneIn(b.m.plan.c, 3) {
		d = b.either(d, b.addressOfKernel())
	}
	return b.keep(d)
}

// either is one of two addresses, as nobody can foresee; the first where there is no other.
func (b *body) either(one, other string) string {
	if other == "" {
		return one
	}
	q, d := b.reg(bankPred), b.reg(bank64)
	b.op("setp.lt.u32 %s, %s, 7", q, b.acc)
	b.op("selp.b64 %s, %s, %s, %s", d, one, other, q)
	return d
}

func (b *body) kernelOfTable() string {
	d := b.loadKernel()
	if d == "" {
		return ""
	}
	return b.keep(d)
}

// keep stores an address where others may read it.
func (b *body) keep(d string) string {
	if b.pointer != "" {
		b.op("st.u64 [%s+16], %s", b.pointer, d)
	}
	r := b.reg(bank32)
	b.op("cvt.u32.u64 %s, %s", r, d)
	return r
}

// launch launches a kernel as CUDA C++ does: a buffer for its parameters, then the launch.
func (b *body) launch() string {
	k := b.addressOfKernel()
	if k == "" {
		return ""
	}
	b.m.system["cudaGetParameterBufferV2"], b.m.system["cudaLaunchDeviceV2"] = true, true
	id, buffer, r := b.newID(), b.reg(bank64), b.reg(bank32)
	b.op("{ .param .b64 arg_k%d", id)
	b.op(".param .align 4 .b8 arg_g%d[12]", id)
	b.op(".param .align 4 .b8 arg_b%d[12]", id)
	b.op(".param .b32 arg_s%d", id)
	b.op(".param .b64 arg_r%d", id)
	b.op("st.param.b64 [arg_k%d], %s", id, k)
	for _, x := range []string{"g", "b"} {
		for i := range 3 {
			b.op("st.param.b32 [arg_%s%d+%d], 1", x, id, 4*i)
		}
	}
	b.op("st.param.b32 [arg_s%d], %d", id, 64*b.m.plan.c.below(3))
	b.op("call.uni (arg_r%d), cudaGetParameterBufferV2, (arg_k%d, arg_g%d, arg_b%d, arg_s%d)", id, id, id, id, id)
	b.op("ld.param.b64 %s, [arg_r%d]", buffer, id)
	b.lines = append(b.lines, "\t}\n")
	b.op("st.u32 [%s], %s", buffer, b.acc)
	b.op("{ .param .b64 arg_b%d", id)
	b.op(".param .b64 arg_q%d", id)
	b.op(".param .b32 arg_r%d", id)
	b.op("st.param.b64 [arg_b%d], %s", id, buffer)
	b.op("st.param.b64 [arg_q%d], 0", id)
	b.op("call.uni (arg_r%d), cudaLaunchDeviceV2, (arg_b%d, arg_q%d)", id, id, id)
	b.op("ld.param.b32 %s, [arg_r%d]", r, id)
	b.lines = append(b.lines, "\t}\n")
	return r
}
