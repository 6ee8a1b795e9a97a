//go:build unix

package main

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/internal/biglink"
)

// shape is a link that can be made in any size.
type shape struct {
	name    string
	release string // whose ptxas makes the module
	target  string
	source  func(version, target string) string // PTX of the module
	next    func(i, n int) int                  // which module a module calls
	modules int                                 // the smaller of the two sizes
	options []string
}

// ptx is the version of PTX for a release.
var ptx = map[string]string{"11.8": "7.8", "12.4": "8.4", "13.0": "9.0"}

func around(i, n int) int   { return (i + 1) % n }
func toFirst(int, int) int  { return 0 }
func inChain(i, n int) int  { return min(i+1, n-1) }
func toItself(i, _ int) int { return i }

// shapes are what a linker might be slow on.
var shapes = []shape{
	{name: "rings", source: calls(24, true), next: around, modules: 256},
	{name: "rings with shared memory and barriers", source: ringWithNeeds, next: around, modules: 256},
	{name: "stars", source: calls(24, false), next: toFirst, modules: 256},
	{name: "chains", source: calls(24, true), next: inChain, modules: 256},
	{name: "chains with shared memory", source: chainWithNeeds, next: inChain, modules: 256},
	{name: "100k globals", source: globals, next: toItself, modules: 25},
	{name: "50k second names", source: aliases, next: toItself, modules: 64, release: "11.8", target: "sm_80"},
	{name: "25k long names", source: longNames, next: toItself, modules: 64},
	{name: "65k sections", source: calls(64, false), next: toItself, modules: 64},
	{name: "65k sections, sm_100", source: calls(64, false), next: toItself, modules: 64, target: "sm_100"},
}

func head(b *strings.Builder, version, target string) {
	fmt.Fprintf(b, ".version %s\n.target %s\n.address_size 64\n", version, target)
}

// calls is a kernel and functions that call those of the next module and, if
// around is set, one of the own: rings that all kernels reach.
func calls(functions int, around bool) func(version, target string) string {
	return func(version, target string) string {
		var b strings.Builder
		head(&b, version, target)
		for i := range functions {
			fmt.Fprintf(&b, ".extern .func f_%s_%02d();\n", biglink.Next, i)
			fmt.Fprintf(&b, ".visible .func f_%s_%02d();\n", biglink.Own, i)
		}
		for i := range functions {
			fmt.Fprintf(&b, ".visible .func f_%s_%02d() {\n", biglink.Own, i)
			if around {
				fmt.Fprintf(&b, "call f_%s_%02d, ();\n", biglink.Next, i)
				fmt.Fprintf(&b, "call f_%s_%02d, ();\n", biglink.Own, (i+1)%functions)
			}
			fmt.Fprintf(&b, "ret;\n}\n")
		}
		kernel(&b, functions, true)
		return b.String()
	}
}

// kernel calls the functions of its module, and those of the next one.
func kernel(b *strings.Builder, functions int, next bool) {
	fmt.Fprintf(b, ".visible .entry k_%s() {\n", biglink.Own)
	for i := range functions {
		fmt.Fprintf(b, "call f_%s_%02d, ();\n", biglink.Own, i)
		if next {
			fmt.Fprintf(b, "call f_%s_%02d, ();\n", biglink.Next, i)
		}
	}
	fmt.Fprintf(b, "ret;\n}\n")
}

// ringWithNeeds is a ring whose functions use barriers and a variable in shared
// memory each.
func ringWithNeeds(version, target string) string {
	const functions = 8
	var b strings.Builder
	head(&b, version, target)
	for i := range functions {
		fmt.Fprintf(&b, ".extern .func f_%s_%02d();\n", biglink.Next, i)
		fmt.Fprintf(&b, ".shared .align 4 .b32 s_%s_%02d;\n", biglink.Own, i)
		fmt.Fprintf(&b, ".visible .func f_%s_%02d() {\nbar.sync 0;\nst.shared.b32 [s_%s_%02d], %d;\ncall f_%s_%02d, ();\nret;\n}\n",
			biglink.Own, i, biglink.Own, i, i, biglink.Next, i)
	}
	kernel(&b, functions, false)
	return b.String()
}

