package main

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/report"
)

func TestMain(m *testing.M) { nvidiatest.Main(m) }

// TestLive puts a few dozen cases to both; what is expected comes from nvlink in the same run.
func TestLive(t *testing.T) {
	for _, release := range nvidia.Standard {
		nvidiatest.Need(t, release, nvidia.Nvlink, nvidia.Ptxas)
	}
	c := config{seed: 472, n: 40, workers: 2}
	r, err := c.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Count(); n.Agree < 25 {
		t.Errorf("only %d of %d links agree", n.Agree, len(r.Rows))
	}
	if r.Count().Differ > 0 {
		var text bytes.Buffer
		if err := write(&text, r, "text"); err != nil {
			t.Error(err)
		}
		t.Error(text.String())
	}
}

// TestDraw wants the same case from the same seed, and all releases and options within reach.
func TestDraw(t *testing.T) {
	releases := nvidia.Standard[:]
	seen := map[string]bool{}
	for seed := range uint64(1500) {
		p := draw(seed, releases, "")
		if !reflect.DeepEqual(p, draw(seed, releases, "")) {
			t.Fatalf("seed %d gives two cases", seed)
		}
		seen[p.release+" "+p.arch] = true
		seen["mixed"] = seen["mixed"] || p.mixed()
		seen["final"] = seen["final"] || p.final
		for _, a := range p.args {
			name, _, _ := strings.Cut(a, "=")
			seen[name] = true
		}
		for _, m := range p.modules {
			for _, f := range m.flags {
				seen["ptxas "+f] = true
			}
		}
	}
	want := strings.Fields("mixed final -g -r -v -w -Werror -optf --preserve-relocs --force-rela -kernels-used -variables-used -suppress-debug-info -extrawarn")
	want = append(want, "ptxas -g", "ptxas -lineinfo")
	for release, list := range architectures {
		for _, arch := range list {
			want = append(want, release+" "+arch)
		}
	}
	for _, w := range want {
		if !seen[w] {
			t.Errorf("1500 seeds never drew %s", w)
		}
	}
}

// TestCompare plants what must not pass.
func TestCompare(t *testing.T) {
	result := func(outcome nvidia.Outcome, exit int, stderr, output string) *nvidia.Result {
		r := &nvidia.Result{Outcome: outcome, ExitCode: exit, Stderr: []byte(stderr), Files: map[string][]byte{}}
		if output != "" {
			r.Files[outName] = []byte(output)
		}
		return r
	}
	linked := result(nvidia.Success, 0, "", "\x7fELF image")
	refused := result(nvidia.Refused, 1, "nvlink fatal   : no", "")
	for _, c := range []struct {
		name      string
		got, want *nvidia.Result
		verdict   report.Verdict
		key       string
	}{
		{"same", linked, linked, report.Agree, ""},
		{"same refusal", refused, refused, report.RefusedAlike, ""},
		{"bytes", result(nvidia.Success, 0, "", "\x7fELF imagf"), linked, report.Differ, "output.bytes"},
		{"no output", result(nvidia.Success, 0, "", ""), linked, report.Differ, "output"},
		{"words", result(nvidia.Refused, 1, "nvlink fatal   : not", ""), refused, report.Differ, "stderr"},
		{"status", result(nvidia.Refused, 255, "nvlink fatal   : no", ""), refused, report.Differ, "exit"},
		{"warning", result(nvidia.Success, 0, "nvlink warning : x", "\x7fELF image"), linked, report.Differ, "stderr"},
		{"unsupported", result(nvidia.Refused, 1, "nvlink fatal   : option '--x' "+unsupported, ""), linked, report.Skipped, ""},
		{"nvlink dead", linked, result(nvidia.Crashed, -1, "", ""), report.Skipped, ""},
		{"we dead", result(nvidia.Crashed, -1, "", ""), result(nvidia.Crashed, -1, "", ""), report.Differ, "outcome"},
		{"we hung", result(nvidia.Hung, -1, "", ""), linked, report.Differ, "exit"},
	} {
		row := compare(c.got, c.want)
		key := ""
		if f := row.First(); f != nil {
			key = f.Key
		}
		if row.Verdict != c.verdict || key != c.key {
			t.Errorf("%s: %s, first difference %q", c.name, row.Verdict, key)
		}
	}
}
