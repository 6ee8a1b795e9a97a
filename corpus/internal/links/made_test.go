//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus/internal/manifest"
)

// fakes are tools of release 1.0 made of shell: ptxas writes its arguments and its source, nvlink its arguments and its inputs,
// and refuses those that hold "bad".
func fakes(t *testing.T) tools {
	t.Helper()
	root := t.TempDir()
	version := `[ "$1" = --version ] && { echo "a tool"; echo "Build x"; exit 0; }` + "\n"
	for name, text := range map[string]string{
		"ptxas":  version + `for a; do last=$a; done; grep -q broken *.ptx && { echo no >&2; exit 3; }; { echo "$0 $*" | sed 's|.*/||'; cat *.ptx; } > "$last"`,
		"nvlink": version + `if grep -q bad *.cubin; then echo refused >&2; exit 255; fi; grep -q loud *.cubin && echo said; grep -q warn *.cubin && echo warning >&2; { echo "nvlink $*"; cat *.cubin; } > out && mv out out.cubin`,
		"cuobjdump": `case "$3" in *two*) echo 2 > b.sm_90.cubin;; esac; [ "$1 $2" = "-xelf all" ] && echo member > a.sm_90.cubin; echo other > a.sm_80.cubin
case "$3" in *fails*) exit 1;; esac; exit 0`,
		"dies": "kill -KILL $$", "mute": "echo nothing", "lib.a": "x", "two.a": "x", "fails.a": "x",
	} {
		put(t, filepath.Join(root, "1.0", name), "#!/bin/sh\n"+text+"\n")
	}
	return tools{root: root}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// corpusOf is a corpus with one program of these cases, and the sources a.ptx to d.ptx.
func corpusOf(t *testing.T, cases ...manifest.Case) *regen {
	t.Helper()
	m := &manifest.Manifest{Schema: 1, Tools: []manifest.Tool{{Release: "1.0", Ptxas: "Build x", Nvlink: "Build x"}}, Programs: []manifest.Program{{Name: "p", Sources: []string{"a.ptx"}, Cases: cases}}}
	r := &regen{root: t.TempDir(), tools: fakes(t)}
	put(t, filepath.Join(r.root, "manifest.json"), string(m.Format()))
	for name, text := range map[string]string{"a": "good", "b": "bad", "c": "loud", "d": "warn", "e": "broken"} {
		put(t, filepath.Join(r.root, "p", name+".ptx"), text+"\n")
	}
	return r
}

func caseOf(name string, inputs ...manifest.Input) manifest.Case {
	c := manifest.Case{Name: name, Release: "1.0", Arch: "sm_90", Inputs: inputs}
	for _, in := range inputs {
		c.Args = append(c.Args, in.Name)
	}
	return c
}

func source(name string) manifest.Input {
	return manifest.Input{Name: name + ".cubin", File: "in/" + name + ".cubin", Source: name + ".ptx"}
}

// An update writes what the tools make and what the manifest says of it; after it nothing differs.
func TestUpdate(t *testing.T) {
	a := source("a")
	a.Flags = []string{"-g"}
	whole := manifest.Input{Name: "w.cubin", File: "in/w.cubin", Source: "a.ptx", Whole: true, Arch: "sm_80"}
	r := corpusOf(t, caseOf("one", a, whole), caseOf("warns", source("d")), caseOf("refused", source("b")),
		caseOf("again", manifest.Input{Name: "x.cubin", Case: "one"}), caseOf("library", manifest.Input{Name: "l.cubin", Witness: "lib.a/sm_90"}))
	r.update = true
	if differences, err := r.run(); err != nil || len(differences) > 0 || r.cases != 5 || r.programs != 1 {
		t.Fatalf("%q, %d cases, %v", differences, r.cases, err)
	}
	for name, want := range map[string]string{
		"in/a.cubin": "ptxas -c -arch=sm_90 -g a.ptx -o a.cubin\ngood\n", "in/w.cubin": "ptxas -arch=sm_80 a.ptx -o a.cubin\ngood\n", "warns/stderr": "warning\n", "refused/stderr": "refused\n",
		"one/out.cubin": "nvlink a.cubin w.cubin\nptxas -c -arch=sm_90 -g a.ptx -o a.cubin\ngood\nptxas -arch=sm_80 a.ptx -o a.cubin\ngood\n",
	} {
		if got := get(t, r.root, "p", name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	m, err := manifest.Parse([]byte(get(t, r.root, "manifest.json")))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, c := range m.Programs[0].Cases {
		told = append(told, strings.Join([]string{c.Name, string(rune('0' + c.Exit/255)), c.Output, c.Stderr, map[bool]string{true: "sum"}[c.SHA256 != ""]}, " "))
	}
	want := []string{"one 0 one/out.cubin  sum", "warns 0 warns/out.cubin warns/stderr sum", "refused 1  refused/stderr ", "again 0 again/out.cubin  sum", "library 0   sum"}
	if !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
	if got := m.Programs[0].Cases[4].Inputs[0].SHA256; got != hash([]byte("member\n")) {
		t.Errorf("the library's member is %s", got)
	}
	r = &regen{root: r.root, tools: r.tools}
	if differences, err := r.run(); err != nil || len(differences) > 0 || len(r.notes) > 0 {
		t.Errorf("after the update: %q, %q, %v", differences, r.notes, err)
	}
	// Another release is not looked at, and its files stay.
	r = &regen{root: r.root, tools: r.tools, release: "2.0"}
	if differences, err := r.run(); err != nil || len(differences) > 0 || r.cases != 0 {
		t.Errorf("another release: %q, %d cases, %v", differences, r.cases, err)
	}
}

// Each thing that the manifest says otherwise than the tools is named.
func TestDifferences(t *testing.T) {
	c := caseOf("one", source("d"), manifest.Input{Name: "l.cubin", Witness: "lib.a/sm_90", SHA256: "00"})
	c.Exit, c.Output = 7, "one/out.cubin"
	r := corpusOf(t, c)
	put(t, filepath.Join(r.root, "p", "in", "d.cubin"), "ptxas -c -arch=sm_90 d.ptx -o d.cubin\nwarn\n")
	m := strings.Replace(get(t, r.root, "manifest.json"), `"nvlink":"Build x"`, `"nvlink":"Build y"`, 1)
	put(t, filepath.Join(r.root, "manifest.json"), m)
	got, err := r.run()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`nvlink of 1.0 is "Build x", the corpus was made with "Build y"`, "p/one/stderr: not committed", "p/one: exit is 0, manifest.json says 7",
		"p/one: lib.a/sm_90 is another file than the manifest's", "p/one: output is , manifest.json says one/out.cubin", "p/one: sha256 is ", "p/one: stderr is one/stderr, manifest.json says ",
	}
	for i := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%q, want %q", got, want)
			break
		}
	}
	if len(got) != len(want) || get(t, r.root, "manifest.json") != m {
		t.Errorf("%d differences of %d, or the manifest is written", len(got), len(want))
	}
	// Of one program alone the builds are not asked.
	r.only = "p"
	if got, err := r.run(); err != nil || len(got) != len(want)-1 || strings.HasPrefix(got[0], "nvlink") {
		t.Errorf("%q, %v", got, err)
	}
	r.only = "q"
	if got, err := r.run(); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}

