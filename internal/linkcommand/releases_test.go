package linkcommand

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

var recordReleases = flag.Bool("record-releases", false, "ask nvlink, and write testdata/releases.tsv anew")

// otherRelease is a recorded link that another release is asked about.
type otherRelease struct {
	drawn
	key   string
	files map[string][]byte
}

// otherReleases are recorded links with other releases than theirs, a fourth of all pairs by lot.
func otherReleases(t *testing.T) (list []otherRelease) {
	t.Helper()
	var cases []corpus.Case
	for _, load := range []func() ([]corpus.Program, error){corpus.Links, corpus.Mercury, corpus.Behaviours} {
		programs, err := load()
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, corpus.CasesOf(programs)...)
	}
	for i := range cases {
		c := &cases[i]
		named := func(in corpus.Input) bool {
			return !strings.HasPrefix(in.Name, "/") && slices.Contains(c.Args, in.Name)
		}
		if !c.Complete() || len(c.Inputs) == 0 || !slices.Contains(c.Args, "out.cubin") || slices.ContainsFunc(c.Inputs, func(in corpus.Input) bool { return !named(in) }) {
			continue
		}
		for _, release := range []string{"11.8", "12.4", "13.0", "13.1", "13.2", "13.3", "13.4", "13.5"} {
			key := c.ID() + " " + release
			if release == c.Release || sha256.Sum256([]byte(key))[0]%4 != 0 {
				continue
			}
			o := otherRelease{drawn{release: release, args: c.Args}, key, map[string][]byte{}}
			for _, in := range c.Inputs {
				o.files[in.Name] = in.Data
			}
			list = append(list, o)
		}
	}
	return list
}

// TestOtherReleases links what is recorded of one release with another, and wants what that nvlink was seen to do. Where
// twinlink was known to do otherwise, "-" stands in testdata/releases.tsv; what was recorded later wasn't asked.
func TestOtherReleases(t *testing.T) {
	list := otherReleases(t)
	text, err := os.ReadFile("testdata/releases.tsv")
	if err != nil && !*recordReleases {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		want[key] = rest
	}
	path, err := filepath.Abs("testdata/releases.tsv")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	asked := 0
	var b strings.Builder
	for _, o := range list {
		putFiles(t, ".", o.files)
		got := short(o.ours(t))
		if *recordReleases {
			if want[o.key] = short(outcomeOf(o.theirs(t, o.files))); want[o.key] != got {
				t.Logf("%s: %s, nvlink %s", o.key, got, want[o.key])
				want[o.key] = "-"
			}
			fmt.Fprintf(&b, "%s\t%s\n", o.key, want[o.key])
		}
		w := want[o.key]
		if w == "" || w == "-" {
			continue
		}
		if asked++; got != w {
			t.Errorf("%s: %v: %s, nvlink, as recorded: %s", o.key, o.args, got, w)
		}
	}
	if *recordReleases {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if asked < 500 {
		t.Errorf("only %d links are compared", asked)
	}
}

// outcomeOf is a line without the command.
func outcomeOf(line string) string {
	_, rest, _ := strings.Cut(line, "\t")
	return rest
}

// short is an outcome with a sum in place of what is said.
func short(outcome string) string {
	exit, rest, _ := strings.Cut(outcome, "\t")
	return exit + " " + checksum([]byte(rest))
}
