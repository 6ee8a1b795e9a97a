package definitions

import (
	"fmt"
	"strings"
)

// Way is a manner to define or declare the name x.
type Way struct {
	Name  string
	Group string // ways of a group can stand for one variable or function
	Text  string // what it is, in PTX

	source func(o *Object) string
}

// Ways returns all ways, by group.
func Ways() []Way { return ways }

var ways = []Way{
	variable("global", "global", ".visible .global", false),
	variable("global_init", "global", ".visible .global", true),
	variable("global_extern", "global", ".extern .global", false),
	array("global_extern_array", "global", ".extern .global"),
	variable("global_weak", "global", ".weak .global", false),
	variable("global_weak_init", "global", ".weak .global", true),
	variable("global_common", "global", ".common .global", false),
	variable("global_static", "global", ".global", false),
	variable("global_static_init", "global", ".global", true),
	variable("managed", "managed", ".visible .global .attribute(.managed)", false),
	variable("managed_init", "managed", ".visible .global .attribute(.managed)", true),
	variable("managed_extern", "managed", ".extern .global .attribute(.managed)", false),
	variable("managed_weak", "managed", ".weak .global .attribute(.managed)", false),
	variable("const", "const", ".visible .const", false),
	variable("const_init", "const", ".visible .const", true),
	variable("const_extern", "const", ".extern .const", false),
	variable("const_weak", "const", ".weak .const", true),
	variable("const_static", "const", ".const", true),
	variable("shared", "shared", ".visible .shared", false),
	variable("shared_weak", "shared", ".weak .shared", false),
	variable("shared_extern", "shared", ".extern .shared", false),
	array("shared_dynamic", "shared", ".extern .shared"),
	variable("shared_static", "shared", ".shared", false),
	texture("texture", ".visible", "texref", "tex.1d.v4.u32.s32 {r1,r2,r3,r4}, [x, {r1}]"),
	texture("texture_extern", ".extern", "texref", "tex.1d.v4.u32.s32 {r1,r2,r3,r4}, [x, {r1}]"),
	texture("texture_weak", ".weak", "texref", "tex.1d.v4.u32.s32 {r1,r2,r3,r4}, [x, {r1}]"),
	texture("texture_static", "", "texref", "tex.1d.v4.u32.s32 {r1,r2,r3,r4}, [x, {r1}]"),
	texture("surface", ".visible", "surfref", "suld.b.1d.b32.trap r1, [x, {r1}]"),
	function("func", ".visible", ordinary, 0),
	function("func_weak", ".weak", ordinary, 0),
	function("func_weak_heavy", ".weak", ordinary, 24),
	declared("func_extern", ordinary),
	function("func_static", "", ordinary, 0),
	function("func_other", ".visible", other, 0),
	function("func_weak_other", ".weak", other, 0),
	declared("func_extern_other", other),
	function("func_noreturn", ".visible", noreturn, 0),
	alias(),
	entry("entry", ".visible"),
	entry("entry_weak", ".weak"),
	entry("entry_static", ""),
}

// value is the number that an input's definition holds.
func value(side string) int { return 0x11 * int(side[0]-'a'+1) }

// kernel is the kernel of an input, which uses x as body says.
func kernel(side, body string) string {
	return fmt.Sprintf(`.visible .entry k%s(.param .u64 p)
{
	.reg .b64 d<4>;
	.reg .b32 r<8>;
	ld.param.u64 d0, [p];
	mov.u32 r1, 0;
%s	st.global.u32 [d0], r1;
	ret;
}
`, side, body)
}

func variable(name, group, what string, init bool) Way {
	space := what[strings.LastIndex(strings.TrimSuffix(what, " .attribute(.managed)"), " .")+1:]
	space = strings.Fields(strings.TrimPrefix(space, " "))[0]
	text := what + " .u32 x"
	if init {
		text += " = 17"
	}
	return Way{Name: name, Group: group, Text: text, source: func(o *Object) string {
		dim, data := "", ""
		if o.words > 1 {
			dim = fmt.Sprintf("[%d]", o.words)
		}
		switch {
		case init && o.words > 1:
			var list []string
			for i := range o.words {
				list = append(list, fmt.Sprint(value(o.Side)+i))
			}
			data = " = {" + strings.Join(list, ", ") + "}"
		case init:
			data = fmt.Sprintf(" = %d", value(o.Side))
		}
		return fmt.Sprintf("%s .align %d .u32 x%s%s;\n", what, o.align, dim, data) + kernel(o.Side, "\tld"+space+".u32 r1, [x];\n")
	}}
}

