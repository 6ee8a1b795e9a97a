package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/capsule/view"
)

// capsuleFolder makes a working folder with a file of the corpus as x.cubin.
func capsuleFolder(t *testing.T, name string) []byte {
	t.Helper()
	list, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if list[i].Name != name {
			continue
		}
		data, err := list[i].Data()
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(t.TempDir())
		if err := os.WriteFile("x.cubin", data, 0o644); err != nil {
			t.Fatal(err)
		}
		return data
	}
	t.Fatalf("no %s in the corpus", name)
	return nil
}

func capsuleObject(t *testing.T) (name string) {
	t.Helper()
	list, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if list[i].Source == "capsules/ptx/calls.ptx" && list[i].Release == "13.0" {
			return list[i].Name
		}
	}
	t.Fatal("no object of calls.ptx")
	return ""
}

func TestCapsuleRebuild(t *testing.T) {
	data := capsuleFolder(t, capsuleObject(t))
	for _, args := range [][]string{{"rebuild", "x.cubin", "-o", "a"}, {"rebuild", "-o", "b", "x.cubin"}} {
		twinlink(append([]string{"capsule"}, args...)...).want(t, 0)
	}
	for _, name := range []string{"a", "b"} {
		if made, err := os.ReadFile(name); err != nil || !bytes.Equal(made, data) {
			t.Errorf("%s: not the input's bytes, %v", name, err)
		}
	}
	if r := twinlink("capsule", "rebuild", "x.cubin"); r.exit != 2 {
		t.Errorf("without -o: exit %d", r.exit)
	}
	if err := os.WriteFile("bad", data[:len(data)-9], 0o644); err != nil {
		t.Fatal(err)
	}
	if r := twinlink("capsule", "rebuild", "bad", "-o", "c"); r.exit != exitRefused || !strings.Contains(r.stderr, "bad:") {
		t.Errorf("cut short: exit %d, %q", r.exit, r.stderr)
	}
	if _, err := os.Stat("c"); err == nil {
		t.Error("cut short: an output all the same")
	}
}

func TestCapsuleShow(t *testing.T) {
	capsuleFolder(t, capsuleObject(t))
	r := twinlink("capsule", "x.cubin")
	r.want(t, 0)
	for _, part := range []string{"functions with a capsule", "stored  010b040a", "EIATTR_EXIT_INSTR_OFFSETS    Mercury 0x", "EIATTR_PARAM_CBANK", "(sass only)", "R_MERCURY_ABS32_LO byte 12", "R_CUDA_"} {
		if !strings.Contains(r.out, part) {
			t.Errorf("no %q in\n%.2000s", part, r.out)
		}
	}
	r = twinlink("capsule", "--format", "json", "x.cubin")
	r.want(t, 0)
	var f view.File
	if err := json.Unmarshal([]byte(r.out), &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Functions) == 0 {
		t.Fatal("no functions")
	}
	for i := range f.Functions {
		fn := &f.Functions[i]
		end := uint32(0)
		for k := range fn.Nodes {
			n := &fn.Nodes[k]
			if n.SASS != end || len(n.Words) != n.Span {
				t.Fatalf("%s: node %d at 0x%x, want 0x%x", fn.Name, k, n.SASS, end)
			}
			end += uint32(16 * n.Span)
		}
		if end != fn.SASSSize {
			t.Errorf("%s: nodes end at 0x%x of 0x%x", fn.Name, end, fn.SASSSize)
		}
	}
}

