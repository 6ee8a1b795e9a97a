package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/container"
)

func TestWithoutOutput(t *testing.T) {
	for args, want := range map[string]string{
		"": "", "-o out a": "a", "a -o out": "a", "a --output-file out b": "a b", "-o=out a": "a", "a --output-file=out": "a", "a -o": "a",
		"-optf x a -output y": "-optf x a -output y", "a -o b -o c d": "a d", "--output-files=x": "--output-files=x",
	} {
		if got := strings.Join(withoutOutput(strings.Fields(args)), " "); got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}

// A member's file has the letters of its name that mean nothing to a shell, and a name of its own.
func TestFileName(t *testing.T) {
	used := map[string]bool{}
	for _, c := range []struct {
		path string
		kind container.Kind
		want string
	}{
		{"dir/a.o", container.Cubin, "a.o_sm_0.cubin"}, {"other/a.o", container.Cubin, "a.o_sm_0-2.cubin"}, {"a.o", container.Cubin, "a.o_sm_0-3.cubin"}, {"a.o", container.PTX, "a.o_compute_0.ptx"},
		{"..hidden", container.Cubin, "hidden_sm_0.cubin"}, {"azAZ09-_@[`{/:", container.Cubin, "__sm_0.cubin"}, {"x/azAZ09-_@[`{:", container.Cubin, "azAZ09-_______sm_0.cubin"},
	} {
		m := &container.Member{Path: c.path, Kind: c.kind}
		if got := fileName(m, used); got != c.want {
			t.Errorf("%s: %q, want %q (of %q)", c.path, got, c.want, m.Name())
		}
	}
}

// A build's links are made by the tool in nvlink's place, whose status stays, and judged after it.
func TestJudgements(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	args := []string{"-arch=sm_80"}
	for _, c := range cases {
		if c.ID() == "globals/12.4-sm_80" {
			for _, in := range c.Inputs {
				args = append(args, in.Name)
				write(t, in.Name, string(in.Data))
			}
			write(t, "right", string(c.Output))
			write(t, "wrong", strings.Replace(string(c.Output), ".text.kg", ".texu.kg", 1))
		}
	}
	args = append(args, "-o", "out.cubin")
	tool, lines := filepath.Join(t.TempDir(), "tool"), filepath.Join(t.TempDir(), "lines")
	t.Setenv("TWINLINK_NVLINK", tool)
	t.Setenv("TWINLINK_REPORT", lines)
	for _, c := range []struct {
		body, mode string
		exit       int
		want       judgement
		findings   bool
	}{
		{"cp right out.cubin", "1", 0, judgement{Verdict: "agree", Image: "output is the engine's, byte for byte"}, false},
		{"cp wrong out.cubin", "1", 0, judgement{Verdict: "differ"}, true},
		{"cp wrong out.cubin", "fail", 1, judgement{Verdict: "differ"}, true},
		{"cp right out.cubin", "fail", 0, judgement{Verdict: "agree", Image: "output is the engine's, byte for byte"}, false},
		{"rm -f out.cubin; exit 7", "fail", 7, judgement{Status: 7, Verdict: "not judged", Detail: "nvlink made no image"}, false},
		{"kill -KILL $$", "1", 1, judgement{Status: 1, Verdict: "not judged", Detail: "nvlink made no image"}, false},
		{"rm -f out.cubin", "1", 0, judgement{Verdict: "not judged", Detail: "open out.cubin: no such file or directory"}, false},
	} {
		t.Setenv("TWINLINK_VERIFY", c.mode)
		_ = os.Remove(lines)
		if err := os.WriteFile(tool, []byte("#!/bin/sh\n"+c.body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		var text [2]strings.Builder
		exit := run(append([]string{"nvlink"}, args...), streams{&text[0], &text[1]})
		var got judgement
		if err := json.Unmarshal([]byte(read(t, lines)), &got); err != nil {
			t.Fatal(err)
		}
		wd, _ := os.Getwd()
		c.want.Output, c.want.Arch, c.want.Release, c.want.Folder, c.want.Args = "out.cubin", "sm_80", "12.4", wd, args
		found := len(got.Findings) > 0
		got.Findings = nil
		if exit != c.exit || found != c.findings || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s, %s: exit %d, findings %v\n%+v\n%+v\n%s", c.body, c.mode, exit, found, got, c.want, text[1].String())
		}
	}
	t.Setenv("TWINLINK_NVLINK", filepath.Join(t.TempDir(), "gone"))
	var out, said strings.Builder
	if exit := run([]string{"nvlink", "-arch=sm_80", "a.cubin"}, streams{&out, &said}); exit != exitUsage || !strings.Contains(said.String(), "gone") {
		t.Errorf("%d, %q", exit, said.String())
	}
	said.Reset()
	t.Setenv("TWINLINK_NVLINK", "")
	if exit := run([]string{"nvlink", "-arch=sm_80", "a.cubin"}, streams{&out, &said}); exit != exitUsage || said.String() != fmt.Sprintf("twinlink: %s is set, but nvlink was not found: name one with %s\n", verifyVariable, realVariable) {
		t.Errorf("%d, %q", exit, said.String())
	}
}
