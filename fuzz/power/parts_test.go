package power

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each change that a draw makes, by what it puts for what.
func TestDrawnTexts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.go")
	for body, want := range map[string]string{
		"if a < b { f() }":        "a < b => false && (a < b) | a < b => true || (a < b) | < => <= | f() => ",
		"x := a == b && !c":       "&& => || | a == b && !c => a == b | a == b && !c => !c | == => != | ! => ",
		"x := a &^ b << 0x10":     "&^ => & | << => >> | 0x10 => 17 | 0x10 => 15",
		"return max(a, b), err":   "max => min | err => error(nil)",
		"f(a, b, b, list...)":     "f(a, b, b, list...) => ",
		"f(a, b, b)":              "f(a, b, b) =>  | a, b => b, a",
		"a += 1":                  "a += 1 => _ = 1 | 1 => 2",
		"a++":                     "a++ => ",
		"for { continue }":        "continue => ",
		"for { break }":           "",
		"x := true":               "true => !true",
		"switch { case a: f() }":  "a => false && (a) | a => true || (a) | f() => ",
		"switch a { case b, c: }": ", c => ",
		`x := "a" + b`:            "",
		"x := 0":                  "0 => 1",
		"x := 1.5":                "",
		"a(); b()":                " => return ;  | a() =>  | b() => ",
		"a(); return":             " => return ;  | a() => ",
		"f := func() (int, error) { return 0, err }": "0 => 1 | err => error(nil)",
	} {
		if err := os.WriteFile(file, []byte("package m\n\nfunc h() {\n\t"+body+"\n}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		list, err := candidates(file, "d/x.go")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range list {
			if f.File != "d/x.go" || !f.drawn || !strings.HasPrefix(f.Name, "d/x:4:") || f.Hash() == "" {
				t.Errorf("%+v", f)
			}
			got = append(got, f.Old+" => "+f.New)
		}
		wanted := strings.Split(want, " | ")
		if want == "" {
			wanted = nil
		}
		slices.Sort(got)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%s:\n%q\nwant\n%q", body, got, wanted)
		}
	}
	for text, want := range map[string]int{
		"package m\n\nvar a = []int{1, 2, 2}\n":                                         6, // two orders are one: 2 and 2 are alike; each number up
		"package m\n\nvar a = func() int { return 7 }\n":                                0,
		"package m\n\nconst a = 7\n":                                                    0,
		"package m\n\ntype t int\n\nfunc (t) String() string { f(); return g(1, 2) }\n": 0,
		"package m\n\nvar a = map[int]bool{3: true}\n":                                  2,
		"package m\n\nfunc f() (a, b int, c error) { f(); return a, b, c }\n":           2,
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		list, err := candidates(file, "x.go")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, "2, 2") {
			want = 4
		}
		if len(list) != want {
			t.Errorf("%s has %d, want %d: %+v", text, len(list), want, list)
		}
	}
	d := &drawer{}
	if got := d.nothing(nil); got != "" {
		t.Errorf("%q", got)
	}
	if _, err := candidates(filepath.Join(t.TempDir(), "none.go"), "none.go"); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}

// What options ask for.
func TestTasks(t *testing.T) {
	areas, err := Areas()
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, a := range areas {
		all += len(a.Faults)
	}
	for _, c := range []struct {
		options Options
		n       int
		fails   string
	}{
		{Options{}, all, ""},
		{Options{Only: "tools/*"}, 5, ""},
		{Options{Only: "*/a-file-is-left-beside"}, 1, ""},
		{Options{Only: "none/*"}, 0, `power: no fault matches "none/*"`},
		{Options{Only: "["}, 0, "syntax error in pattern"},
	} {
		list, err := c.options.tasks()
		if len(list) != c.n || (err != nil) != (c.fails != "") || err != nil && err.Error() != c.fails {
			t.Errorf("%+v: %d tasks, %v", c.options, len(list), err)
		}
		for i := range list {
			if list[i].at != i {
				t.Errorf("task %d is number %d", i, list[i].at)
			}
		}
	}
	names := func(o Options) string {
		o.Only = "descriptor/*"
		list, err := o.tasks()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range list[0].detectors {
			names = append(names, d.Name)
		}
		return strings.Join(names, " ")
	}
	if got := names(Options{}); got != "storm corpus corpus corpus" {
		t.Errorf("%q", got)
	}
	if got := names(Options{Fuzz: true}); got != "storm corpus corpus corpus fuzz fuzz" {
		t.Errorf("with fuzzing %q", got)
	}
	if got := names(Options{Own: true}); got != "own" {
		t.Errorf("own %q", got)
	}
	live := Options{Only: "mercury/*", Live: true}
	list, err := live.tasks()
	if err != nil || list[0].detectors[len(list[0].detectors)-1].Name != "live" {
		t.Errorf("%v", err)
	}
}

