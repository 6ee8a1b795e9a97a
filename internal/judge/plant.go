package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/internal/splitmix"
	"github.com/twinlink/twinlink/oracle/check"
)

// keep is a folder for the files with a fault that were not rejected; "": none.
var keep string

// fault is one kind of defect that changes what a program does, or whether it runs.
type fault struct {
	name string
	// plant changes a file and says what the finding must name, a section or a
	// symbol; "" where there is no place for the fault.
	plant   func(f *file) (about string)
	mercury bool // only of files for sm_100 and up
}

// faults are all kinds.
var faults = slices.Concat(codeFaults, scheduleFaults, waitFaults, linkerFaults, recordFaults, symbolFaults, sectionFaults, infoFaults, dataFaults, fileFaults, capsuleFaults, wrongFaults, placeFaults, wordFaults, forgottenFaults)

// tally counts what became of one kind of fault.
type tally struct {
	planted, named, unnamed, unjudged, agreed int
	examples                                  []string
}

// count asks the check about a file with a fault and counts the answer.
func (t *tally) count(x *fault, l *link, inputs []check.Input, output []byte, about string) *tally {
	if t == nil {
		t = new(tally)
	}
	t.planted++
	v := check.Check(inputs, output, l.options())
	if keep != "" && v.Outcome() != check.Rejected {
		name := filepath.Join(keep, l.Name+"-"+strings.ReplaceAll(strings.ReplaceAll(x.name, " ", "-"), "/", "-")+".cubin")
		if err := os.WriteFile(name, output, 0o666); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	switch v.Outcome() {
	case check.Accepted:
		t.agreed++
		t.examples = append(t.examples, l.Name+" "+about+": agrees")
	case check.NotJudged:
		t.unjudged++
		t.examples = append(t.examples, l.Name+" "+about+": "+v.Unjudged[0].String())
	case check.Refused:
		t.unnamed++
		t.examples = append(t.examples, l.Name+" "+about+": "+v.Refusal.Error())
	default:
		if slices.ContainsFunc(v.Findings, func(g check.Finding) bool { return names(&g, about) }) {
			t.named++
			break
		}
		t.unnamed++
		t.examples = append(t.examples, l.Name+" "+about+": "+v.Findings[0].String())
	}
	return t
}

// plantAll plants n faults into the links of a bed that are accepted, and prints
// what the check says.
func plantAll(dir, only string, seed uint64, n int, each bool) error {
	list, err := linksIn(dir, only)
	if err != nil {
		return err
	}
	var good []string
	for _, folder := range list {
		l, inputs, output, err := load(folder)
		if err != nil {
			return err
		}
		if check.Check(inputs, output, l.options()).Agrees() {
			good = append(good, folder)
		}
	}
	if len(good) == 0 {
		return fmt.Errorf("no accepted link in %s", dir)
	}
	r := splitmix.At(seed)
	tallies := map[string]*tally{}
	planted := 0
	for tries := 0; planted < n && tries < 40*n; {
		l, inputs, output, err := load(good[r.Below(len(good))])
		if err != nil {
			return err
		}
		for range 24 {
			tries++
			if plantOne(&faults[r.Below(len(faults))], &l, inputs, output, r, tallies) {
				planted++
			}
		}
	}
	report(tallies, planted, each)
	return nil
}

// plantOne plants one fault and counts what the check says; false: there was no place
// for it.
func plantOne(x *fault, l *link, inputs []check.Input, output []byte, r *splitmix.Random, tallies map[string]*tally) bool {
	f := open(output, r)
	f.several, f.relocatable = definedTwice(inputs), slices.Contains(l.Args, "-r")
	if x.mercury && len(f.symtabs) < 2 {
		return false
	}
	about := x.plant(f)
	if about == "" || string(f.bytes) == string(output) {
		return false
	}
	kind := x.name
	if len(f.symtabs) > 1 && !x.mercury {
		kind += ", sm_100 and up"
		if slices.Contains(l.Args, "-g") {
			kind += " -g"
		}
	}
	tallies[kind] = tallies[kind].count(x, l, inputs, f.bytes, about)
	return true
}

// definedTwice are the weak functions that several inputs define.
func definedTwice(inputs []check.Input) map[string]bool {
	seen, several := map[string]bool{}, map[string]bool{}
	for _, in := range inputs {
		f := open(in.Data, nil)
		for _, i := range f.symtabs[:min(1, len(f.symtabs))] {
			for _, y := range f.symbols(&f.sections[i]) {
				if y.bind == 2 && y.kind == 2 && y.shndx != 0 {
					several[y.name] = several[y.name] || seen[y.name]
					seen[y.name] = true
				}
			}
		}
	}
	maps.DeleteFunc(several, func(_ string, twice bool) bool { return !twice })
	return several
}

// names reports whether a finding names what was changed.
func names(g *check.Finding, about string) bool {
	for _, want := range strings.Split(about, "|") {
		bare := strings.TrimPrefix(strings.TrimPrefix(want, ".text."), ".nv.capmerc.text.")
		if want == g.Symbol || want == g.Section || bare == g.Symbol || want == "file" && (g.Section == "" || g.Kind == check.HeaderField || g.Kind == check.SegmentCover || g.Kind == check.Unreadable) {
			return true
		}
		if g.Kind == check.Unreadable || strings.HasSuffix(g.Section, bare) && bare != "" || strings.Contains(g.Want+" "+g.Got+" "+g.Detail, bare) {
			return true
		}
	}
	return false
}

// report prints the table.
func report(tallies map[string]*tally, planted int, each bool) {
	var all tally
	var kinds []string
	bare := map[string]bool{}
	for kind, t := range tallies {
		kinds = append(kinds, kind)
		name, _, _ := strings.Cut(kind, ", sm_100")
		bare[name] = true
		all.named, all.unnamed, all.unjudged, all.agreed = all.named+t.named, all.unnamed+t.unnamed, all.unjudged+t.unjudged, all.agreed+t.agreed
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		t := tallies[kind]
		if each || t.named < t.planted {
			fmt.Printf("%5d planted %5d named %3d rejected otherwise %3d not judged %3d agree  %s\n", t.planted, t.named, t.unnamed, t.unjudged, t.agreed, kind)
			for _, x := range t.examples[:min(3, len(t.examples))] {
				fmt.Println("       ", x)
			}
		}
	}
	fmt.Printf("%d defects of %d kinds: %d rejected and named (%.2f %%), %d rejected otherwise, %d not judged, %d agree\n",
		planted, len(bare), all.named, 100*float64(all.named)/float64(max(planted, 1)), all.unnamed, all.unjudged, all.agreed)
}
