package ptxgen

import "fmt"

// numeric accepts variables a load can read.
func numeric(v *object) bool { return v.count > 0 }

// load reads one element at a constant place, as 32 bits.
func (b *body) load(spaceName string, v *object, base string) string {
	offset := v.width * b.m.plan.c.below(min(v.count, 3))
	at := base
	if offset > 0 {
		at = fmt.Sprintf("%s+%d", base, offset)
	}
	return b.loadAt(spaceName, v.width, at)
}

func (b *body) loadAt(spaceName string, width int, at string) string {
	r := b.reg(bank32)
	switch width {
	case 1:
		b.op("ld%s.u8 %s, [%s]", spaceName, r, at)
	case 2:
		h := b.reg(bank16)
		b.op("ld%s.u16 %s, [%s]", spaceName, h, at)
		b.op("cvt.u32.u16 %s, %s", r, h)
	case 8:
		d := b.reg(bank64)
		b.op("ld%s.u64 %s, [%s]", spaceName, d, at)
		b.op("cvt.u32.u64 %s, %s", r, d)
	default:
		b.op("ld%s.b32 %s, [%s]", spaceName, r, at)
	}
	return r
}

// loadIndexed loads an element of a variable by its address.
func (b *body) loadIndexed(space string, v *object) string {
	address := b.reg(bank64)
	b.op("mov.u64 %s, %s", address, v.name)
	b.op("add.s64 %s, %s, %s", address, address, b.index(v.width))
	return b.loadAt(space, v.width, address)
}

func (b *body) loadGlobal() string {
	v := b.m.choose(global, numeric)
	if v == nil {
		return ""
	}
	if b.m.plan.c.below(3) == 1 {
		return b.loadIndexed(".global", v)
	}
	if b.m.plan.c.below(3) == 1 && v.width == 4 {
		b.op("st.global.b32 [%s], %s", v.name, b.acc)
	}
	return b.load(".global", v, v.name)
}

func (b *body) atomicGlobal() string {
	v := b.m.choose(global, func(v *object) bool { return v.width == 4 && v.count > 0 && v.init != initLanes })
	if v == nil {
		return ""
	}
	r := b.reg(bank32)
	b.op("atom.global.%s %s, [%s], %s", pick(b.m.plan.c, []string{"add.u32", "max.u32", "exch.b32"}), r, v.name, b.acc)
	return r
}

func (b *body) genericAddress() string {
	names := map[space]string{global: ".global", constant: ".const", shared: ".shared"}
	s := pick(b.m.plan.c, []space{global, constant, shared})
	v := b.m.choose(s, numeric)
	if v == nil {
		return ""
	}
	plain, wide := b.reg(bank64), b.reg(bank64)
	b.op("mov.u64 %s, %s", plain, v.name)
	b.op("cvta%s.u64 %s, %s", names[s], wide, plain)
	return b.loadAt("", v.width, wide)
}

func (b *body) loadConstant() string {
	v := b.m.choose(constant, numeric)
	if v == nil {
		return ""
	}
	return b.load(".const", v, v.name)
}

func (b *body) indexConstant() string {
	v := b.m.choose(constant, numeric)
	if v == nil {
		return ""
	}
	address := b.reg(bank64)
	b.op("mov.u64 %s, %s", address, v.name)
	b.op("add.s64 %s, %s, %s", address, address, b.index(v.width))
	return b.loadAt(".const", v.width, address)
}

// scopedObject declares a variable in the function itself that outlives its calls. Other functions have ones of the same name.
func (b *body) scopedObject() string {
	c := b.m.plan.c
	where, name := pick(c, []string{"global", "const"}), fmt.Sprintf("kept%d", b.newID())
	b.local(".%s .align %d .b32 %s[4] = {%d, %d}", where, pick(c, []int{4, 8, 16}), name, between(c, 1, 99), between(c, 1, 99))
	if c.below(2) == 0 {
		return b.loadAt("."+where, 4, name+"+4")
	}
	address := b.reg(bank64)
	b.op("mov.u64 %s, %s", address, name)
	b.op("add.s64 %s, %s, %s", address, address, b.index(4))
	return b.loadAt("."+where, 4, address)
}

func (b *body) frame() string {
	name, size := fmt.Sprintf("frame%d", b.newID()), 4*between(b.m.plan.c, 4, 120)
	b.local(".local .align %d .b8 %s[%d]", pick(b.m.plan.c, []int{4, 8, 16}), name, size)
	address := b.reg(bank64)
	b.op("mov.u64 %s, %s", address, name)
	b.op("add.s64 %s, %s, %s", address, address, b.index(4))
	b.op("st.local.u32 [%s], %s", address, b.acc)
	return b.loadAt(".local", 4, fmt.Sprintf("%s+%d", name, size-8))
}

func (b *body) dynamicStack() string {
	saved, size, at := b.reg(bank64), b.reg(bank64), b.reg(bank64)
	b.op("stacksave.u64 %s", saved)
	b.op("cvt.u64.u32 %s, %s", size, b.acc)
	b.op("alloca.u64 %s, %s, 16", at, size)
	b.op("st.local.u32 [%s], %s", at, b.acc)
	v := b.loadAt(".local", 4, at)
	b.op("stackrestore.u64 %s", saved)
	return v
}

// newID numbers what a function declares for itself.
func (b *body) newID() int {
	b.labels++
	return b.labels
}
