package objects

import "slices"

// repaired returns the link with what its features don't allow fixed: a name has one strong definition, and what is used
// is defined.
func (l *Link) repaired() Link {
	s := repairs{drawn: l, strong: set{}, defined: set{}, Link: Link{Target: l.Target, Option: l.Option, Features: l.Features, Functions: slices.Clone(l.Functions), Variables: slices.Clone(l.Variables)}}
	for i := range s.Variables {
		if v := &s.Variables[i]; v.Space >= Texture && !l.has(Textures) {
			v.Space = Global
		}
	}
	for i := range l.Modules {
		s.Modules = append(s.Modules, s.module(&l.Modules[i]))
	}
	if !l.has(Undefined) {
		s.complete(s.defined)
	}
	return s.Link
}

// repairs is a link whose modules are fixed one after the other.
type repairs struct {
	Link
	drawn   *Link
	strong  set // names with a strong definition in a module so far
	defined set // names that other modules may use
}

// A set holds names by their number: functions' as {0, number}, variables' as {1, number}.
type set map[[2]uint8]bool

// add puts the name in, and reports whether it is new there.
func (s set) add(key [2]uint8) bool {
	if s[key] {
		return false
	}
	s[key] = true
	return true
}

func (s *repairs) module(m *Module) Module {
	var out Module
	if s.has(OlderTarget) {
		out.Older = m.Older
	}
	own := set{} // one module has a name once
	for _, f := range m.Functions {
		f.Name %= uint8(len(s.Functions))
		if own.add([2]uint8{0, f.Name}) && s.function(&f) {
			out.Functions = append(out.Functions, s.drawn.tame(f))
		}
	}
	for _, v := range m.Variables {
		v.Name %= uint8(len(s.Variables))
		if own.add([2]uint8{1, v.Name}) && s.variable(&v) {
			out.Variables = append(out.Variables, v)
		}
	}
	return out
}

// function mends the role of a function's definition and reports whether it can stay.
func (s *repairs) function(f *Function) bool {
	key := [2]uint8{0, f.Name}
	kernel := s.Functions[f.Name].Kernel
	if kernel {
		f.Role = Strong
	}
	if f.Role == Strong && s.strong[key] && !s.has(Clash) {
		if kernel {
			return false
		}
		f.Role = Weak
	}
	s.note(key, f.Role)
	return true
}

// variable is function's counterpart.
func (s *repairs) variable(v *Variable) bool {
	key := [2]uint8{1, v.Name}
	space := s.Variables[v.Name].Space
	if space == DynamicShared || space >= Texture {
		return false // these are never defined
	}
	switch {
	case space == Shared:
		v.Role = Local // a named one of ptxas's belongs to the module
	case v.Role == Common && space != Global:
		v.Role = Weak
	}
	if v.Role == Strong && s.strong[key] && !s.has(Clash) {
		v.Role = Weak
	}
	if !s.has(Mismatch) {
		v.More = 0
	}
	s.note(key, v.Role)
	return true
}

func (s *repairs) note(key [2]uint8, role Role) {
	if role == Strong {
		s.strong.add(key)
	}
	if role != Local {
		s.defined.add(key)
	}
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
func (s *Link) complete(have set) {
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