// chainWithNeeds is a chain whose functions use a variable in shared memory each.
func chainWithNeeds(version, target string) string {
	const functions = 8
	var b strings.Builder
	head(&b, version, target)
	next := fmt.Sprintf("f_%s_00", biglink.Next)
	fmt.Fprintf(&b, ".extern .func %s();\n", next)
	for i := functions - 1; i >= 0; i-- {
		own := fmt.Sprintf("f_%s_%02d", biglink.Own, i)
		fmt.Fprintf(&b, ".shared .align 4 .b32 s_%s_%02d;\n", biglink.Own, i)
		fmt.Fprintf(&b, ".visible .func %s() {\nst.shared.b32 [s_%s_%02d], %d;\ncall %s, ();\nret;\n}\n", own, biglink.Own, i, i, next)
		next = own
	}
	fmt.Fprintf(&b, ".visible .entry k_%s() {\ncall f_%s_00, ();\nret;\n}\n", biglink.Own, biglink.Own)
	return b.String()
}

// globals is a thousand variables.
func globals(version, target string) string {
	var b strings.Builder
	head(&b, version, target)
	for i := range 1000 {
		fmt.Fprintf(&b, ".visible .global .align 4 .b32 g_%s_%03d = %d;\n", biglink.Own, i, i)
	}
	return b.String()
}

// aliases is functions with a second name each.
func aliases(version, target string) string {
	const functions = 200
	var b strings.Builder
	head(&b, version, target)
	for i := range functions {
		fmt.Fprintf(&b, ".visible .func f_%s_%03d() {\nret;\n}\n.visible .func a_%s_%03d();\n.alias a_%s_%03d, f_%s_%03d;\n",
			biglink.Own, i, biglink.Own, i, biglink.Own, i, biglink.Own, i)
	}
	fmt.Fprintf(&b, ".visible .entry k_%s() {\n", biglink.Own)
	for i := range functions {
		fmt.Fprintf(&b, "call a_%s_%03d, ();\n", biglink.Own, i)
	}
	fmt.Fprintf(&b, "ret;\n}\n")
	return b.String()
}

// longNames is functions with names of a thousand characters.
func longNames(version, target string) string {
	const functions = 100
	long := strings.Repeat("n", 1000)
	var b strings.Builder
	head(&b, version, target)
	for i := range functions {
		fmt.Fprintf(&b, ".visible .func f_%s_%s_%03d() {\nret;\n}\n", biglink.Own, long, i)
	}
	fmt.Fprintf(&b, ".visible .entry k_%s() {\n", biglink.Own)
	for i := range functions {
		fmt.Fprintf(&b, "call f_%s_%s_%03d, ();\n", biglink.Own, long, i)
	}
	fmt.Fprintf(&b, "ret;\n}\n")
	return b.String()
}

// small is a kernel and a function that calls the next module's.
func small(version, target string) string {
	var b strings.Builder
	head(&b, version, target)
	fmt.Fprintf(&b, ".extern .func f_%s();\n.visible .func f_%s() {\nret;\n}\n", biglink.Next, biglink.Own)
	fmt.Fprintf(&b, ".visible .entry k_%s() {\ncall f_%s, ();\ncall f_%s, ();\nret;\n}\n", biglink.Own, biglink.Own, biglink.Next)
	return b.String()
}

// large is few large sections: data of 12 MB and a function of 2 MB.
func large(version, target string) string {
	var b strings.Builder
	head(&b, version, target)
	fmt.Fprintf(&b, ".visible .global .align 4 .b32 g_%s[3000000] = {1", biglink.Own)
	for i := range 40000 {
		fmt.Fprintf(&b, ",%d", i)
	}
	fmt.Fprintf(&b, "};\n.visible .entry k_%s(.param .u64 p) {\n.reg .b64 %%p;\n.reg .b32 %%r<3>;\nld.param.u64 %%p, [p];\n", biglink.Own)
	for i := range 20000 {
		fmt.Fprintf(&b, "ld.volatile.global.b32 %%r1, [%%p+%d];\nst.volatile.global.b32 [%%p+%d], %%r1;\n", 4*i, 4*i+4)
	}
	fmt.Fprintf(&b, "ret;\n}\n")
	return b.String()
}
