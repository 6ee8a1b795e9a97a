package linkcommand

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
)

var (
	recordReleases = flag.Bool("record-releases", false, "ask nvlink, and write testdata/releases.tsv anew")
	recordKnown    = flag.Bool("record-known", false, "ask nvlink about what is listed as done otherwise, and write that anew")
)

// otherRelease is a recorded link that another release is asked about.
type otherRelease struct {
	drawn
	key   string
	files map[string][]byte
}

// otherReleases are recorded links with other releases than theirs, a fourth of all pairs at random.
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

// TestOtherReleases links what is recorded of one release with another, and wants what that nvlink was seen to do. Of what
// twinlink is known to do otherwise, which a - before nvlink's tells, status, messages and all but what the listed sections hold
// have to be nvlink's all the same; with TWINLINK_EXACT=1 what has become the same has to go. What was recorded later
// wasn't asked.
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
	asked, otherwise := 0, 0
	var b strings.Builder
	for _, o := range list {
		putFiles(t, ".", o.files)
		line, image := o.run(t)
		got, w := short(line), want[o.key]
		if *recordReleases || *recordKnown && strings.HasPrefix(w, "-") {
			if w = o.ask(t, line, image); w != got {
				t.Logf("%s: %s, nvlink %s", o.key, got, w)
			}
		}
		if *recordReleases || *recordKnown {
			fmt.Fprintf(&b, "%s\t%s\n", o.key, w)
		}
		known, differs := strings.CutPrefix(w, "- ")
		switch {
		case w == "":
		case !differs:
			if asked++; got != w {
				t.Errorf("%s: %v: %s, nvlink, as recorded: %s", o.key, o.args, got, w)
			}
		default:
			f := strings.SplitN(known, "\t", 4)
			if len(f) != 4 || f[3] == "" {
				t.Fatalf("%s: %q has no cause", o.key, w)
			}
			if otherwise++; said(line) != f[1] {
				t.Errorf("%s: %v: %s, nvlink, as recorded, said: %s", o.key, o.args, said(line), f[1])
			}
			if f[2] != "-" && without(image, f[3]) != f[2] {
				t.Errorf("%s: %v: more differs than %s", o.key, o.args, f[3])
			}
			if got == f[0] && os.Getenv("TWINLINK_EXACT") != "" {
				t.Errorf("%s: it is nvlink's, though it is listed", o.key)
			}
		}
	}
	if *recordReleases || *recordKnown {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if t.Logf("%d as nvlink, %d otherwise", asked, otherwise); asked < 500 {
		t.Errorf("only %d links are compared", asked)
	}
}

// ask asks nvlink: what it did, and where twinlink does otherwise, what both say and the sections that differ.
func (o *otherRelease) ask(t *testing.T, ours string, image []byte) string {
	t.Helper()
	line, theirs := o.nvlink(t, o.files)
	theirLine := outcomeOf(line)
	if short(theirLine) == short(ours) {
		return short(ours)
	}
	why := "what is said"
	if said(theirLine) == said(ours) {
		why = strings.Join(otherSections(image, theirs["out.cubin"]), " ")
	}
	rest := without(theirs["out.cubin"], why)
	if rest != without(image, why) {
		rest = "-" // sizes differ, and with them where everything lies
	}
	return fmt.Sprintf("- %s\t%s\t%s\t%s", short(theirLine), said(theirLine), rest, why)
}

// without is a sum of an image but for what sections hold.
func without(image []byte, sections string) string {
	f, err := cubin.Open("", image)
	if err != nil {
		return checksum(image)
	}
	image = bytes.Clone(image)
	for i := 1; i < f.NumSections(); i++ {
		if s := f.Section(i); !s.NoBits() && slices.Contains(strings.Fields(sections), f.SectionName(&s)) {
			clear(image[s.Off:][:s.Size])
		}
	}
	return checksum(image)
}

// said is the part of an outcome that is no file: status and a sum of what was printed.
func said(outcome string) string {
	f := strings.SplitN(outcome, "\t", 3)
	return f[0] + " " + checksum([]byte(f[2]))
}

// otherSections are the names of sections that differ, and "file" where all are the same.
func otherSections(a, b []byte) (names []string) {
	x, err := cubin.Open("", a)
	y, fault := cubin.Open("", b)
	if err != nil || fault != nil || x.NumSections() != y.NumSections() {
		return []string{"file"}
	}
	for i := 1; i < x.NumSections(); i++ {
		s, r := x.Section(i), y.Section(i)
		if x.SectionName(&s) != y.SectionName(&r) || !bytes.Equal(x.Content(&s), y.Content(&r)) {
			names = append(names, x.SectionName(&s))
		}
	}
	if names == nil {
		return []string{"file"}
	}
	return names
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
