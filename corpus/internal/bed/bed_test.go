package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/internal/nvjitlink/worker"
)

func TestMain(m *testing.M) {
	worker.Main()
	replay.Main(m)
}

const (
	caller = ".version 7.8\n.target sm_52\n.address_size 64\n.extern .func (.param .b32 r) twice (.param .b32 a);\n" +
		".visible .global .u32 counter = 3;\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<3>; .reg .b64 %rd<2>; .param .b32 a; .param .b32 r;\n" +
		"ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [counter]; st.param.b32 [a], %r1; call (r), twice, (a); ld.param.b32 %r2, [r]; st.global.u32 [%rd1], %r2; ret;\n}\n"
	callee = ".version 7.8\n.target sm_52\n.address_size 64\n.visible .func (.param .b32 r) twice (.param .b32 a) {\n.reg .b32 %r<3>;\n" +
		"ld.param.b32 %r1, [a]; add.s32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;\n}\n"
	other = ".version 7.8\n.target sm_52\n.address_size 64\n.visible .entry lone() { ret; }\n"
)

// TestRun makes a bed of three modules and runs it twice: links agree, and both
// runs come to the same.
func TestRun(t *testing.T) { replay.Both(t, "testdata/run.gz", []string{"12.4", "13.0"}, runTwice) }

func runTwice(t *testing.T) {
	folder, cacheDir := filepath.Join(t.TempDir(), "program"), t.TempDir()
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"caller.ptx": caller, "callee.ptx": callee, "other.ptx": other} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var texts [2]string
	for i := range texts {
		b := &bed{seed: 7, n: 40, workers: 2, variants: 6, perFamily: 10, parts: 3, largest: 1 << 20, releases: []string{"12.4", "13.0"}, archs: []string{"sm_80", "sm_90"}, pool: map[string][]*object{}}
		o, err := b.run(t.Context(), cacheDir, []string{folder})
		if err != nil {
			t.Fatal(err)
		}
		all := o.Sums["all\tall"]
		if all == nil || all.Same < 10 || all.Links+o.Skipped["nothing drawn"] != 40 {
			t.Fatalf("%+v, skipped %v", all, o.Skipped)
		}
		for _, r := range b.releases {
			if s := o.Sums[r+"\tall"]; s == nil || s.Same == 0 {
				t.Errorf("no link by %s", r)
			}
		}
		if s := o.Sums["all\tsm_90a- parts"]; s == nil || s.Same == 0 {
			t.Errorf("no link over a part: %v", s)
		}
		out := filepath.Join(t.TempDir(), "out")
		if err := o.save(out); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Errorf("two runs differ:\n%s\n%s", texts[0], texts[1])
	}
}

// TestDraw wants the same link from the same number, and all kinds of options.
func TestDraw(t *testing.T) {
	b := &bed{seed: 3, releases: []string{"12.4", "13.0"}, pool: map[string][]*object{}, families: []string{"p"}}
	for i, name := range []string{"a", "b", "c", "d"} {
		b.pool["p"] = append(b.pool["p"], &object{Family: "p", Name: name + ".cubin", Arch: "sm_80", Release: []string{"12.4", "13.0"}[i%2], Hash: name,
			kernels: []string{"k" + name}, variables: []string{"v" + name}, defined: []string{"f" + name}, undefined: []string{"fa"}})
	}
	seen := map[string]bool{}
	for n := range 2000 {
		p, q := b.draw(n), b.draw(n)
		if (p == nil) != (q == nil) || p != nil && (p.release != q.release || len(p.objects) != len(q.objects) || !bytes.Equal([]byte(p.job().Args[0]), []byte(q.job().Args[0])) || len(p.args) != len(q.args)) {
			t.Fatalf("link %d is drawn twice", n)
		}
		if p == nil {
			continue
		}
		seen[p.kind()] = true
		for _, a := range p.args {
			seen[a] = true
		}
	}
	for _, want := range []string{"sm_90a- plain", "sm_90a- options", "sm_90a- mixed", "-g", "-r", "--preserve-relocs", "-kernels-used=ka", "-variables-used=nothing_of_that_name", "--verbose-tkinfo=true"} {
		if !seen[want] {
			t.Errorf("2000 links never had %s", want)
		}
	}
}

