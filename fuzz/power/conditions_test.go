package power

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestConditionsOverlay(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	folder := filepath.Join(root, "engine", "internal", "merge")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	const source = `package merge

func f(a, b int, ok bool) bool {
	for i := 0; i < a; i++ {
		if ok && (a <= b || !ok) {
			return a == b
		}
	}
	return false
}
`
	const want = `package merge; import hooked "github.com/twinlink/twinlink/fuzz/power/condition"

func f(a, b int, ok bool) bool {
	for i := 0; hooked.Is(0, hooked.Less(1, i , a)); i++ {
		if hooked.Is(2, hooked.Is(3, ok) && hooked.Is(4, (hooked.Is(5, hooked.LessEqual(7, a , b)) || hooked.Is(6, !ok)))) {
			return a == b
		}
	}
	return false
}
`
	file := filepath.Join(folder, "x.go")
	for name, text := range map[string]string{file: source, filepath.Join(folder, "x_test.go"): source} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := Root{Dir: root}
	overlay, places, err := r.Conditions("engine", dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(overlay)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Replace) != 1 {
		t.Fatalf("%d files", len(list.Replace))
	}
	got, err := os.ReadFile(list.Replace[file])
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var in []string
	for _, p := range places {
		in = append(in, p.In)
	}
	if want := []string{"for", "order", "if", "&&", "&&", "||", "||", "order"}; !slices.Equal(in, want) {
		t.Errorf("places in %v, want %v", in, want)
	}
	if p := places[5]; p.File != "engine/internal/merge/x.go" || p.Line != 5 || p.Text != "a <= b" || p.Func != "f" {
		t.Errorf("%+v", p)
	}
	if _, places, _ = r.Conditions("oracle", dir); len(places) != 0 {
		t.Errorf("%d places outside the folder", len(places))
	}
}

func TestJudge(t *testing.T) {
	places := []Place{{Text: "a", In: "for"}, {Text: "b", In: "order"}}
	list, err := judge(places, "0 told edits:3\n1 unseen\n2 unseen\n3 unseen\n4 unseen\n5 lives 7\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].FoundBy != "edits:3" || list[0].Failing != AlwaysFalse || list[1].Links != 7 || list[1].Failing != TurnedWhereEqual {
		t.Errorf("%+v", list)
	}
	for _, bad := range []string{"x told y\n", "6 unseen\n", "0\n", "0 lives x\n", "0 dead\n"} {
		if _, err := judge(places, bad); err == nil {
			t.Errorf("%q is no error", strings.TrimSpace(bad))
		}
	}
}

func TestNothing(t *testing.T) {
	list, err := readNothing("a.go\tf\tfalse,equal\tx\tonly room\nb.go\tg\ttrue\t*\tthe long way\n")
	if err != nil {
		t.Fatal(err)
	}
	x, g := Place{File: "a.go", Func: "f", Text: "x"}, Place{File: "b.go", Func: "g", Text: "y"}
	judged := []Judged{{Place: x, Failing: AlwaysFalse}, {Place: x, Failing: AlwaysTrue}, {Place: g, Failing: AlwaysTrue}}
	if err := excuse(judged, list, ""); err != nil || judged[0].Nothing != "only room" || judged[1].Nothing != "" || judged[2].Nothing != "the long way" {
		t.Errorf("%v, %+v", err, judged)
	}
	if err := excuse([]Judged{{Place: g, Failing: AlwaysTrue, FoundBy: "edits:3"}}, list, ""); err == nil {
		t.Error("a listed fault that a link tells is no error")
	}
	list[0].met, list[1].met = false, false
	if err := excuse(judged[:2], list, "b"); err == nil {
		t.Error("a line without a condition is no error")
	}
	if _, err := readNothing(nothingText); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"a.go\tf\tfalse\tx\n", "a.go\tf\tnever\tx\twhy\n"} {
		if _, err := readNothing(bad); err == nil {
			t.Errorf("%q is no error", bad)
		}
	}
}

// Every line of nothing.tsv has a condition in the source.
func TestNothingFits(t *testing.T) {
	list, err := readNothing(nothingText)
	if err != nil {
		t.Fatal(err)
	}
	_, places, err := (&Root{Dir: filepath.Join("..", "..")}).Conditions("", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var all []Judged
	for _, p := range places {
		for k := range failings {
			if j := (Judged{Place: p, Failing: k}); j.may() {
				all = append(all, j)
			}
		}
	}
	if err := excuse(all, list, ""); err != nil {
		t.Error(err)
	}
}
