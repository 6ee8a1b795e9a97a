// Survey runs the self-check over families of genuine files and prints a table:
// how many stored nodes the rules of package mercury make again, how many they
// make wrongly, and how many files have findings. A family is a folder of
// cubins, or a wheel, whose libraries are searched for them.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/internal/families"
	"github.com/twinlink/twinlink/selfcheck"
)

const usage = `Usage: survey [-v] [-learned NAME,...] NAME=FOLDER|WHEEL...

-learned   families that rules were learned from: printed apart, not summed up
-v         the findings and the unknown forms too
`

func main() {
	verbose := flag.Bool("v", false, "")
	learned := flag.String("learned", "", "")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()
	w := bufio.NewWriter(os.Stdout)
	err := run(w, flag.Args(), strings.Split(*learned, ","), *verbose)
	if err := cmp.Or(err, w.Flush()); err != nil {
		fmt.Fprintln(os.Stderr, "survey:", err)
		os.Exit(1)
	}
}

// tally is what came of the files of a family.
type tally struct {
	name                    string
	files                   int
	verdicts                map[selfcheck.Verdict]int
	stored, same, unknown   int
	forms, findings, causes map[string]int
}

func (t *tally) add(u *tally) {
	t.files += u.files
	t.stored, t.same, t.unknown = t.stored+u.stored, t.same+u.same, t.unknown+u.unknown
	for v, n := range u.verdicts {
		t.verdicts[v] += n
	}
}

func newTally(name string) *tally {
	return &tally{name: name, verdicts: map[selfcheck.Verdict]int{}, forms: map[string]int{}, findings: map[string]int{}, causes: map[string]int{}}
}

func run(w io.Writer, named, learned []string, verbose bool) error {
	fmt.Fprintf(w, "%-16s %6s %9s %9s %8s %7s %8s | %6s %9s %9s %8s\n", "family", "files", "stored", "made", "unknown", "wrong", "share", "pass", "incomplete", "findings", "refused")
	sum := newTally("together")
	for _, f := range named {
		name, folder, ok := strings.Cut(f, "=")
		if !ok {
			return fmt.Errorf("%q is not NAME=FOLDER or NAME=WHEEL", f)
		}
		t, err := survey(name, folder)
		if err != nil {
			return err
		}
		if slices.Contains(learned, name) {
			t.name += " (learned)"
		} else {
			sum.add(t)
		}
		t.line(w)
		if verbose {
			t.details(w)
		}
	}
	sum.line(w)
	return nil
}

func survey(name, place string) (*tally, error) {
	t := newTally(name)
	err := families.Each(place, func(file string, data []byte) {
		r := selfcheck.Check(file, data, selfcheck.Options{})
		t.files++
		t.verdicts[r.Verdict]++
		t.stored += r.Nodes.Stored
		t.same += r.Nodes.Reconstituted
		t.unknown += r.Nodes.Unknown
		for k, n := range r.Forms {
			t.forms[k] += n
		}
		for k, n := range r.Unknown {
			t.causes["not known: "+k] += n
		}
		for k, n := range r.Unchecked {
			t.causes[k] += n
		}
		seen := map[string]bool{}
		for i := range r.Findings {
			f := &r.Findings[i]
			key := fmt.Sprintf("%s %s %s: %s", f.Kind, f.Aspect, family(f.Section), f.What)
			if !seen[key] {
				t.findings[fmt.Sprintf("%s, as in %s: %s", key, file, f.Detail())]++
			}
			seen[key] = true
		}
	})
	return t, err
}

// family is the name of a section without that of its function.
func family(section string) string {
	for _, p := range [...]string{".text.", ".nv.info.", ".nv.constant0.", ".nv.constant2."} {
		if at := strings.Index(section, p); at >= 0 {
			return section[:at+len(p)] + "F"
		}
	}
	return section
}

func (t *tally) line(w io.Writer) {
	wrong := t.stored - t.same - t.unknown
	share := 100.0
	if t.stored > 0 {
		share = 100 * float64(t.same) / float64(t.stored)
	}
	v := t.verdicts
	fmt.Fprintf(w, "%-16s %6d %9d %9d %8d %7d %7.2f%% | %6d %9d %9d %8d\n", t.name, t.files, t.stored, t.same, t.unknown, wrong, share, v[selfcheck.Pass], v[selfcheck.Incomplete], v[selfcheck.Fail], v[selfcheck.Refused])
}

func (t *tally) details(w io.Writer) {
	for _, l := range []struct {
		what  string
		tally map[string]int
	}{{"finding", t.findings}, {"unknown", t.forms}, {"unchecked", t.causes}} {
		keys := slices.SortedFunc(maps.Keys(l.tally), func(x, y string) int {
			return cmp.Or(cmp.Compare(l.tally[y], l.tally[x]), cmp.Compare(x, y))
		})
		for _, k := range keys[:min(60, len(keys))] {
			fmt.Fprintf(w, "    %s: %d × %.300s\n", l.what, l.tally[k], k)
		}
	}
}