func array(name, group, what string) Way {
	space := what[strings.LastIndex(what, "."):]
	return Way{Name: name, Group: group, Text: what + " .u32 x[]", source: func(o *Object) string {
		return fmt.Sprintf("%s .align %d .u32 x[];\n", what, o.align) + kernel(o.Side, "\tld"+space+".u32 r1, [x];\n")
	}}
}

func texture(name, link, kind, use string) Way {
	text := strings.TrimSpace(link + " .global ." + kind + " x")
	return Way{Name: name, Group: "texture", Text: text, source: func(o *Object) string {
		return text + ";\n" + kernel(o.Side, "\t"+use+";\n")
	}}
}

// signature is how a function is declared and called.
type signature struct{ decl, directive, call string }

var (
	ordinary = signature{"(.reg .b32 o) x(.reg .b32 i)", "", "call (r1), x, (r1)"}
	other    = signature{"(.reg .b32 o) x(.reg .b32 i, .reg .b64 j)", "", "call (r1), x, (r1, d0)"}
	noreturn = signature{"x()", " .noreturn", "call x"}
)

func function(name, link string, s signature, registers int) Way {
	text := strings.TrimSpace(link + " .func " + s.decl + s.directive)
	about := text
	if registers > 0 {
		about += fmt.Sprintf(", %d registers", registers)
	}
	return Way{Name: name, Group: "func", Text: about, source: func(o *Object) string {
		var b strings.Builder
		if registers > 0 {
			fmt.Fprintf(&b, ".global .align 4 .u32 g%s[%d];\n", o.Side, registers)
		}
		fmt.Fprintf(&b, "%s\n{\n", text)
		if s != noreturn {
			fmt.Fprintf(&b, "\tadd.u32 o, i, %d;\n", value(o.Side))
		}
		if registers > 0 {
			fmt.Fprintf(&b, "\t.reg .b32 t<%d>;\n", registers)
		}
		for i := range registers {
			fmt.Fprintf(&b, "\tld.volatile.global.u32 t%d, [g%s+%d];\n", i, o.Side, 4*i)
		}
		for i := range registers {
			fmt.Fprintf(&b, "\tmad.lo.u32 o, o, %d, t%d;\n", value(o.Side), i)
		}
		return b.String() + "\tret;\n}\n" + kernel(o.Side, "\t"+s.call+";\n")
	}}
}

func declared(name string, s signature) Way {
	text := ".extern .func " + s.decl
	return Way{Name: name, Group: "func", Text: text, source: func(o *Object) string {
		return text + ";\n" + kernel(o.Side, "\t"+s.call+";\n")
	}}
}

func alias() Way {
	return Way{Name: "alias", Group: "func", Text: ".alias x, y", source: func(o *Object) string {
		return fmt.Sprintf(`.visible .func (.reg .b32 o) y%s(.reg .b32 i)
{
	add.u32 o, i, %d;
	ret;
}
.visible .func (.reg .b32 o) x(.reg .b32 i);
.alias x, y%[1]s;
`, o.Side, value(o.Side)) + kernel(o.Side, "\tcall (r1), y"+o.Side+", (r1);\n\tcall (r1), x, (r1);\n")
	}}
}

func entry(name, link string) Way {
	text := strings.TrimSpace(link + " .entry x(.param .u64 p)")
	return Way{Name: name, Group: "entry", Text: text, source: func(o *Object) string {
		return fmt.Sprintf("%s\n{\n\t.reg .b64 d;\n\tld.param.u64 d, [p];\n\tst.global.u32 [d], %d;\n\tret;\n}\n", text, value(o.Side)) + kernel(o.Side, "")
	}}
}
