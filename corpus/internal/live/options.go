package main

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/internal/ptxgen"
	"github.com/twinlink/twinlink/internal/splitmix"
)

// option is one way to vary a link; apply changes the plan.
type option struct {
	weight int
	since  string // release that knows it
	apply  func(r *splitmix.Random, p *plan, program ptxgen.Program)
}

func plain(args ...string) func(*splitmix.Random, *plan, ptxgen.Program) {
	return func(_ *splitmix.Random, p *plan, _ ptxgen.Program) { p.args = append(p.args, args...) }
}

// compiled gives flags to ptxas.
func compiled(flag string) func(*splitmix.Random, *plan, ptxgen.Program) {
	return func(r *splitmix.Random, p *plan, _ ptxgen.Program) {
		some := r.OneIn(4)
		for i := range p.modules {
			if !some || r.Below(2) == 0 {
				p.modules[i].flags = []string{flag}
			}
		}
	}
}

// options are what users give nvlink, and what changes its output. Those that change nothing occur once, at the end.
var options = []option{
	{12, "", func(r *splitmix.Random, p *plan, program ptxgen.Program) {
		p.args = append(p.args, "-g")
		if r.Below(3) > 0 {
			compiled("-g")(r, p, program)
		}
	}},
	{6, "", compiled("-lineinfo")},
	{5, "", compiled("-g")},
	{14, "", plain("--preserve-relocs")},
	{10, "", func(r *splitmix.Random, p *plan, _ ptxgen.Program) {
		p.args = append(p.args, "-r")
		p.final = p.release >= "13" && r.Below(2) == 0
	}},
	{10, "", func(r *splitmix.Random, p *plan, program ptxgen.Program) {
		p.args = append(p.args, "-kernels-used="+parts(r, program.Kernels))
	}},
	{8, "", func(r *splitmix.Random, p *plan, program ptxgen.Program) {
		p.args = append(p.args, "-variables-used="+parts(r, program.Objects))
	}},
	{6, "", plain("-v")},
	{4, "", plain("-w")},
	{5, "", plain("-Werror")},
	{4, "", plain("--dump-callgraph")},
	{2, "", plain("--dump-callgraph-no-demangle")},
	{7, "", plain("--force-rela")},
	{6, "", plain("--reserve-null-pointer")},
	{6, "", plain("--disable-smem-reservation=true")},
	{6, "", plain("-g", "-suppress-debug-info")},
	{5, "", plain("-extrawarn")},
	{4, "", plain("--allow-undefined-globals")},
	{3, "", plain("-suppress-stack-size-warning")},
	{2, "", plain("--report-arch")},
	{2, "", plain("--tool-name=linker")},
	{2, "13", plain("-disable-infos")},
	{2, "13", plain("--verbose-tkinfo=true")},
	{2, "13", plain("-g", "--verbose-tkinfo=false")},
	{3, "", func(r *splitmix.Random, p *plan, _ ptxgen.Program) {
		p.args = append(p.args, splitmix.Pick(r, []string{"-m64", "-keep-system-libraries", "-use-host-info", "-ignore-host-info", "-cpu-arch=X86_64",
			"-maxrregcount=32", "--dont-reserve-null-pointer", "--shared", "--uumn", "-suppress-arch-warning", "-Xptxas=-v"}))
	}},
}

// parts draws a value for -kernels-used or -variables-used: names, or parts of names, that exist or not.
func parts(r *splitmix.Random, names []string) string {
	if len(names) == 0 || r.OneIn(8) {
		return splitmix.Pick(r, []string{"nothing_of_that_name", "k", "_"})
	}
	if r.OneIn(8) {
		n := splitmix.Pick(r, names)
		return n[:1+r.Below(len(n))]
	}
	list := []string{splitmix.Pick(r, names)}
	for _, n := range names {
		if r.Below(2) == 0 && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return strings.Join(list, ",")
}

func (p *plan) drawOptions(r *splitmix.Random, program ptxgen.Program) {
	total := 0
	for _, o := range options {
		total += o.weight
	}
	count := splitmix.Pick(r, []int{1, 1, 2, 3})
	used := map[int]bool{}
	for range count {
		k := r.Below(total)
		i := slices.IndexFunc(options, func(o option) bool { k -= o.weight; return k < 0 })
		if used[i] || options[i].since > p.release {
			continue
		}
		used[i] = true
		options[i].apply(r, p, program)
	}
	p.behind = r.OneIn(3)
	if len(p.args) > 0 && r.OneIn(12) {
		text := strings.Join(p.args, splitmix.Pick(r, []string{" ", "\n", "\t "})) + "\n"
		p.files = append(p.files, file{"options.txt", []byte(text)})
		p.args = []string{"-optf", "options.txt"}
	}
}
