package cmdline

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/nvlink-options.md anew")

const optionsDoc = "../../docs/nvlink-options.md"

// TestOptionsTable makes docs/nvlink-options.md of the table and of what the
// recorded command lines say, and compares.
func TestOptionsTable(t *testing.T) {
	want := optionsText(t)
	if *update {
		if err := os.WriteFile(optionsDoc, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(optionsDoc)
	if err != nil || string(got) != want {
		t.Errorf("docs/nvlink-options.md is out of date (%v): go test ./internal/cmdline -run TestOptionsTable -update", err)
	}
}

func optionsText(t *testing.T) string {
	t.Helper()
	uses := countUses(t)
	var b strings.Builder
	tally := map[string]int{}
	var rows strings.Builder
	for i := range Table {
		o := &Table[i]
		if ID(i) >= firstOwn {
			continue
		}
		what := "honoured"
		switch o.Effect {
		case Inert:
			what = "no effect on a link without -dlto, as nvlink"
		case Refused:
			what = "refused by name"
		case Compiled:
			what = "with `--lto-with`; refused by name without"
		}
		tally[strings.Fields(what)[0]]++
		short := ""
		if o.Short != "" {
			short = "`-" + o.Short + "`"
		}
		var releases []string
		for _, r := range Releases {
			if o.In&r != 0 {
				releases = append(releases, r.String())
			}
		}
		fmt.Fprintf(&rows, "| `--%s` | %s | %s | %s | %d |\n", o.Name, short, strings.Join(releases, " "), what, uses[i])
	}
	fmt.Fprintf(&b, "# nvlink's options\n\nMade by `go test ./internal/cmdline -run TestOptionsTable -update` of the table of package `cmdline` and of the recorded runs in `testdata/facts.json`, "+
		"which `TestFacts` repeats.\n\n%d options: %d honoured, %d without effect where nothing is optimised at link time, %d honoured where `--lto-with` names a compiler, %d refused by name (`option '--x' is not supported by twinlink`, exit 1).\n\n"+
		"| option | short | releases | here | recorded command lines |\n|---|---|---|---|---|\n",
		int(firstOwn), tally["honoured"], tally["no"], tally["with"], tally["refused"])
	b.WriteString(rows.String())
	return b.String()
}

// countUses counts the recorded command lines in which each option stands.
func countUses(t *testing.T) [numOptions]int {
	t.Helper()
	var uses [numOptions]int
	for _, f := range readFacts(t) {
		p := &parser{release: all, lenient: true, read: f.read}
		_ = p.args(f.Args)
		for i := range uses {
			if p.set[i].given {
				uses[i]++
			}
		}
	}
	return uses
}
