package main

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/corpus"
)

// program is a source of the plan, or several that are linked.
type program struct {
	name     string
	sources  []string // in the folder corpus
	targets  []string // nil: all
	features string
}

var allTargets = strings.Fields("100 103 110 120 121 100a 103a 110a 120a 121a 100f 103f 110f 120f 121f")

func own(names ...string) (list []string) {
	for _, n := range names {
		list = append(list, "capsules/ptx/"+n+".ptx")
	}
	return list
}

func links(program string, modules ...string) (list []string) {
	for _, m := range modules {
		list = append(list, "links/"+program+"/"+m+".ptx")
	}
	return list
}

var programs = []program{
	{"tensor", own("tensor"), nil, "mma ldmatrix"},
	{"tensor5", own("tensor5"), strings.Fields("100a 103a 110a 100f 103f"), "tcgen05 mbarrier elect"},
	{"accel", own("accel"), strings.Fields("120a 121a 120f"), "mma-f8f6f4"},
	{"tma", own("tma"), nil, "TMA mbarrier"},
	{"clusters", own("clusters"), nil, "cluster mbarrier"},
	{"barriers", own("barriers"), nil, "mbarrier barrier cp.async"},
	{"textures", own("textures"), nil, "texture surface"},
	{"calls", own("calls"), nil, "call indirect-call recursion jump-table function-table"},
	{"shapes", own("shapes"), nil, "virtual-function recursion printf C++"},
	{"half", own("half"), nil, "shared shuffle half C++ inlined"},
	{"atomics", own("atomics"), nil, "atomic fence vote match redux"},
	{"numbers", own("numbers"), nil, "double division special-register"},
	{"data", own("data"), nil, "initialiser constant byte-lanes shared local"},
	{"empty", own("empty"), nil, "trap"},
	{"modules", own("main", "other"), nil, "call extern shared-extern constant weak"},
	{"unified", links("unified", "a", "b"), nil, "unified-table"},
	{"jumps", links("jumps", "a", "b"), nil, "jump-table call"},
	{"samplers", links("samplers", "a", "b"), nil, "texture sampler"},
	{"divisions", links("divisions", "a"), nil, "local-helper"},
	{"syscalls", links("syscalls", "a", "b"), nil, "system-call"},
	{"variadic", links("variadic", "a", "b"), nil, "variadic call"},
	{"alloca", links("alloca", "a", "b"), nil, "stack"},
	{"noreturn", links("noreturn", "a", "b"), nil, "noreturn"},
	{"weak", links("weak_functions", "a", "b"), nil, "weak-function"},
	{"statics", links("statics", "a", "b"), nil, "static duplicate-name"},
	{"pointers", links("pointers", "a", "b"), nil, "function-pointer"},
	{"managed", links("managed", "a", "b"), nil, "managed"},
}

// styles are the ways to compile, in turn.
var styles = []struct {
	suffix string
	flags  []string
	whole  bool // only where a program is one module
}{
	{"", []string{"-c"}, false},
	{"-g", []string{"-c", "-g"}, false},
	{"-lineinfo", []string{"-c", "-lineinfo"}, false},
	{"-whole", []string{}, true},
	{"-O0", []string{"-c", "-O0"}, false},
	{"-whole-lineinfo", []string{"-lineinfo"}, true},
	{"-O1", []string{"-c", "-O1"}, false},
	{"-whole-g", []string{"-g"}, true},
	{"-ewp", []string{"-ewp"}, true},
}

// linkStyles are the ways to link, in turn.
var linkStyles = []struct {
	suffix string
	flags  []string
}{
	{"", nil}, {"-r", []string{"-r"}}, {"-preserve", []string{"--preserve-relocs"}}, {"-debug", []string{"-g"}},
}

// each is how many targets every program is made for.
const each = 6

// plan returns the recipes of all cubins, objects before what is linked of them.
func plan() []corpus.Capsule {
	var list []corpus.Capsule
	turn := 0
	for _, p := range programs {
		targets := p.targets
		if targets == nil {
			targets = allTargets
		}
		for range each {
			t := targets[(4*turn+turn/15)%len(targets)]
			style := styles[turn%len(styles)]
			release := [...]string{"13.0", "13.5"}[turn/3%2]
			turn++
			if style.whole && len(p.sources) > 1 {
				style = styles[turn%3]
			}
			list = append(list, recipes(p, "sm_"+t, release, style.suffix, style.flags, linkStyles[turn%len(linkStyles)])...)
		}
	}
	return distinct(list)
}

// distinct drops what an earlier turn has made already.
func distinct(list []corpus.Capsule) []corpus.Capsule {
	seen := map[string]bool{}
	kept := list[:0]
	for _, c := range list {
		if !seen[c.Name] {
			kept = append(kept, c)
		}
		seen[c.Name] = true
	}
	return kept
}

func recipes(p program, arch, release, suffix string, flags []string, link struct {
	suffix string
	flags  []string
}) []corpus.Capsule {
	var list []corpus.Capsule
	var objects []string
	features := strings.Fields(p.features)
	for i, s := range p.sources {
		name := fmt.Sprintf("%s-%s-%s%s", p.name, release, arch, suffix)
		if len(p.sources) > 1 {
			name = fmt.Sprintf("%s.%d-%s-%s%s", p.name, i+1, release, arch, suffix)
		}
		objects = append(objects, name)
		list = append(list, corpus.Capsule{Name: name, Release: release, Arch: arch, Source: s, Flags: flags, Features: features})
	}
	if len(flags) > 0 && flags[0] == "-c" && (len(p.sources) > 1 || suffix == "") {
		list = append(list, corpus.Capsule{Name: fmt.Sprintf("%s-%s-%s%s-linked%s", p.name, release, arch, suffix, link.suffix),
			Release: release, Arch: arch, Objects: objects, Flags: append([]string{}, link.flags...), Features: features})
	}
	return list
}
