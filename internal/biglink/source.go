package biglink

import (
	"fmt"
	"strings"
)

// Functions is how many functions a module has, its kernel included.
const Functions = 64

// Own and Next stand for the number of a module and of the one that it calls.
const (
	Own  = "m0000"
	Next = "n0000"
)

// arithmetic is how many steps a function's body has; with it a module has 100 kB.
const arithmetic = 14

// Source is the PTX of the template.
func Source() string { return SourceFor("7.8", "sm_80") }

// SourceFor is the same for another version of PTX and another target.
func SourceFor(version, target string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("// The module of which benchmarks are made: package internal/biglink writes it.")
	line(".version %s\n.target %s\n.address_size 64\n", version, target)
	line(".visible .global .align 4 .b32 g_%s[16] = {1, 2, 3, 4};", Own)
	line(".visible .const .align 4 .b32 c_%s[16] = {5, 6, 7, 8};", Own)
	line(".visible .global .align 8 .u64 p_%s[2] = {g_%s, generic(g_%s)};", Own, Own, Own)
	half := Functions / 2
	for i := half; i < Functions; i++ {
		line(".extern .func (.param .b32 r) f_%s_%02d(.param .b32 x);", Next, i)
	}
	for i := Functions - 1; i >= 1; i-- {
		line("\n.visible .func (.param .b32 r) f_%s_%02d(.param .b32 x)\n{", Own, i)
		line("\t.reg .b32 %%r<%d>;\n\t.reg .b64 %%rd<3>;", arithmetic+8)
		line("\tld.param.b32 %%r1, [x];")
		line("\tld.const.b32 %%r2, [c_%s+%d];", Own, i%16*4)
		line("\tmov.u64 %%rd1, g_%s;\n\tld.global.b32 %%r3, [%%rd1+%d];", Own, i%16*4)
		at := 3
		for j := range arithmetic {
			line("\tmad.lo.s32 %%r%d, %%r%d, %%r%d, %d;", at+1, at, 1+j%2, i*1000+j)
			at++
		}
		if i < half {
			line("\t{\n\t.param .b32 a;\n\t.param .b32 b;\n\tst.param.b32 [a], %%r%d;", at)
			line("\tcall (b), f_%s_%02d, (a);\n\tld.param.b32 %%r%d, [b];\n\t}", Next, half+i, at+1)
			at++
		}
		line("\tst.param.b32 [r], %%r%d;\n\tret;\n}", at)
	}
	line("\n.visible .entry k_%s(.param .u64 out)\n{", Own)
	line("\t.reg .b32 %%r<4>;\n\t.reg .b64 %%rd<3>;")
	line("\tld.param.u64 %%rd1, [out];\n\tld.global.b32 %%r1, [%%rd1];")
	for i := 1; i < Functions; i++ {
		line("\t{\n\t.param .b32 a;\n\t.param .b32 b;\n\tst.param.b32 [a], %%r1;")
		line("\tcall (b), f_%s_%02d, (a);\n\tld.param.b32 %%r1, [b];\n\t}", Own, i)
	}
	line("\tst.global.b32 [%%rd1], %%r1;\n\tret;\n}")
	return b.String()
}
