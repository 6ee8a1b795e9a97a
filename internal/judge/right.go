package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/twinlink/twinlink/oracle/check"
)

// load reads a link from the disk.
func load(dir string) (l link, inputs []check.Input, output []byte, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if err != nil {
		return l, nil, nil, err
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return l, nil, nil, err
	}
	for _, name := range l.Inputs {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return l, nil, nil, err
		}
		inputs = append(inputs, check.Input{Name: name, Data: data})
	}
	output, err = os.ReadFile(filepath.Join(dir, "out.cubin"))
	return l, inputs, output, err
}

// options are what the linker was told.
func (l *link) options() check.Options {
	o := check.Options{Arch: l.Arch, Toolkit: l.Release}
	for _, a := range l.Args {
		name, value, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		switch name {
		case "r":
			o.Relocatable = true
		case "g":
			o.Debug = true
		case "suppress-debug-info":
			o.SuppressDebug = true
		case "preserve-relocs":
			o.PreserveRelocs = true
		case "force-rela":
			o.ForceRela = true
		case "disable-smem-reservation":
			o.NoReserved = true
		case "reserve-null-pointer":
			o.ReserveNull = true
		case "variables-used":
			o.VariablesUsed = append(o.VariablesUsed, strings.Split(value, ",")...)
		case "kernels-used":
			o.KernelsUsed = append(o.KernelsUsed, strings.Split(value, ",")...)
		}
	}
	return o
}

// linksIn lists the folders of a bed.
func linksIn(dir, only string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "*", "case.json"))
	if err != nil {
		return nil, err
	}
	var list []string
	for _, f := range found {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		if strings.Contains(string(text), only) {
			list = append(list, filepath.Dir(f))
		}
	}
	slices.Sort(list)
	return list, nil
}

// cause says which known wrong links of nvlink's a rejected one looks like.
func (l *link) cause(v *check.Verdict) string {
	has := func(k check.Kind) bool {
		return slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Kind == k })
	}
	switch {
	case v.Outcome() == check.NotJudged:
		return "not judged"
	case has(check.PointerMissing):
		return "a pointer that stays zero"
	case slices.Contains(l.Args, "-r") && has(check.SharedPlace):
		return "-r that gives shared variables a place"
	case slices.Contains(l.Tags, "two-step"):
		return "two steps"
	}
	return "other"
}

// judgeRight prints what the check says of right links, and the first findings
// by kind.
func judgeRight(dir, only string, each bool) error {
	list, err := linksIn(dir, only)
	if err != nil {
		return err
	}
	sum := opinions{kinds: map[string]int{}, causes: map[string]int{}, groups: map[string]share{}}
	var spent time.Duration
	for _, folder := range list {
		l, inputs, output, err := load(folder)
		if err != nil {
			return err
		}
		start := time.Now()
		v := check.Check(inputs, output, l.options())
		spent += time.Since(start)
		sum.add(&l, &v)
		if each && !v.Agrees() {
			printVerdict(&l, &v)
		}
	}
	sum.print()
	fmt.Printf("%d of %d accepted, %d refused; %.1f s\n", sum.accepted, len(list), sum.refused, spent.Seconds())
	return nil
}

// opinions are what the check said of many links.
type opinions struct {
	accepted, refused int
	kinds, causes     map[string]int
	groups            map[string]share // by release, architecture and tags
}

// share is how many of a group were accepted.
type share struct{ accepted, of int }

func (o *opinions) add(l *link, v *check.Verdict) {
	group := l.Release + " " + l.Arch[:min(len(l.Arch), 5)] + " " + strings.Join(l.Tags, "+")
	g := o.groups[group]
	g.of++
	switch {
	case v.Agrees():
		o.accepted++
		g.accepted++
	case v.Refusal != nil:
		o.refused++
	}
	o.groups[group] = g
	if v.Agrees() {
		return
	}
	o.causes[l.cause(v)]++
	countKinds(o.kinds, "", v)
}

// countKinds counts a verdict once for each kind of finding that it has; front is before what is counted.
func countKinds(kinds map[string]int, front string, v *check.Verdict) {
	seen := map[string]bool{}
	for _, f := range v.Findings {
		if key := front + f.Kind.String() + " " + f.Detail; !seen[key] {
			seen[key] = true
			kinds[key]++
		}
	}
}

// print lists kinds and causes, then the groups.
func (o *opinions) print() {
	printCounts(o.kinds)
	printCounts(o.causes)
	for _, k := range slices.Sorted(maps.Keys(o.groups)) {
		fmt.Printf("%4d of %4d  %s\n", o.groups[k].accepted, o.groups[k].of, k)
	}
}

// printCounts prints counts, the greatest first.
func printCounts(m map[string]int) {
	for _, k := range slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	}) {
		fmt.Printf("%5d %s\n", m[k], k)
	}
}

// printVerdict prints a link and the first lines of what is said of it.
func printVerdict(l *link, v *check.Verdict) {
	fmt.Printf("%s %s %s %v %v: %s\n", l.Name, l.Release, l.Arch, l.Args, l.Tags, l.cause(v))
	lines := strings.Split(v.String(), "\n")
	for _, line := range lines[:min(len(lines), 8)] {
		fmt.Println("   ", line)
	}
}
