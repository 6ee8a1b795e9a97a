package objects

// settle returns the link with what its features don't allow mended: a name has one strong definition, and what is used
// is defined.
func (l *Link) settle() Link {
	s := Link{Target: l.Target, Option: l.Option, Features: l.Features, Functions: append([]FunctionName{}, l.Functions...), Variables: append([]VariableName{}, l.Variables...)}
	for i := range s.Variables {
		if v := &s.Variables[i]; v.Space >= Texture && !l.has(Textures) {
			v.Space = Global
		}
	}
	strong, any := map[[2]uint8]bool{}, map[[2]uint8]bool{}
	for _, m := range l.Modules {
		own := map[[2]uint8]bool{}
		var out Module
		if l.has(OlderTarget) {
			out.Older = m.Older
		}
		for _, f := range m.Functions {
			f.Name %= uint8(len(l.Functions))
			key := [2]uint8{0, f.Name}
			if own[key] {
				continue // one module has a name once
			}
			own[key] = true
			kernel := l.Functions[f.Name].Kernel
			if kernel {
				f.Role = Strong
			}
			if f.Role == Strong && strong[key] && !l.has(Clash) {
				if kernel {
					continue
				}
				f.Role = Weak
			}
			strong[key] = strong[key] || f.Role == Strong
			any[key] = any[key] || f.Role != Local
			out.Functions = append(out.Functions, l.tame(f))
		}
		for _, v := range m.Variables {
			v.Name %= uint8(len(l.Variables))
			key := [2]uint8{1, v.Name}
			if own[key] {
				continue
			}
			own[key] = true
			space := s.Variables[v.Name].Space
			switch {
			case space == DynamicShared:
				continue // it is never defined
			case space == Shared:
				v.Role = Local // a named one of ptxas's belongs to the module
			case v.Role == Common && space != Global:
				v.Role = Weak
			}
			if space >= Texture {
				continue // nor these
			}
			if v.Role == Strong && strong[key] && !l.has(Clash) {
				v.Role = Weak
			}
			if !l.has(Mismatch) {
				v.More = 0
			}
			strong[key] = strong[key] || v.Role == Strong
			any[key] = any[key] || v.Role != Local
			out.Variables = append(out.Variables, v)
		}
		s.Modules = append(s.Modules, out)
	}
	if !l.has(Undefined) {
		s.complete(any)
	}
	return s
}

// tame takes from a function what the features don't allow.
func (l *Link) tame(f Function) Function {
	if !l.has(Barriers) {
		f.Barriers = 0
	}
	var calls []Call
	for _, c := range f.Calls {
		c.Function %= uint8(len(l.Functions))
		if l.Functions[c.Function].Kernel || c.Pointer && !l.has(Indirect) || c.Function <= f.Name && !l.has(Cycles) {
			continue // nothing calls a kernel
		}
		calls = append(calls, c)
	}
	f.Calls = calls
	return f
}

// complete defines in the last module what is used and defined nowhere.
func (s *Link) complete(have map[[2]uint8]bool) {
	last := &s.Modules[len(s.Modules)-1]
	// A local name of the last module's would hide the definition.
	var functions []Function
	for _, f := range last.Functions {
		if f.Role == Local && !have[[2]uint8{0, f.Name}] {
			f.Role = Strong
			have[[2]uint8{0, f.Name}] = true
		}
		functions = append(functions, f)
	}
	last.Functions = functions
	for i := range last.Variables {
		if v := &last.Variables[i]; v.Role == Local && s.Variables[v.Name].Space != Shared && !have[[2]uint8{1, v.Name}] {
			v.Role = Strong
			have[[2]uint8{1, v.Name}] = true
		}
	}
	for i := range s.Functions {
		if name := uint8(i); !have[[2]uint8{0, name}] && s.uses(true, name) {
			last.Functions = append(last.Functions, Function{Name: name, Registers: 16, MaxReg: 0})
		}
	}
	for i := range s.Variables {
		name := uint8(i)
		if space := s.Variables[i].Space; !have[[2]uint8{1, name}] && space < Shared && s.uses(false, name) {
			last.Variables = append(last.Variables, Variable{Name: name})
		}
	}
}

// uses reports whether a module names something that it doesn't define.
func (s *Link) uses(function bool, name uint8) bool {
	for i := range s.Modules {
		m := &s.Modules[i]
		for _, f := range m.Functions {
			for _, c := range f.Calls {
				if function && c.Function == name {
					return true
				}
			}
			for _, r := range f.Records {
				if r.Function == function && s.named(r) == name {
					return true
				}
			}
		}
		for _, v := range m.Variables {
			for _, r := range v.Records {
				if r.Function == function && s.named(r) == name {
					return true
				}
			}
		}
	}
	return false
}

// named is the number of what a record names.
func (s *Link) named(r Record) uint8 {
	if r.Function {
		return r.Name % uint8(len(s.Functions))
	}
	return r.Name % uint8(len(s.Variables))
}

// Reduced returns the link with every name below the number of names, so that names can be added.
func (l *Link) Reduced() Link {
	s := *l
	functions, variables := uint8(len(l.Functions)), uint8(len(l.Variables))
	records := func(list []Record) []Record {
		var out []Record
		for _, r := range list {
			r.Name = l.named(r)
			out = append(out, r)
		}
		return out
	}
	s.Modules = nil
	for _, m := range l.Modules {
		n := Module{Older: m.Older}
		for _, f := range m.Functions {
			f.Name %= functions
			f.Records = records(f.Records)
			var calls []Call
			for _, c := range f.Calls {
				c.Function %= functions
				calls = append(calls, c)
			}
			f.Calls = calls
			n.Functions = append(n.Functions, f)
		}
		for _, v := range m.Variables {
			v.Name %= variables
			v.Records = records(v.Records)
			n.Variables = append(n.Variables, v)
		}
		s.Modules = append(s.Modules, n)
	}
	return s
}