// TestJudge plants what must not pass.
func TestJudge(t *testing.T) {
	p := &plan{release: "13.0", arch: "sm_80", objects: []*object{{Name: "a.cubin", defined: []string{"kernel"}}}}
	said := func(exit int, stderr string, output string) *answer {
		a := &answer{who: "nvlink 13.0", exit: exit, stderr: stderr}
		if output != "" {
			a.output = []byte(output)
		}
		return a
	}
	jit := func(r nvjitlink.Result) *answer {
		a := &answer{who: "nvJitLink 13.0", jit: &r, output: r.Output, stderr: r.Message()}
		if r.Outcome != nvjitlink.Linked {
			a.exit = 1
		}
		return a
	}
	complaining := nvjitlink.Result{Outcome: nvjitlink.Linked, Output: []byte("x"), Text: "error   : Multiple definition of 'f'\n"}
	died := &answer{who: "nvlink 13.0", died: "crashed"}
	for _, c := range []struct {
		name  string
		ours  *answer
		asked []*answer
		class string
		cause string
	}{
		{"same", said(0, "", "x"), []*answer{said(0, "", "x")}, "same", ""},
		{"status", said(0, "", "x"), []*answer{said(1, "", "")}, "differ", "exit 0, not 1: nothing | not | nothing"},
		{"message", said(1, "nvlink fatal   : no 'a'", ""), []*answer{said(1, "nvlink fatal   : not 'b'", "")}, "differ", "stderr: nvlink fatal   : no '*' | not | nvlink fatal   : not '*'"},
		{"refused", said(1, "no", ""), []*answer{said(1, "no", "")}, "refused alike", ""},
		{"bytes", said(0, "", "x"), []*answer{said(0, "", "y")}, "differ", "file.bytes"},
		{"nobody", said(0, "", "x"), nil, "skipped", "no linker of NVIDIA's answered"},
		{"nvlink dead", said(0, "", "x"), []*answer{died}, "skipped", "nvlink 13.0 crashed"},
		{"we dead", &answer{died: "hung"}, []*answer{died}, "differ", "twinlink hung"},
		{"old object", said(1, "nvlink fatal   : Input file 'a' must be recompiled with toolkit >= Cuda 12.0", ""), []*answer{jit(nvjitlink.Result{Outcome: nvjitlink.Linked, Output: []byte("x")})},
			"skipped", "nvJitLink links what nvlink refuses: objects of 11.8 for sm_90"},
		{"refused, they link", said(1, "no", ""), []*answer{jit(nvjitlink.Result{Outcome: nvjitlink.Linked, Output: []byte("x")})}, "differ", "refused, but nvJitLink links: no"},
		{"both reported", said(1, "error", ""), []*answer{jit(complaining)}, "refused alike", ""},
		{"reported, we link", said(0, "", "x"), []*answer{jit(complaining)}, "differ", "linked, but nvJitLink reports: error   : Multiple definition of '*'"},
		{"the second speaks", said(0, "", "x"), []*answer{died, jit(nvjitlink.Result{Outcome: nvjitlink.Refused, Code: 6, Step: nvjitlink.Complete})}, "differ", "linked, but nvJitLink refuses: refused (complete): internal error "},
	} {
		if v := judge(&link{plan: p, ours: c.ours, asked: c.asked}); v.class != c.class || v.bucket != c.cause {
			t.Errorf("%s: %s, %q", c.name, v.class, v.bucket)
		}
	}
	l := &link{plan: p}
	for key, want := range map[string]string{
		"info.kernel.REGCOUNT#2": "info.*.REGCOUNT", "text.kernel.0x40": "text.*.N", "reloc.text.kernel.0x40.R_CUDA_ABS32_LO_32.symbol": "reloc.text.*.N.R_CUDA_ABS32_LO_32.symbol",
	} {
		if got := general(l, key); got != want {
			t.Errorf("%s: %s", key, got)
		}
	}
}
