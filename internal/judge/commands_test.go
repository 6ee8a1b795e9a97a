package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/internal/splitmix"
	"github.com/twinlink/twinlink/oracle/check"
)

var update = flag.Bool("update", false, "write testdata/commands.txt anew")

// printed runs a command as main does and returns what it prints, without times.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	all := slices.Clone(faults)
	defer func() { faults, keep, wide = all, "", false }()
	f, err := parseFlags(args[0], args[1:])
	if err != nil {
		return err.Error() + "\n"
	}
	text, failed := replay.Printed(t, func() error { return commands[args[0]](t.Context(), f) })
	if failed != nil {
		text += fmt.Sprintln("error:", failed)
	}
	return withoutVerdicts(text)
}

// withoutVerdicts omits of what is printed what the check says, which is not the matter here, and times.
func withoutVerdicts(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		for _, change := range [][2]string{
			{`^ *\d+ (planted|fact|pointer|function|symbol|section|other|a |two |record|size|file).*\n`, ""}, {`^    .*\n`, ""}, // tallies and examples
			{`^(s\d+|[a-z]\S*) .*\n`, ""}, {`^\d+: s\d+, file.*\n`, ""}, {`^map\[.*\n`, "outcomes\n"},
			{`^ *\d+ of +(\d+)`, "N of $1"}, {`: \d+ rejected and named.*`, ""}, {`[0-9.]+ s\b`, "T s"},
		} {
			line = regexp.MustCompile(change[0]).ReplaceAllString(line, change[1])
		}
		kept.WriteString(line)
	}
	return kept.String()
}

// filesOf lists a folder's files with a sum of each.
func filesOf(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		list = append(list, fmt.Sprintf("%s %x\n", path, sha256.Sum256(data))[:len(path)+17]+"\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, "")
}

// Each command on a bed of a few links, made by recorded answers of ptxas and nvlink: what is asked is exact, so all that
// is drawn is; and the check says of each link what it said when the tools themselves had made it.
func TestCommands(t *testing.T) {
	replay.Use(t, "testdata/commands.gz", "11.8", "12.4", "13.0", "13.5")
	work := t.TempDir()
	inputs, err := filepath.Abs("../trophies/testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	for from, to := range map[string]string{"table1.ptx": "ptx/a/table1.ptx", "table2.ptx": "ptx/a/table2.ptx", "stack1.ptx": "ptx/b/one.ptx", "stack2.ptx": "ptx/b/two.ptx",
		"table1.cubin": "cubins/12.4-sm_90-a/1.cubin", "table2.cubin": "cubins/12.4-sm_90-a/2.cubin", "gain1.cubin": "cubins/13.0-sm_90-b/1.cubin"} {
		data, err := os.ReadFile(filepath.Join(inputs, from))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var all strings.Builder
	for _, line := range []string{
		"make -n 6 -seed 5 -j 1 bed", "make -n 2 -seed 90 -j 1 -only sm_100 bed", "real -from ptx -n 3 -seed 2 real", "objects -from cubins -n 3 -seed 2 objects",
		"right -v bed", "right -only mixed bed", "right real", "right objects", "layouts bed", "plant -n 200 -kinds stack bed",
		"plant -n 120 -kinds stack -keep kept bed", "again kept", "stale -n 16 -v -kinds ^.*(addend|register|stack|prototype) bed", "hostile -n 40 -seed 3 -kinds stack bed",
		"right none", "right", "plant -kinds nothing bed", "plant -kinds ( bed", "real -from none -n 1 real",
	} {
		fmt.Fprintf(&all, "$ judge %s\n%s", line, printed(t, strings.Fields(line)...))
	}
	fmt.Fprintf(&all, "$ files\n%s%s", filesOf(t, "bed"), filesOf(t, "real"))
	const file = "testdata/commands.txt"
	t.Chdir(filepath.Join(inputs, "../../judge"))
	if *update {
		if err := os.WriteFile(file, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(all.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Fatalf("line %d of %d is %q, want %q", i, len(a), a[min(i, len(a)-1)], b[min(i, len(b)-1)])
		}
	}
}

// Each kind of defect is planted as it was into recorded links: what it changes, and what it says of it. A kind that is
// new has no line until -update.
func TestPlantedAsBefore(t *testing.T) {
	const file, most = "testdata/planted.txt", 6
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	mercury, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	var list []corpus.Case
	for i, c := range append(cases[:len(cases):len(cases)], corpus.CasesOf(mercury)...) {
		if i%13 == 0 && c.Linked() && len(c.Output) > 0 {
			list = append(list, c)
		}
	}
	want := map[string]string{}
	if text, err := os.ReadFile(file); err == nil {
		for line := range strings.Lines(string(text)) {
			kind, sum, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			want[kind] = sum
		}
	}
	var lines []string
	for i := range faults {
		x := &faults[i]
		sum := fnv.New64a()
		planted := 0
		for k := range list {
			c := &list[(k+i)%len(list)]
			var inputs []check.Input
			for _, in := range c.Inputs {
				inputs = append(inputs, check.Input{Name: in.Name, Data: in.Data})
			}
			f := open(c.Output, splitmix.At(uint64(len(x.name))))
			f.several, f.relocatable = definedTwice(inputs), slices.Contains(c.Args, "-r")
			if x.mercury && len(f.symtabs) < 2 {
				continue
			}
			about := x.plant(f)
			if about != "" && !bytes.Equal(f.bytes, c.Output) {
				planted++
				fmt.Fprintf(sum, "%s %s %x\n", c.ID(), about, f.bytes)
			}
			if planted == most {
				break
			}
		}
		got := fmt.Sprintf("%d %016x", planted, sum.Sum64())
		lines = append(lines, x.name+"\t"+got+"\n")
		if was, ok := want[x.name]; ok && was != got && !*update {
			t.Errorf("%s: %s, was %s", x.name, got, was)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if len(want) < 100 {
		t.Errorf("%d kinds in %s", len(want), file)
	}
}
