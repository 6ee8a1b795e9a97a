package ptxgen

// planFault makes one change that a linker must refuse, where the program offers the means.
func (p *plan) planFault() {
	var functions []*function
	var objects []*object
	for _, f := range p.functions {
		if !f.entry && !f.static && !f.weak && f.alias == nil && !p.aliased(f) {
			functions = append(functions, f)
		}
	}
	for _, v := range p.objects {
		if !v.static && !v.weak && !v.common && v.count > 0 && v.init != initFunctions {
			objects = append(objects, v)
		}
	}
	switch fault := Undefined + Feature(p.c.below(int(BankMismatch-Undefined))); fault {
	case Undefined:
		if len(functions) > 0 && p.c.below(2) == 1 {
			pick(p.c, functions).defs = nil
			p.use(fault)
		} else if len(objects) > 0 {
			pick(p.c, objects).defs = nil
			p.use(fault)
		}
	case Duplicate:
		if len(functions) > 0 && p.c.below(2) == 1 {
			f := pick(p.c, functions)
			p.duplicate(&f.defs)
		} else if len(objects) > 0 {
			v := pick(p.c, objects)
			p.duplicate(&v.defs)
		}
	case SizeMismatch:
		if len(objects) > 0 {
			pick(p.c, objects).wrong = true
			p.use(fault)
		}
	case SpaceMismatch:
		if len(objects) > 0 {
			v := pick(p.c, objects)
			p.modules = append(p.modules, &module{plan: p, name: "wrong", index: len(p.modules), stray: v})
			p.use(fault)
		}
	case PrototypeMismatch:
		if len(functions) > 0 {
			f := pick(p.c, functions)
			for _, s := range signatures {
				if s != f.sig && s.bytes == 0 {
					f.wrong = s
				}
			}
			p.use(fault)
		}
	case KernelClash:
		if len(functions) > 0 {
			f := pick(p.c, functions)
			p.modules = append(p.modules, &module{plan: p, name: "clash", index: len(p.modules), clash: f})
			p.use(fault)
		}
	}
}

// aliased reports whether the function has a second name, which must stay beside it.
func (p *plan) aliased(f *function) bool {
	for _, g := range p.functions {
		if g.alias == f {
			return true
		}
	}
	return false
}

// duplicate adds a second defining module.
func (p *plan) duplicate(defs *[]int) {
	if m := p.c.below(len(p.modules)); m != (*defs)[0] {
		*defs = append(*defs, m)
		p.use(Duplicate)
	}
}
