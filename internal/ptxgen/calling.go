package ptxgen

import "fmt"

// callee returns a device function the module can name and ok accepts, or nil.
func (m *module) callee(ok func(*function) bool) *function {
	var list []*function
	for _, f := range m.plan.functions {
		if !f.entry && m.reaches(f) && ok(f) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return pick(m.plan.c, list)
}

// next draws a function to call: one further down, or any where recursion is wanted.
func (b *body) next(ok func(*function) bool) *function {
	p := b.m.plan
	again := p.may(Recursion) && oneIn(p.c, 4)
	f := b.m.callee(func(f *function) bool { return (f.index > b.f.index || again) && (ok == nil || ok(f)) })
	if f != nil {
		b.m.functions[f] = true
		if !b.f.entry && f.index <= b.f.index {
			p.use(Recursion)
		}
	}
	return f
}

func (b *body) callDirect() string {
	f := b.next(nil)
	if f == nil {
		return ""
	}
	p := b.m.plan
	p.use(Call)
	if !f.definedIn(b.m.index) {
		p.use(CallAcross)
	}
	return b.call(f.name, b.m.signature(f), "")
}

// call writes the call sequence for a name or a register.
func (b *body) call(target string, s *signature, prototype string) string {
	if prototype != "" {
		prototype = ", " + prototype
	}
	if s.bytes > 0 {
		return b.callStruct(target, s, prototype)
	}
	args := ""
	for i, a := range s.args {
		if i > 0 {
			args += ", "
		}
		args += b.argument(a)
	}
	if args != "" || prototype != "" {
		args = ", (" + args + ")"
	}
	switch s.result {
	case "":
		b.op("call %s%s%s", target, args, prototype)
		return b.acc
	case "b64":
		d, r := b.reg(bank64), b.reg(bank32)
		b.op("call (%s), %s%s%s", d, target, args, prototype)
		b.op("cvt.u32.u64 %s, %s", r, d)
		return r
	case "f64":
		d, r := b.reg(bankF64), b.reg(bank32)
		b.op("call (%s), %s%s%s", d, target, args, prototype)
		b.op("cvt.rzi.u32.f64 %s, %s", r, d)
		return r
	}
	r := b.reg(bank32)
	b.op("call (%s), %s%s%s", r, target, args, prototype)
	return r
}

func (b *body) argument(typ string) string {
	switch typ {
	case "b64":
		if b.pointer != "" {
			return b.pointer
		}
		d := b.reg(bank64)
		b.op("cvt.u64.u32 %s, %s", d, b.acc)
		return d
	case "f64":
		d := b.reg(bankF64)
		b.op("cvt.rn.f64.u32 %s, %s", d, b.acc)
		return d
	}
	return b.acc
}

// callStruct passes a structure by value.
func (b *body) callStruct(target string, s *signature, prototype string) string {
	r, id := b.reg(bank32), b.newID()
	b.op("{ .param .align 8 .b8 in%d[%d]", id, s.bytes)
	b.op(".param .b32 res%d", id)
	b.op("st.param.b32 [in%d+%d], %s", id, s.bytes-8, b.acc)
	b.op("call (res%d), %s, (in%d)%s", id, target, id, prototype)
	b.op("ld.param.b32 %s, [res%d]", r, id)
	b.lines = append(b.lines, "\t}\n")
	b.m.plan.use(StructParameter)
	return r
}

// indirect calls what a register holds.
func (b *body) indirect(register string, s *signature) string {
	name := fmt.Sprintf("proto%d", b.newID())
	b.lines = append(b.lines, fmt.Sprintf("\t%s: %s;\n", name, s.prototype()))
	return b.call(register, s, name)
}

func (b *body) callAddress() string {
	f := b.next(nil)
	if f == nil {
		return ""
	}
	d := b.reg(bank64)
	b.op("mov.u64 %s, %s", d, f.name)
	s := b.m.signature(f)
	// A second candidate keeps ptxas from calling the first one directly.
	if g := b.next(func(g *function) bool { return g != f && b.m.signature(g) == s }); g != nil && b.m.plan.c.below(2) == 1 {
		e, q, one := b.reg(bank64), b.reg(bankPred), b.reg(bank64)
		b.op("mov.u64 %s, %s", e, g.name)
		b.op("setp.lt.u32 %s, %s, 5", q, b.acc)
		b.op("selp.b64 %s, %s, %s, %s", one, d, e, q)
		d = one
	}
	return b.indirect(d, s)
}

func (b *body) callTable() string {
	p := b.m.plan
	v := b.m.choose(global, func(v *object) bool { return v.init == initFunctions })
	name := ".global"
	if v == nil || p.c.below(3) == 1 {
		if w := b.m.choose(constant, func(v *object) bool { return v.init == initFunctions }); w != nil {
			v, name = w, ".const"
		}
	}
	if v == nil {
		return ""
	}
	address, d := b.reg(bank64), b.reg(bank64)
	b.op("mov.u64 %s, %s", address, v.name)
	b.op("add.s64 %s, %s, %s", address, address, b.index(8))
	b.op("ld%s.u64 %s, [%s]", name, d, address)
	return b.indirect(d, v.sig)
}

// keepAddress stores a function's address without calling it.
func (b *body) keepAddress() string {
	f := b.next(nil)
	if f == nil || b.pointer == "" {
		return ""
	}
	d, r := b.reg(bank64), b.reg(bank32)
	b.op("mov.u64 %s, %s", d, f.name)
	b.op("st.u64 [%s+8], %s", b.pointer, d)
	b.op("cvt.u32.u64 %s, %s", r, d)
	return r
}
