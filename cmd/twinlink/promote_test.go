package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/fuzz/power"
	"github.com/twinlink/twinlink/fuzz/reduce"
	"github.com/twinlink/twinlink/report"
)

// cmdRun is a command's exit status and outputs.
func cmdRun(args ...string) (exit int, out, said string) {
	var o, e bytes.Buffer
	exit = run(append([]string{"twinlink"}, args...), streams{&o, &e})
	return exit, o.String(), e.String()
}

// fakeNvlink puts a program in nvlink 12.4's place.
func fakeNvlink(t *testing.T, body string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "nvlink")
	text := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'nvlink: NVIDIA (R) Cuda linker\nCuda compilation tools, release 12.4, V12.4.131\nBuild cuda'; exit 0; fi\n" + body + "\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TWINLINK_NVLINK", path)
	t.Setenv("TWINLINK_WITNESS", dir)
}

// What was found becomes a case by what nvlink of its release does with it: nothing where nvlink dies or the checker rejects
// its image and nobody says who is wrong.
func TestPromote(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	var found reduce.Case
	var image []byte
	for _, c := range cases {
		if c.ID() == "globals/12.4-sm_80" {
			found, image = reduce.Case{Release: c.Release, Options: []string{"-arch=" + c.Arch}}, c.Output
			for _, in := range c.Inputs {
				found.Inputs = append(found.Inputs, reduce.File{Name: in.Name, Data: in.Data})
			}
		}
	}
	dir := t.TempDir()
	from := filepath.Join(dir, "from")
	if err := found.Save(filepath.Join(from, "some"), ""); err != nil {
		t.Fatal(err)
	}
	right, wrong := filepath.Join(dir, "right"), filepath.Join(dir, "wrong")
	write(t, right, string(image))
	other := bytes.Clone(image)
	other[bytes.Index(image, []byte(".text.kg"))]++ // a name
	write(t, wrong, string(other))
	gives := func(image string) string {
		return "while [ \"$1\" != -o ]; do shift; done; cp " + image + " \"$2\"; echo 'nvlink warning : a word' >&2"
	}
	for n, c := range []struct {
		name, body string
		args       []string
		exit       int
		said       string // begins standard error
		lines      []string
	}{
		{"linked", gives(right), nil, 0, "", []string{"why       it is so", "nvlink    12.4", "exit      0", "oracle    accepts", `says      "nvlink warning : a word\n"`, "--- a.cubin", "--- b.cubin"}},
		{"refused", "echo 'nvlink fatal   : no' >&2; exit 3", nil, 0, "", []string{"exit      3", "image     -", "oracle    -", `says      "nvlink fatal   : no\n"`}},
		{"crashed", "kill -SEGV $$", nil, exitDiffer, "twinlink: nvlink 12.4.131 crashed (segmentation fault)", nil},
		{"rejected", gives(wrong), nil, exitDiffer, "twinlink: the oracle rejects", nil},
		{"rejected, nvlink is wrong", gives(wrong), []string{"--wrong", "nvlink"}, 0, "", []string{": nvlink is wrong"}},
		{"rejected, the oracle is wrong", gives(wrong), []string{"--wrong=oracle"}, 0, "", []string{": oracle is wrong"}},
		{"nobody is wrong", gives(right), []string{"--wrong=nobody"}, exitUsage, "twinlink: --wrong is nvlink or oracle", nil},
		{"no such folder", gives(right), []string{"--from", dir}, exitUsage, "twinlink: ", nil},
	} {
		fakeNvlink(t, c.body)
		to := filepath.Join(dir, fmt.Sprint("corpus", n))
		exit, out, said := cmdRun(append([]string{"promote", "some", "--why", "it is so", "--from", from, "--corpus", to}, c.args...)...)
		if exit != c.exit || !strings.HasPrefix(said, c.said) || (c.said == "") != (said == "") {
			t.Errorf("%s: exit %d, %q", c.name, exit, said)
		}
		folder := filepath.Join(to, found.Hash())
		text, err := os.ReadFile(filepath.Join(folder, "found.txt"))
		if (err == nil) != (c.lines != nil) || (out == folder+"\n") != (c.lines != nil) {
			t.Errorf("%s: %q, %v", c.name, out, err)
		}
		for _, line := range c.lines {
			if !strings.Contains(string(text), line) {
				t.Errorf("%s: no %q in\n%.300s", c.name, line, text)
			}
		}
		if again, err := reduce.Load(folder); c.lines != nil && (err != nil || again.Hash() != found.Hash()) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, args := range [][]string{{"promote", "some", "--from", from}, {"promote", "some", "--why", "two\nlines", "--from", from}} {
		if exit, _, said := cmdRun(args...); exit != exitUsage || said == "" {
			t.Errorf("%q: %d, %q", args, exit, said)
		}
	}
}

// What is no link becomes a seed of its target, with its story beside it.
func TestPromoteSeed(t *testing.T) {
	dir := t.TempDir()
	put := func(name, target string) string {
		folder := filepath.Join(dir, name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"input": "in\x00put", "target": target + "\n", "story.txt": "what happened\n"} {
			write(t, filepath.Join(folder, file), text)
		}
		return folder
	}
	seeds := filepath.Join(dir, "seeds")
	exit, out, said := cmdRun("promote", put("0abc", "FuzzInfo"), "--why", "a reason", "--seeds", seeds)
	seed, story := filepath.Join(seeds, "fuzz", "FuzzInfo", "0abc"), filepath.Join(seeds, "promoted", "0abc.txt")
	if exit != 0 || out != seed+"\n"+story+"\n" || said != "" {
		t.Fatalf("%d, %q, %q", exit, out, said)
	}
	if got := read(t, seed); got != "go test fuzz v1\n[]byte(\"in\\x00put\")\n" {
		t.Errorf("%q", got)
	}
	if got := read(t, story); got != "why       a reason\ntarget    FuzzInfo\n\nwhat happened\n" {
		t.Errorf("%q", got)
	}
	for _, target := range []string{"Info", "Fuzz/../x", ""} {
		if exit, out, _ := cmdRun("promote", put("1", target), "--why", "x", "--seeds", seeds); exit != exitUsage || out != "" {
			t.Errorf("target %q: %d, %q", target, exit, out)
		}
	}
	if err := os.Remove(filepath.Join(dir, "0abc", "story.txt")); err != nil {
		t.Fatal(err)
	}
	if exit, _, said := cmdRun("promote", filepath.Join(dir, "0abc"), "--why", "x", "--seeds", seeds); exit == 0 || said == "" {
		t.Errorf("no story: %d, %q", exit, said)
	}
}

// Conditions are counted by folder; those that nothing tells, and have no reason, are listed.
func TestConditionReports(t *testing.T) {
	place := func(file string) power.Place { return power.Place{File: file, Line: 7, Text: "a < b"} }
	list := []power.Judged{
		{Place: place("engine/a.go"), FoundBy: "a link"}, {Place: place("engine/a.go"), Links: 5}, {Place: place("engine/b.go"), Links: 6, Failing: power.AlwaysTrue}, {Place: place("engine/b.go"), Links: 6, Nothing: "room"},
		{Place: place("cubin/c.go")}, {Place: place("cubin/c.go"), FoundBy: "a link", Nothing: "room"}, {Place: place("cubin/c.go"), FoundBy: "x"}, {Place: place("cubin/c.go"), FoundBy: "x"},
	}
	want := `engine/a.go:7: always false: "a < b": no difference in the links tried, 5 reach it
engine/b.go:7: always true: "a < b": no difference in the links tried, 6 reach it
cubin/c.go:7: always false: "a < b": reached by no link
cubin                              2 of     3 found,     0 change no link that was tried,     1 are reached by none;     1 more change nothing
engine                             1 of     3 found,     2 change no link that was tried,     0 are reached by none;     1 more change nothing
`
	if got := string(conditionsText(list)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	r := conditionReport(list)
	var rows, figures []string
	for i := range r.Rows {
		rows = append(rows, r.Rows[i].Subject+": "+r.Rows[i].Note)
		if r.Rows[i].Verdict != report.Differ {
			t.Errorf("%+v", r.Rows[i])
		}
	}
	for _, f := range r.Figures {
		figures = append(figures, fmt.Sprintf("%s %v", f.Name, f.Value))
	}
	if got, want := strings.Join(rows, "\n"), "engine/a.go:7 always false: a < b: no difference in the links tried, 5 reach it\nengine/b.go:7 always true: a < b: no difference in the links tried, 6 reach it\ncubin/c.go:7 always false: a < b: reached by no link"; got != want {
		t.Error(got)
	}
	if got, want := strings.Join(figures, "\n"), "cubin: found 2\ncubin: no difference 0\ncubin: no link 1\ncubin: listed as changing nothing 1\nengine: found 1\nengine: no difference 2\nengine: no link 0\nengine: listed as changing nothing 1"; got != want {
		t.Error(got)
	}
	if r.Command != "power" || r.Title == "" {
		t.Errorf("%+v", r)
	}
}
