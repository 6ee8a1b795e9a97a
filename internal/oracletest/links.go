// Package oracletest gives the tests of the oracle's packages links that nvlink made: what a phase finds out about
// them is held against the bytes that nvlink wrote.
package oracletest

import (
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Link is a recorded link of nvlink 11.8 to 13.5.
type Link struct {
	Name    string
	Inputs  []verdict.Input
	Output  []byte
	Options verdict.Options
}

// few is of how many links one is taken, by a hash of its name: tests of a package are to be fast. All of
// --preserve-relocs are, which are few.
const few = 3

// Links are a part of the corpus's links. Those of nvlink 13.0 with -r, which give shared variables a place too early,
// are omitted, and second steps, whose input is a link itself.
func Links(t testing.TB) []Link {
	t.Helper()
	all, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	var list []Link
	for i := range all {
		c := &all[i]
		o := Options(c)
		if !c.Linked() || c.Output == nil || !c.Complete() || strings.HasSuffix(c.Name, "-final") || c.Release == "13.0" && o.Relocatable {
			continue
		}
		if h := fnv.New32a(); len(c.Output) < 1<<16 {
			_, _ = h.Write([]byte(c.ID())) // it never fails
			if h.Sum32()%few != 0 && !o.PreserveRelocs {
				continue
			}
			list = append(list, linkOf(c, o))
		}
	}
	if len(list) < 100 {
		t.Fatalf("only %d links", len(list))
	}
	return list
}

// wrongPrograms are those of which nvlink makes some link wrong, or whose bytes follow from what no phase but the last knows.
var wrongPrograms = []string{"dropped_label", "dynamic_forgotten", "dynamic_shared", "dynamic_twice", "equal_constants", "fenced_exits", "hidden_kernels", "hollow_reserved", "lost_pointers", "lost_tables",
	"open_constants", "open_shared", "partial_dynamic", "partial_twice", "partial_yields", "reserved_pair", "resource_report", "shared_by_name", "static_kernels", "static_names", "taken_kernels", "tcgen05",
	"too_much_shared", "yield_operation", "yield_records"}

// Behaviours are the links of small programs that show one thing that nvlink does each, but for those of wrongPrograms.
func Behaviours(t testing.TB) []Link {
	t.Helper()
	all, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	var list []Link
	for _, c := range corpus.CasesOf(all) {
		if c.Linked() && c.Output != nil && c.Complete() && !slices.Contains(wrongPrograms, c.Program) {
			list = append(list, linkOf(&c, Options(&c)))
		}
	}
	if len(list) < 100 {
		t.Fatalf("only %d links", len(list))
	}
	return list
}

func linkOf(c *corpus.Case, o verdict.Options) Link {
	l := Link{Name: c.ID(), Output: c.Output, Options: o}
	for _, in := range c.Inputs {
		l.Inputs = append(l.Inputs, verdict.Input{Name: in.Name, Data: in.Data})
	}
	return l
}

// Options are those that a recorded run of nvlink was given.
func Options(c *corpus.Case) verdict.Options {
	o := verdict.Options{Arch: c.Arch}
	for _, a := range c.Args {
		kernels, filtered := strings.CutPrefix(a, "-kernels-used=")
		switch {
		case a == "-r":
			o.Relocatable = true
		case a == "-g":
			o.Debug = true
		case a == "-suppress-debug-info":
			o.SuppressDebug = true
		case a == "--preserve-relocs":
			o.PreserveRelocs = true
		case a == "--force-rela":
			o.ForceRela = true
		case a == "--disable-smem-reservation=true":
			o.NoReserved = true
		case a == "--reserve-null-pointer":
			o.ReserveNull = true
		case filtered:
			o.KernelsUsed = strings.Split(kernels, ",")
		case strings.HasPrefix(a, "-variables-used="):
			o.VariablesUsed = []string{""}
		}
	}
	return o
}