// What goes wrong while a case is made ends the run, and names program and case.
func TestFailures(t *testing.T) {
	for want, c := range map[string]manifest.Case{
		"p: x: input e.cubin: ptxas of release 1.0, exit 3: no":         caseOf("x", source("e")),
		`p: x: nvlink wrote to standard output: "said\n"`:               caseOf("x", source("c")),
		"p: x: input y.cubin: case none gave no output before this one": caseOf("x", manifest.Input{Name: "y.cubin", Case: "none"}),
		"p: x: lib.a: want LIBRARY/ARCH":                                caseOf("x", manifest.Input{Name: "y.cubin", Witness: "lib.a"}),
		"p: x: two.a of release 1.0: 2 cubins for sm_90":                caseOf("x", manifest.Input{Name: "y.cubin", Witness: "two.a/sm_90"}),
		"p: x: lib.a of release 1.0: 0 cubins for sm_70":                caseOf("x", manifest.Input{Name: "y.cubin", Witness: "lib.a/sm_70"}),
		"p: x: fails.a of release 1.0: 1 cubins for sm_90":              caseOf("x", manifest.Input{Name: "y.cubin", Witness: "fails.a/sm_90"}),
	} {
		r := corpusOf(t, c)
		if _, err := r.run(); err == nil || strings.TrimSpace(err.Error()) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// A library that isn't there is a note.
	r := corpusOf(t, caseOf("x", manifest.Input{Name: "y.cubin", Witness: "none.a/sm_90"}))
	if got, err := r.run(); err != nil || len(got) > 0 || len(r.notes) != 1 || !strings.HasPrefix(r.notes[0], "p/x not checked: none.a of release 1.0: ") || r.cases != 0 {
		t.Errorf("%q, %q, %v", got, r.notes, err)
	}
	for text, fails := range map[string]bool{"{": true, `{"schema": 9}`: true} {
		put(t, filepath.Join(r.root, "manifest.json"), text)
		if _, err := r.run(); (err != nil) != fails {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := (&regen{root: t.TempDir()}).run(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no manifest: %v", err)
	}
}

// A tool's exit is a result, its death an error; builds are identified by one line of the version.
func TestTools(t *testing.T) {
	f := fakes(t)
	put(t, filepath.Join(f.root, "1.0", "three"), "#!/bin/sh\necho out $*; echo err >&2; pwd; exit 3\n")
	dir := t.TempDir()
	res, err := f.run("1.0", "three", dir, "a", "b")
	if err != nil || res.exit != 3 || string(res.stdout) != "out a b\n"+dir+"\n" || string(res.stderr) != "err\n" {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := f.run("1.0", "dies", dir, "x"); err == nil || !strings.HasPrefix(err.Error(), "dies x of release 1.0: ") {
		t.Errorf("%v", err)
	}
	missing := (*missingTool)(nil)
	if _, err := f.run("9.9", "nvlink", dir); !errors.As(err, &missing) || missing.release != "9.9" || missing.tool != "nvlink" || !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "no nvlink of release 9.9: ") {
		t.Errorf("%v", err)
	}
	if got, err := f.version("1.0", "nvlink"); got != "Build x" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := f.version("1.0", "mute"); err == nil || err.Error() != "mute of release 1.0: no build in its version" {
		t.Errorf("%v", err)
	}
	t.Setenv("TWINLINK_WITNESS", "")
	if got := witnessRoot(""); got != ".witness" {
		t.Error(got)
	}
	t.Setenv("TWINLINK_WITNESS", "w")
	if a, b := witnessRoot(""), witnessRoot("flag"); a != "w" || b != "flag" {
		t.Error(a, b)
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abd", 2}, {"ab", "abc", 2}, {"abc", "ab", 2}, {"x", "y", 0}} {
		if got := firstDifference([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%q, %q: %d", c.a, c.b, got)
		}
	}
}
