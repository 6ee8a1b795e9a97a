package ptxgen

import (
	"fmt"
	"strings"
)

// writeObjects returns the variables defined here: those that hold addresses after those they may point at.
func (m *module) writeObjects() string {
	var plain, pointing []string
	for _, v := range m.plan.objects {
		if !v.definedIn(m.index) {
			continue
		}
		text := m.define(v)
		if v.init == initValues || v.init == initNone {
			plain = append(plain, text)
		} else {
			pointing = append(pointing, text)
		}
	}
	shuffle(m.plan.c, plain)
	return strings.Join(plain, "") + strings.Join(pointing, "")
}

func (m *module) define(v *object) string {
	p := m.plan
	linkage, init, count := ".visible ", "", v.count
	switch {
	case v.space >= textureRef:
		return fmt.Sprintf(".visible .global %s %s;\n", referenceType(v.space), v.name)
	case v.static:
		linkage = ""
	case v.strongIn == m.index:
		p.use(map[bool]Feature{true: CommonDefined, false: WeakOverruled}[v.common])
		count += 4 * len(p.modules)
		if v.weak {
			count = v.count
		}
		init = m.initialiser(v, count)
	case v.weak:
		linkage = ".weak "
		p.use(map[bool]Feature{true: WeakShared, false: WeakObject}[v.space == shared])
		init = m.initialiser(v, count)
	case v.common:
		linkage = ".common "
		p.use(Common)
		count += 4 * m.index
	default:
		init = m.initialiser(v, count)
	}
	if v.static {
		init = m.initialiser(v, count)
	}
	switch {
	case v.space == shared && v.static:
		p.use(SharedStatic)
	case v.space == shared:
		p.use(SharedModule)
	case init == "" && v.space == global:
		p.use(GlobalZero)
	case v.space == global:
		p.use(GlobalValue)
	}
	if v.managed {
		p.use(Managed)
	}
	return fmt.Sprintf("%s%s .align %d .%s %s[%d]%s;\n", linkage, v.where(), v.align, v.elem, v.name, count, init)
}

// initialiser returns " = {...}", or nothing for a variable without a value.
func (m *module) initialiser(v *object, count int) string {
	p := m.plan
	var list []string
	switch v.init {
	case initNone:
		return ""
	case initValues:
		for range between(p.c, 1, count) {
			list = append(list, m.number(v))
		}
	case initAddresses:
		for range count {
			list = append(list, m.address(v))
		}
		p.use(AddressInit)
	case initLanes:
		list = m.lanes(v, count)
	case initFunctions:
		list = m.functionTable(v)
		p.use(FunctionInit)
	case initKernels:
		list = m.kernelTable(v)
		p.use(KernelTable)
	}
	return " = {" + strings.Join(list, ", ") + "}"
}

func (m *module) number(v *object) string {
	n := m.plan.c.below(120)
	if v.elem == "f32" {
		return fmt.Sprintf("0f3F%06X", n*1021)
	}
	return fmt.Sprint(n + 1)
}

// target is a symbol an initialiser can name: a variable without addresses of its own, or a function.
func (m *module) target(v *object) string {
	ok := func(w *object) bool {
		return w != v && (w.init == initNone || w.init == initValues) && w.count > 0
	}
	if f := m.callee(func(*function) bool { return m.plan.c.below(4) == 3 }); f != nil {
		m.functions[f] = true
		return f.name
	}
	for _, s := range []space{global, constant} {
		if w := m.choose(s, ok); w != nil {
			return w.name
		}
	}
	return ""
}

func (m *module) address(v *object) string {
	name := m.target(v)
	switch {
	case name == "":
		return "0"
	case m.isFunction(name):
		return name
	case m.plan.c.below(3) == 1:
		return fmt.Sprintf("generic(%s)", name)
	case m.plan.c.below(3) == 1:
		return fmt.Sprintf("%s+%d", name, 4*m.plan.c.below(3))
	}
	return name
}

func (m *module) isFunction(name string) bool {
	for f := range m.functions {
		if f.name == name {
			return true
		}
	}
	return false
}

// lanes fills a byte array with single bytes of addresses, in order or not.
func (m *module) lanes(v *object, count int) []string {
	p := m.plan
	var list []string
	for len(list) < count {
		name := m.target(v)
		if name == "" || p.c.below(4) == 0 {
			list = append(list, fmt.Sprint(p.c.below(256)))
			continue
		}
		if !m.isFunction(name) && p.c.below(3) == 1 {
			name = fmt.Sprintf("generic(%s)", name)
		}
		first := p.c.below(8)
		for i := first; i < 8 && len(list) < count; i++ {
			list = append(list, fmt.Sprintf("0xff%s(%s)", strings.Repeat("00", i), name))
			if p.c.below(4) == 0 {
				break
			}
		}
		p.use(LaneInit)
	}
	return list
}

func (m *module) functionTable(v *object) []string {
	var list []string
	for range v.count {
		f := m.callee(func(f *function) bool { return m.signature(f) == v.sig })
		if f == nil {
			list = append(list, "0")
			continue
		}
		m.functions[f] = true
		list = append(list, f.name)
	}
	return list
}
