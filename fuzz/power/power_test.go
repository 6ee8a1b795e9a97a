package power

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// The lists can be read, there are enough faults, and a fault names a file of Go or of data.
func TestLists(t *testing.T) {
	areas, err := Areas()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, a := range areas {
		n += len(a.Faults)
		for _, f := range a.Faults {
			if !strings.HasPrefix(f.File, "..") && filepath.IsAbs(f.File) {
				t.Errorf("%s: file %s", f.ID(), f.File)
			}
			if f.Proof != "" && f.Equivalent == "" {
				t.Errorf("%s: a proof without a reason", f.ID())
			}
		}
	}
	if n < 200 {
		t.Errorf("%d faults, want 200 or more", n)
	}
}

func TestRefusedLists(t *testing.T) {
	for _, text := range []string{
		"", "detector corpus ./x", "detector corpus\nfault a\nfile f\nold x\nnew y", "fault a\nfile f\nold x\nnew y",
		"detector c ./x\nold x", "detector c ./x\nfault a\nfile f\nold x\nnew x", "detector c ./x\nfault a\nfile f\nold x\nnew y\nfault a\nfile f\nold x\nnew z",
		"detector c ./x\nfault a\nfile f\nold x\nnew y\nwhat z", "detector c ./x\nfault a\nfile f\nold \"x\nnew y",
	} {
		if _, err := readAreas(fstest.MapFS{"faults/a.txt": {Data: []byte(text)}}); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// module writes a small module with one function and a test of it.
func module(t *testing.T) *Root {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":     "module m\n\ngo 1.24\n",
		"a.go":       "package m\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Twice(a int) int { return 2 * a }\n",
		"a_test.go":  "package m\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Error(\"sum\")\n\t}\n}\n",
		"b/b.go":     "package b\n",
		"c.go":       "package m\n\nvar again, more = 1, 1\n",
		"doc_test.t": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &Root{Dir: dir}
}

// Every outcome is told from the others.
func TestTry(t *testing.T) {
	root := module(t)
	corpus := []Detector{{Name: "corpus", Packages: []string{"."}}}
	for _, c := range []struct {
		fault Fault
		ask   []Detector
		want  Outcome
	}{
		{Fault{File: "a.go", Old: "a + b", New: "a - b"}, corpus, Killed},
		{Fault{File: "a.go", Old: "2 * a", New: "3 * a"}, corpus, Survived},
		{Fault{File: "a.go", Old: "2 * a", New: "a + a", Equivalent: "the same"}, corpus, Equivalent},
		{Fault{File: "a.go", Old: "2 * a", New: "a + a", Equivalent: "the same", Proof: ". TestAdd"}, corpus, Equivalent},
		{Fault{File: "a.go", Old: "2 * a", New: "a + a", Equivalent: "the same", Proof: ". TestNone"}, corpus, Excused},
		{Fault{File: "a.go", Old: "a + b", New: "a - b", Equivalent: "the same"}, corpus, Excused},
		{Fault{File: "a.go", Old: "a * b", New: "a - b"}, corpus, Stale},
		{Fault{File: "c.go", Old: "1", New: "2"}, corpus, Stale},
		{Fault{File: "a.go", Old: "a + b", New: "a + c"}, corpus, Broken},
		{Fault{File: "a.go", Old: "a + b", New: "a - b"}, []Detector{{Name: "none", Packages: []string{"./b"}}}, Broken},
	} {
		if got := root.Try(context.Background(), &c.fault, c.ask); got.Outcome != c.want {
			t.Errorf("%+v: %s %s, want %s", c.fault, got.Outcome, got.Note, c.want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(root.Dir, "a.go")); err != nil || !strings.Contains(string(text), "a + b") {
		t.Errorf("the source is changed: %s, %v", text, err)
	}
}
