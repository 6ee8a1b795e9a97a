package ptxgen

import (
	"fmt"
	"strings"
)

// systemCalls are the functions that the driver supplies.
var systemCalls = []struct{ name, text string }{
	{"vprintf", "(.param .b32 r) vprintf(.param .b64 f, .param .b64 v)"},
	{"malloc", "(.param .b64 r) malloc(.param .b64 n)"},
	{"free", "free(.param .b64 p)"},
	{"__assertfail", "__assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s)"},
	{"cudaGetParameterBufferV2", "(.param .b64 r) cudaGetParameterBufferV2(.param .b64 k, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s)"},
	{"cudaLaunchDeviceV2", "(.param .b32 r) cudaLaunchDeviceV2(.param .b64 b, .param .b64 s)"},
}

// writeDeclarations writes what is used here and defined elsewhere or further down.
func (m *module) writeDeclarations(out *strings.Builder) {
	var lines []string
	for _, v := range m.plan.objects {
		if m.objects[v] && !v.definedIn(m.index) {
			lines = append(lines, m.declare(v))
		}
	}
	for _, f := range m.plan.functions {
		if m.functions[f] {
			lines = append(lines, m.head(f)+";\n")
		}
	}
	for _, s := range systemCalls {
		if m.system[s.name] {
			lines = append(lines, ".extern .func "+s.text+";\n")
		}
	}
	shuffle(m.plan.c, lines)
	out.WriteString(strings.Join(lines, ""))
}

func (m *module) declare(v *object) string {
	switch v.space {
	case textureRef, samplerRef, surfaceRef:
		return fmt.Sprintf(".extern .global %s %s;\n", referenceType(v.space), v.name)
	case dynamic:
		return fmt.Sprintf(".extern .shared .align %d .%s %s[];\n", v.align, v.elem, v.name)
	}
	count := fmt.Sprint(v.count)
	switch {
	case v.wrong:
		count = fmt.Sprint(v.count + 1)
	case v.space != shared && m.plan.may(OpenArray) && oneIn(m.plan.c, 3):
		count = ""
		m.plan.use(OpenArray)
	}
	return fmt.Sprintf(".extern %s .align %d .%s %s[%s];\n", v.where(), v.align, v.elem, v.name, count)
}

var spaceNames = map[space]string{global: ".global", constant: ".const", shared: ".shared"}

// where is the directive of the variable's space, with its attribute.
func (v *object) where() string {
	if v.managed {
		return ".global .attribute(.managed)"
	}
	return spaceNames[v.space]
}

func referenceType(s space) string {
	return map[space]string{textureRef: ".texref", samplerRef: ".samplerref", surfaceRef: ".surfref"}[s]
}

// head is what a declaration or definition of a function begins with in this module.
func (m *module) head(f *function) string {
	if f.entry {
		return fmt.Sprintf("%s.entry %s(%s)", m.linkage(f), f.name, f.parameters(m.index))
	}
	return m.linkage(f) + m.signature(f).head(f.name)
}

// linkage is the directive of a function's declaration or definition in this module.
func (m *module) linkage(f *function) string {
	switch {
	case !f.definedIn(m.index):
		return ".extern "
	case f.static:
		return ""
	case f.weak && f.strong != m.index:
		return ".weak "
	}
	return ".visible "
}