func TestSelfcheckCommand(t *testing.T) {
	data := capsuleFolder(t, capsuleObject(t))
	if r := twinlink("selfcheck", "--allow-unknown", "--format", "json", "x.cubin"); r.exit != 0 || !strings.HasPrefix(r.out, `{"file":"x.cubin","verdict":"pass","findings":[],"nodes":{"total":`) {
		t.Errorf("exit %d, %s", r.exit, r.out)
	}
	bad := bytes.Clone(data)
	bad[49]++ // the target in e_flags
	if err := os.WriteFile("bad.cubin", bad, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := twinlink("selfcheck", "bad.cubin", "--codes", "other"); r.exit != 2 {
		t.Errorf("no such table: exit %d", r.exit)
	}
	if r := twinlink("selfcheck", "--codes", "section", "bad.cubin"); r.exit != 1 || !strings.Contains(r.out, "  17 text metadata: file at 0x31: ") {
		t.Errorf("exit %d, %s", r.exit, r.out)
	}
	if r := twinlink("selfcheck", "--format=json", "x.cubin", "nothing.cubin"); r.exit != exitUsage || strings.Count(r.out, "\n") != 1 || r.stderr != "twinlink: open nothing.cubin: no such file or directory\n" {
		t.Errorf("exit %d, %s", r.exit, r.out)
	}
	for _, format := range []string{"markdown", "html", "sarif", "junit"} {
		if r := twinlink("selfcheck", "--format", format, "--codes", "section", "bad.cubin"); r.exit != exitDiffer || !strings.Contains(r.out, "selfcheck.text.metadata") {
			t.Errorf("%s: exit %d, %.300s", format, r.exit, r.out)
		}
	}
	if r := twinlink("selfcheck"); r.exit != 2 {
		t.Errorf("no file: exit %d", r.exit)
	}
	if r := twinlink("selfcheck", "--allow-unknown", "--out-sass", "out.cubin", "x.cubin"); r.exit != 0 {
		t.Errorf("exit %d, %s", r.exit, r.stderr)
	}
	if made, err := os.ReadFile("out.cubin"); err != nil || !bytes.Equal(made, data) {
		t.Errorf("--out-sass: not the input's bytes, %v", err)
	}
}

// TestFinalizeCommand wants of each option of the finalizer an effect or a
// refusal by its name, and no copy of a file that the self-check fails.
func TestFinalizeCommand(t *testing.T) {
	data, err := os.ReadFile("../../corpus/testdata/mercury/leaf/13.0-sm_100/a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	bad := bytes.Clone(data)
	bad[49]++ // the target in e_flags
	for name, b := range map[string][]byte{"x.cubin": data, "bad.cubin": bad} {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if r := twinlink("finalize", "-arch", "sm_100", "--self-check", "--out-sass", "x.cubin", "-o", "out.cubin"); r.exit != 0 || !strings.Contains(r.out, "self-check passed") {
		t.Errorf("exit %d, %s", r.exit, r.out)
	}
	for _, name := range []string{"out.cubin", "out.cubin.sass"} {
		if made, err := os.ReadFile(name); err != nil || !bytes.Equal(made, data) {
			t.Errorf("%s: not the input's bytes, %v", name, err)
		}
	}
	if r := twinlink("finalize", "-arch", "sm_100", "--self-check", "--out-sass", "x.cubin"); r.exit != exitRefused || !strings.Contains(r.out, "--out-sass") {
		t.Errorf("--out-sass without a place: exit %d, %s", r.exit, r.out)
	}
	if r := twinlink("finalize", "-arch", "sm_101", "--self-check", "bad.cubin", "-o", "no.cubin"); r.exit != exitRefused || !strings.Contains(r.out, "(17)") {
		t.Errorf("bad file: exit %d, %s", r.exit, r.out)
	}
	for _, words := range [][]string{{"--binary-kind=sass"}, {"--binary-kind=mercury"}, {"--fastpath-off"}, {"--opt-level=1"}, {"--generate-line-info"},
		{"--verbose-tkinfo"}, {"--disable-smem-reservation"}, {"--compile-as-at-entry-patch"}, {"--trap-into-debugger"}} {
		arch := "sm_100"
		if words[0] == "--fastpath-off" {
			arch = "sm_103"
		}
		r := twinlink(append([]string{"finalize", "-arch", arch, "x.cubin", "-o", "no.cubin"}, words...)...)
		name, _, _ := strings.Cut(words[0], "=")
		if r.exit != exitRefused || !strings.Contains(r.out, name[2:]) {
			t.Errorf("%v: exit %d, %s", words, r.exit, r.out)
		}
	}
	if _, err := os.Stat("no.cubin"); err == nil {
		t.Error("a refused file was copied")
	}
	// A copy for the sibling is one that the self-check knows as such; both outputs
	// name the target.
	if r := twinlink("finalize", "-arch", "sm_103", "--self-check", "--out-sass", "x.cubin", "-o", "copy.cubin"); r.exit != 0 {
		t.Errorf("sm_103: exit %d, %s", r.exit, r.out)
	}
	for _, name := range []string{"copy.cubin", "copy.cubin.sass"} {
		if r := twinlink("selfcheck", name); r.exit != 0 || !strings.Contains(r.out, "copied") {
			t.Errorf("%s: exit %d, %s", name, r.exit, r.out)
		}
		made, err := os.ReadFile(name)
		if err != nil || len(made) != len(data) || made[49] != 103 {
			t.Fatalf("%s: %d bytes, %v", name, len(made), err)
		}
		made[49] = data[49]
		if !bytes.Equal(made, data) {
			t.Errorf("%s: more than the target differs", name)
		}
	}
	// Without a level sm_120 is no sibling; at level 3 it would be, with other code.
	for level, want := range map[string]string{"1": "(26)", "3": "(14)"} {
		if r := twinlink("finalize", "-arch", "sm_120", "--opportunistic-finalization-lvl", level, "x.cubin"); !strings.Contains(r.out, want) {
			t.Errorf("level %s: %s", level, r.out)
		}
	}
}

// TestFinalizeLevels wants of each level what each set of rules has for it: an
// object for sm_100 with bits for sm_100 and sm_103. The document's levels are its
// own ("Opportunistic Finalization"); for observed the rules say what nvlink 13.0.88
// accepted, and where code would be needed other than the file's, that is said.
func TestFinalizeLevels(t *testing.T) {
	besideLeaf(t)
	const ok, no, unknown, code = "(0)", "(26)", "(30)", "(14)"
	for rules, levels := range map[string][5][4]string{ // by level; for sm_100, 103, 110, 120
		"document": {{ok, no, no, no}, {ok, no, no, no}, {ok, ok, no, no}, {ok, ok, no, no}, {ok, unknown, unknown, unknown}},
		"observed": {{ok, ok, no, no}, {ok, ok, no, no}, {ok, ok, no, no}, {ok, ok, no, code}, {ok, ok, code, no}},
	} {
		for level, row := range levels {
			for i, arch := range []string{"sm_100", "sm_103", "sm_110", "sm_120"} {
				r := twinlink("finalize", "-arch", arch, "--rules", rules, "--opportunistic-finalization-lvl", strconv.Itoa(level), "x.cubin")
				if !strings.Contains(r.out, row[i]) || (r.exit == 0) != (row[i] == ok) {
					t.Errorf("%s, level %d, %s: exit %d, want %s: %s", rules, level, arch, r.exit, row[i], r.out)
				}
			}
		}
	}
}

// TestFinalizeSelfCheck wants no copy of a file that selfcheck has findings in, or
// can't judge in full.
func TestFinalizeSelfCheck(t *testing.T) {
	data, err := os.ReadFile("../../corpus/testdata/mercury/leaf/13.0-sm_100/a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	verdicts := map[int]int{}
	for at := 64; at < len(data); at += len(data) / 150 {
		bad := bytes.Clone(data)
		bad[at] ^= 0x21
		if err := os.WriteFile("x.cubin", bad, 0o644); err != nil {
			t.Fatal(err)
		}
		check := twinlink("selfcheck", "x.cubin")
		verdicts[check.exit]++
		r := twinlink("finalize", "-arch", "sm_103", "--self-check", "x.cubin", "-o", "out.cubin")
		_, err := os.Stat("out.cubin")
		if check.exit != 0 && (r.exit == 0 || err == nil) {
			t.Errorf("byte %d: selfcheck %d, finalize %d, %s", at, check.exit, r.exit, r.out)
		}
		_ = os.Remove("out.cubin")
	}
	if verdicts[exitDiffer] < 20 {
		t.Errorf("exit statuses of selfcheck: %v", verdicts)
	}
}