// Results are added as they come, and every task that wasn't tried says so.
func TestPortions(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	if err := os.WriteFile(results, []byte("{\"Fault\":\"x\",\"Hash\":\"none\",\"Outcome\":\"killed\"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var seen []string
	o := Options{Root: Root{Dir: "../.."}, Only: "tools/*", Fit: true, Results: results, Resume: true, Each: func(r Result) { seen = append(seen, r.Fault) }}
	list, err := Run(t.Context(), o)
	if err != nil || len(list) != 5 || len(seen) != 5 {
		t.Fatalf("%v, %v, %v", list, seen, err)
	}
	for _, r := range list {
		if r.Area != "tools" || r.Outcome != Planted || r.Hash == "" {
			t.Errorf("%+v", r)
		}
	}
	// What was found before isn't tried again, but has its place.
	text := fmt.Sprintf("{\"Fault\":\"old name\",\"Hash\":%q,\"Outcome\":\"killed\",\"Detector\":\"d\",\"Time\":5}\n", list[2].Hash)
	if err := os.WriteFile(results, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	seen = nil
	again, err := Run(t.Context(), o)
	if err != nil || len(seen) != 4 || again[2].Outcome != Killed || again[2].Fault != list[2].Fault || again[2].Detector != "d" {
		t.Errorf("%+v, %v, %v", again, seen, err)
	}
	o.Limit = time.Nanosecond
	seen = nil
	late, err := Run(t.Context(), o)
	if err != nil || len(seen) != 0 || late[0].Outcome != Untried || late[0].Fault != list[0].Fault || late[2].Outcome != Killed {
		t.Errorf("%+v, %v, %v", late, seen, err)
	}
	for text, want := range map[string]string{"{\n": "results:1: unexpected end of JSON input", "{}\n{\"Time\":\"x\"}\n": "results:2: "} {
		if err := os.WriteFile(results, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadResults(results); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if list, err := ReadResults(filepath.Join(t.TempDir(), "none")); list != nil || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

// One fault of each area after the other, until there are as many as were asked for or none is left.
func TestInTurn(t *testing.T) {
	areas := map[string][]Fault{"b": {{Name: "b1"}, {Name: "b2"}, {Name: "b3"}}, "a": {{Name: "a1"}}, "c": nil}
	for n, want := range map[int]string{0: "", 1: "a1", 2: "a1 b1", 3: "a1 b1 b2", 4: "a1 b1 b2 b3", 9: "a1 b1 b2 b3"} {
		var got []string
		for _, f := range inTurn(areas, n) {
			got = append(got, f.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d: %v, want %s", n, got, want)
		}
	}
}

// What tests print is read for the first that failed, and what it says.
func TestSaid(t *testing.T) {
	for out, want := range map[string][2]string{
		"": {"", ""},
		"=== RUN TestA\n--- FAIL: TestA (0.1s)\n    a_test.go:7: why\n--- FAIL: TestB\n": {"TestA (0.1s)", "a_test.go:7: why"},
		"panic: late\n\ngoroutine 1\n": {"panic: late", "goroutine 1"},
		"x\nit doesn't end\n":          {"it doesn't end", "it doesn't end"},
	} {
		if got := first(out); got != want[0] {
			t.Errorf("%q: %q failed, want %q", out, got, want[0])
		}
		if got := said(out); !strings.HasSuffix(strings.TrimSpace(got), want[1]) {
			t.Errorf("%q says %q, want %q", out, got, want[1])
		}
	}
	if got := questions("question a:1; x\nother\nquestion b:2; y \n"); !slices.Equal(got, []string{"a:1; x", "b:2; y"}) {
		t.Errorf("%q", got)
	}
}

func TestSumsLines(t *testing.T) {
	var b bytes.Buffer
	Sums(&b, []Result{{Area: "b", Outcome: Killed, Detector: "corpus", Time: 1600 * time.Millisecond}, {Area: "b", Outcome: Survived, Time: time.Hour}, {Area: "a", Outcome: Equivalent},
		{Area: "b", Outcome: Killed, Detector: "fuzz", Time: 9 * time.Second}, {Area: "a", Outcome: Planted}, {Area: "a", Outcome: Untried}, {Area: "a", Outcome: Broken}})
	want := `b                  3 faults: 2 found (corpus 1, fuzz 1) within 9s, 1 not found
a                  4 faults: 1 not found, 1 change nothing, 1 only planted, 1 untried
all                7 faults: 2 found (corpus 1, fuzz 1) within 9s, 2 not found, 1 change nothing, 1 only planted, 1 untried
`
	if b.String() != want {
		t.Errorf("\n%swant\n%s", b.String(), want)
	}
}
