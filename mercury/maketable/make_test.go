package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/mercury"
)

var update = flag.Bool("update", false, "write testdata/made.tsv and the held-back samples anew")

// The lines of PTX of the tests. One of those that are written out is held back.
const someLines = `# remark
brev.b32 %x0, %a0;
brev.b32 %x1, %a1;
brev.b32 %x1, %u1;
mov.u32 %x0, <1/2/3/4/5>;
`

// folder makes a folder as mercury/ is, with lines of PTX and records.
func folder(t *testing.T, lines, records string) string {
	t.Helper()
	dir := t.TempDir()
	for _, sub := range []string{"ptx", "testdata"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "ptx", "a.txt"), lines)
	write(t, filepath.Join(dir, "ptx", "records.txt"), records)
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// same compares what was written with a file that was written when the tools themselves answered.
func same(t *testing.T, got, file string) {
	t.Helper()
	if *update {
		write(t, file, got)
	}
	if want := readFile(t, file); got != want {
		t.Errorf("%s has\n%s\nand this was made:\n%s", file, want, got)
	}
}

// A table is made of a few lines of PTX, in parts: a form that is done isn't learned again, and one that takes too many
// links is omitted. What is said of a form is what the committed table, which was made of far more, says of it, and
// what ptxas wrote.
func TestMake(t *testing.T) {
	replay.Use(t, "testdata/make.gz", ptxasRelease, nvlinkRelease)
	dir, parts := folder(t, someLines, ""), t.TempDir()
	o := options{dir: dir, out: filepath.Join(dir, "table.tsv"), parts: parts, only: "301,010b0e0a,99999999"}
	if err := run(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	made := readFile(t, o.out)
	same(t, made, "testdata/made.tsv")
	if !strings.HasPrefix(made, heading+"plain\t301\t") || !strings.Contains(made, "\nform\t010b0e0a\t") {
		t.Errorf("the heading, an opcode and a tag in their order are to be in %s", made)
	}
	if names := files(t, parts); !slices.Equal(names, []string{"00000301.tsv", "010b0e0a.tsv", "samples.gob"}) {
		t.Errorf("parts: %v", names)
	}
	if _, err := os.Stat(filepath.Join(dir, "testdata", "heldback.txt")); err == nil {
		t.Error("a few tags alone leave the held-back samples as they are")
	}
	likeCommitted(t, made, "plain\t301\t")
	predicts(t, made, parts)

	// All tags, each with so few links that only the parts hold rules.
	o = options{dir: dir, out: filepath.Join(dir, "all.tsv"), parts: parts, links: 2 * opcodeShare}
	if err := run(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	if all := readFile(t, o.out); all != made {
		t.Errorf("of all tags:\n%s\nwant\n%s", all, made)
	}
	same(t, readFile(t, filepath.Join(dir, "testdata", "heldback.txt")), "testdata/heldback.txt")
	for _, name := range files(t, parts) {
		if text := readFile(t, filepath.Join(parts, name)); text == "" != !slices.Contains([]string{"00000301.tsv", "010b0e0a.tsv", "samples.gob"}, name) {
			t.Errorf("%s is kept as %q", name, text)
		}
	}
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// likeCommitted wants the committed table, which was made of far more, to have the same rules of an opcode: how many samples
// they hold for is all in which they may differ.
func likeCommitted(t *testing.T, made, heading string) {
	t.Helper()
	rules := func(text string) (list []string) {
		_, text, ok := strings.Cut("\n"+text, "\n"+heading)
		if !ok {
			t.Fatalf("no %q", heading)
		}
		for line := range strings.Lines(text) {
			if f := strings.Split(line, "\t"); f[0] == "plain" || f[0] == "form" {
				break
			} else if f[0] == "shape" {
				line = strings.Join(f[:3], "\t")
			}
			list = append(list, line)
		}
		return list
	}
	if got, want := rules(made), rules(readFile(t, "../table.tsv")); len(want) < 3 || !slices.Equal(got, want) {
		t.Errorf("%s has\n%q\nthe committed table\n%q", heading, got, want)
	}
}

// predicts wants a table to have the words that ptxas wrote.
func predicts(t *testing.T, text, parts string) {
	t.Helper()
	one, err := mercury.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := cached(parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	tag := uint32(0x010b0e0a)
	if len(samples[tag]) == 0 {
		t.Fatal("no samples")
	}
	for _, s := range samples[tag] {
		if !as(one, cuda.SM(s.SM), s.Record, s.Words) {
			t.Errorf("on sm_%d the record %x stands for other words than %x", s.SM, s.Record, s.Words)
		}
		if bad := bytes.Clone(s.Words); len(bad) > 0 {
			bad[0] ^= 1
			if as(one, cuda.SM(s.SM), s.Record, bad) {
				t.Errorf("on sm_%d the record %x stands for any words", s.SM, s.Record)
			}
		}
	}
}
