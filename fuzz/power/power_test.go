package power

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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

// What is planted in one program and switched on does what it does planted alone; a detector that fails anyway is told.
func TestShare(t *testing.T) {
	root := module(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root.Dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("d.go", `package m

type box[T any] struct{ list []T }

func (b *box[T]) add(v ...T) { b.list = append(b.list, v...) }

func Sum(_ string, list ...int) (n int) {
	for _, v := range list {
		n += v
	}
	return
}

func fill(b *box[int]) { b.add(1, 2) }

var table = [...]int{1, 2, 3}

const limit = 4
`)
	write("d_test.go", `package m

import "testing"

func TestSum(t *testing.T) {
	b := new(box[int])
	if fill(b); len(b.list) != 2 || Sum("", b.list...) != 3 || table[1] != 2 || limit != 4 {
		t.Error("sum")
	}
}
`)
	faults := []*Fault{
		{Area: "a", Name: "sum", File: "d.go", Old: "n += v", New: "n -= v"},
		{Area: "a", Name: "again", File: "d.go", Old: "range list {", New: "range list[1:] {"},
		{Area: "a", Name: "generic", File: "d.go", Old: "append(b.list, v...)", New: "b.list"},
		{Area: "a", Name: "nothing", File: "d.go", Old: "b.add(1, 2)", New: "return"},
		{Area: "a", Name: "table", File: "d.go", Old: "1, 2, 3}", New: "1, 5, 3}"},
		{Area: "a", Name: "constant", File: "d.go", Old: "limit = 4", New: "limit = 5"},
		{Area: "a", Name: "bad", File: "d.go", Old: "(n int) {", New: "(n int) { undefined()"},
		{Area: "a", Name: "lives", File: "a.go", Old: "2 * a", New: "a - 1"},
	}
	b, err := newBench(t.Context(), root, faults, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tests := []Detector{{Name: "corpus", Packages: []string{"."}}}
	for _, f := range faults {
		want := map[string]Outcome{"lives": Survived}[f.Name]
		if want == "" {
			want = Killed
		}
		if alone := f.Name == "constant" || f.Name == "bad"; shared(b, f) == alone {
			t.Errorf("%s: shared %v", f.Name, !alone)
			continue
		} else if alone {
			continue
		}
		if got := b.try(t.Context(), f, tests); got.Outcome != want {
			t.Errorf("%s: %s %s, want %s", f.Name, got.Outcome, got.Note, want)
		}
	}
	write("e_test.go", "package m\n\nimport \"testing\"\n\nfunc TestBroken(t *testing.T) { t.Error(\"always\") }\n")
	b, err = newBench(t.Context(), root, faults, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if got := b.try(t.Context(), faults[0], tests); got.Outcome != Broken || !strings.Contains(got.Note, "without a fault") || !strings.HasSuffix(got.Note, "e_test.go:5: always") {
		t.Errorf("a detector that always fails: %s %s", got.Outcome, got.Note)
	}
}

func shared(b *bench, f *Fault) bool {
	_, ok := b.program.shared[f.ID()]
	return ok
}

// Drawn faults are the same for the same seed, and each is in its place.
func TestDraw(t *testing.T) {
	root := &Root{Dir: "../.."}
	one, err := root.Draw(40, 3, "engine")
	if err != nil || len(one) != 40 {
		t.Fatalf("%d faults, %v", len(one), err)
	}
	two, err := root.Draw(40, 3, "engine")
	if err != nil {
		t.Fatal(err)
	}
	for i := range one {
		if one[i] != two[i] {
			t.Errorf("fault %d is %s and %s", i, one[i].ID(), two[i].ID())
		}
		text, err := os.ReadFile(filepath.Join(root.Dir, one[i].File))
		if err != nil || !strings.HasPrefix(string(text[one[i].find(text):]), one[i].Old) {
			t.Errorf("%s is not at its place: %v", one[i].ID(), err)
		}
	}
}

// A file of results is taken up again, and what was found isn't tried twice.
func TestStore(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results")
	s, err := openStore(name, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Result{{Fault: "a", Hash: "1", Outcome: Survived}, {Fault: "a", Hash: "1", Outcome: Killed}, {Fault: "b", Hash: "2", Outcome: Killed}, {Fault: "b", Hash: "2", Outcome: Survived}} {
		if err := s.add(r); err != nil {
			t.Fatal(err)
		}
	}
	s.close()
	if s, err = openStore(name, true); err != nil || len(s.known) != 1 || s.known["1"].Outcome != Killed {
		t.Errorf("%v, %v", s.known, err)
	}
	s.close()
	if _, err := openStore("", true); err == nil {
		t.Error("nothing is taken up")
	}
}

// A fault that is drawn of a version is drawn of one in which other lines have changed as well.
func TestDrawAgain(t *testing.T) {
	const text = "package sass\n\nfunc f(a, b int, ok bool) int {\n\tif a > b && ok {\n\t\treturn a\n\t}\n\tfor a < b {\n\t\ta += 2\n\t}\n\treturn min(a, b)\n}\n"
	drawn := func(text string) (list []string) {
		root := &Root{Dir: t.TempDir()}
		file := filepath.Join(root.Dir, "engine/internal/sass/x.go")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		all, err := root.Draw(100, 7, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			list = append(list, f.context+" "+f.New)
		}
		return list
	}
	before := drawn(text)
	after := drawn(strings.Replace(text, "\tfor a < b", "\tb = b + 1\n\tfor a < b", 1))
	after = slices.DeleteFunc(after, func(f string) bool { return strings.Contains(f, "b + 1") })
	if !slices.Equal(before, after) || len(before) < 10 {
		t.Errorf("%q, then %q", before, after)
	}
}

// What is drawn in a package that is in no area is put to its own tests first, and whoever asks for those alone gets
// no other.
func TestDrawOthers(t *testing.T) {
	root := Root{Dir: "../.."}
	for _, own := range []bool{false, true} {
		o := Options{Root: root, Draw: 3, Seed: 5, Under: "internal/splitmix", Own: own}
		list, err := o.tasks()
		if err != nil || len(list) != 3 {
			t.Fatalf("%d tasks, %v", len(list), err)
		}
		for _, task := range list {
			first := task.detectors[0]
			if task.fault.Area != "others" || first.Name != "own" || !slices.Equal(first.Packages, []string{"./internal/splitmix"}) || own != (len(task.detectors) == 1) {
				t.Errorf("own %v: %s is put to %v", own, task.fault.ID(), task.detectors)
			}
		}
	}
}

// Kinds of changes that a draw makes, of a line each.
func TestCandidates(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.go")
	for body, want := range map[string]string{
		"if !ok { a++ }":                                  "never always not dropped",
		"switch { case ok: a++ }":                         "never always dropped",
		"switch a { case 0, 7: a++ }":                     "number less dropped without number",
		"a = min(a, f(a, g()))":                           "dropped other swapped",
		"_, err := f(1); _ = func() error { return err }": "dropped early number unsaid",
	} {
		if err := os.WriteFile(file, []byte("package m\n\nfunc h() {\n\t"+body+"\n}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		list, err := candidates(file, "x.go")
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, f := range list {
			kinds = append(kinds, f.Name[strings.LastIndexByte(f.Name, '-')+1:])
		}
		slices.Sort(kinds)
		wanted := strings.Fields(want)
		slices.Sort(wanted)
		if !slices.Equal(kinds, wanted) {
			t.Errorf("%s: %q, want %q", body, kinds, wanted)
		}
	}
}

// A program's folder is compiled, and what comes of it is left nowhere.
func TestNoProgramLeft(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.24\n", "p/main.go": "package main\n\nfunc main() {\n\tprintln(1 + 2)\n}\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root := &Root{Dir: dir}
	list, err := root.Draw(5, 1, "")
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	if _, err := newBench(t.Context(), root, []*Fault{&list[0]}, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if res := root.Check(t.Context(), &list[0]); res.Outcome != Survived {
		t.Errorf("%+v", res)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}
