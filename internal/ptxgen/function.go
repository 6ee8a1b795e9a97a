package ptxgen

import "fmt"

// function is a kernel or a device function.
type function struct {
	name   string
	index  int
	entry  bool
	sig    *signature
	wrong  *signature // what other modules declare it as, nil unless that is the fault
	static bool
	weak   bool
	strong int // module whose definition overrules the weak ones; -1: none
	defs   []int
	number bool      // kernel: a second parameter
	block  int       // kernel: bytes of a structure as its last parameter
	differ bool      // kernel: the last parameter grows with the module, which no linker accepts
	alias  *function // the function this is another name of
	short  bool      // nothing but a return: keeps large programs quick to compile
}

func (f *function) definedIn(module int) bool {
	for _, d := range f.defs {
		if d == module {
			return true
		}
	}
	return f.strong == module
}

// parameters are those of a kernel as a module has it.
func (f *function) parameters(module int) string {
	text := ".param .u64 p"
	if f.number {
		text += ", .param .u32 n"
	}
	if f.block > 0 {
		text += fmt.Sprintf(", .param .align 8 .b8 s[%d]", f.blockIn(module))
	}
	return text
}

// blockIn is the size of a kernel's structure as a module has it.
func (f *function) blockIn(module int) int {
	if f.differ {
		return f.block + 8*module
	}
	return f.block
}

// signature is a shape of function; equal shapes have equal prototypes in the objects.
type signature struct {
	result string // PTX type of the result, "" for none
	args   []string
	bytes  int // size of a structure passed by value instead of args
}

var signatures = []*signature{
	{result: "b32", args: []string{"b32"}},
	{result: "b32", args: []string{"b32", "b32"}},
	{result: "b64", args: []string{"b64"}},
	{args: []string{"b64"}},
	{result: "f64", args: []string{"f64"}},
	{result: "b32"},
	{result: "b32", bytes: 24},
	{result: "b32", bytes: 64},
}

// head writes the declaration, without linkage and without what follows it.
func (s *signature) head(name string) string {
	text := ".func "
	if s.bytes > 0 {
		return fmt.Sprintf("%s(.param .b32 out) %s(.param .align 8 .b8 a0[%d])", text, name, s.bytes)
	}
	if s.result != "" {
		text += fmt.Sprintf("(.reg .%s out) ", s.result)
	}
	text += name + "("
	for i, a := range s.args {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf(".reg .%s a%d", a, i)
	}
	return text + ")"
}

// prototype writes what an indirect call needs.
func (s *signature) prototype() string {
	text := ".callprototype "
	if s.bytes > 0 {
		return fmt.Sprintf("%s(.param .b32 _) _ (.param .align 8 .b8 _[%d])", text, s.bytes)
	}
	if s.result != "" {
		text += fmt.Sprintf("(.reg .%s _) ", s.result)
	}
	text += "_ ("
	for i, a := range s.args {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf(".reg .%s _", a)
	}
	return text + ")"
}

// planFunctions draws n device functions and k kernels.
func (p *plan) planFunctions(n, k int) {
	for i := range n {
		f := &function{name: fmt.Sprintf("f%d", i), index: i, strong: -1, sig: signatures[p.c.below(len(signatures))], defs: p.places(false)}
		if f.sig.bytes > 0 && !p.may(StructParameter) {
			f.sig = signatures[0]
		}
		switch {
		case p.may(WeakFunction) && oneIn(p.c, 3):
			f.weak, f.defs = true, p.places(true)
			if oneIn(p.c, 4) {
				f.strong = p.c.below(len(p.modules))
			}
		case p.may(StaticFunction) && oneIn(p.c, 3):
			p.planStatic(f, fmt.Sprintf("aux%d", p.c.below(3)))
		}
		f.short = n > 10 && p.c.below(3) == 0
		p.functions = append(p.functions, f)
	}
	p.planAliases()
	for i := range k {
		f := &function{name: fmt.Sprintf("k%d", i), index: -1, entry: true, strong: -1, defs: p.places(false)}
		if p.may(WeakKernel) && oneIn(p.c, 4) {
			f.weak, f.defs = true, p.places(true)
			f.differ = len(f.defs) > 1 && p.faults && oneIn(p.c, 6)
		} else if p.may(StaticKernel) && oneIn(p.c, 3) {
			p.planStatic(f, fmt.Sprintf("kx%d", p.c.below(2)))
		}
		f.number = p.c.below(3) == 1
		if f.differ || p.may(KernelStruct) && p.c.below(2) == 1 {
			f.block = 8 * between(p.c, 1, 40)
		}
		p.functions = append(p.functions, f)
	}
}

// planAliases gives second names to functions that every module may call.
func (p *plan) planAliases() {
	var list []*function
	for i, f := range p.functions {
		if !f.static && !f.weak && p.may(Alias) && oneIn(p.c, 9) {
			list = append(list, &function{name: fmt.Sprintf("al%d", i), index: f.index, strong: -1, sig: f.sig, defs: f.defs, alias: f})
		}
	}
	p.functions = append(p.functions, list...)
}

// planStatic makes a function static under a name, unless its module has that name already.
func (p *plan) planStatic(f *function, name string) {
	for _, g := range p.functions {
		if g.name == name && g.defs[0] == f.defs[0] {
			return
		}
	}
	f.static, f.name = true, name
}
