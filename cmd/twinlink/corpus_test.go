package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/diff"
	"github.com/twinlink/twinlink/internal/ownwarnings"
)

// knownDifferences reads docs/known-differences: the case a line begins with
// is expected to differ, and the line says why.
func knownDifferences(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../docs/known-differences")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		if line != "" && line[0] != '#' {
			known[strings.Fields(line)[0]] = true
		}
	}
	return known
}

// TestCorpus runs the whole command line on every recorded run of nvlink and
// wants its exit status, its messages and its bytes.
func TestCorpus(t *testing.T) {
	known := knownDifferences(t)
	all, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	single, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	same, total := map[string]int{}, map[string]int{}
	for _, c := range append(all, corpus.CasesOf(single)...) {
		if !c.Complete() {
			continue
		}
		t.Run(c.ID(), func(t *testing.T) {
			fault := runCase(t, c)
			total[c.Release]++
			switch {
			case fault == "":
				same[c.Release]++
				if known[c.ID()] {
					t.Error("agrees, yet docs/known-differences lists it")
				}
			case !known[c.ID()]:
				t.Error(fault)
			}
			delete(known, c.ID())
		})
	}
	for _, release := range []string{"11.8", "12.4", "13.0", "13.5"} {
		t.Logf("nvlink %s: %d of %d identical", release, same[release], total[release])
		if total[release] == 0 {
			t.Errorf("no case of nvlink %s was run", release)
		}
	}
	if !testing.Short() && flagRunAll() {
		for id := range known {
			t.Errorf("docs/known-differences lists %s, which is no case", id)
		}
	}
}

// flagRunAll reports whether no -run pattern left cases out.
func flagRunAll() bool {
	for _, arg := range os.Args {
		if strings.HasPrefix(arg, "-test.run=") && arg != "-test.run=" {
			return false
		}
	}
	return true
}

// runCase returns how the run differs from the recorded one, "" where it doesn't.
func runCase(t *testing.T, c corpus.Case) string {
	t.Helper()
	t.Chdir(t.TempDir())
	return runCaseHere(t, c)
}

// runCaseHere runs a case in the working folder.
func runCaseHere(t *testing.T, c corpus.Case) string {
	t.Helper()
	for _, in := range c.Inputs {
		if err := os.WriteFile(in.Name, in.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Remove(outputName(c.Args))
	var stdout, stderr bytes.Buffer
	exit := run(append([]string{"nvlink"}, append([]string{"-toolkit=" + c.Release}, c.Args...)...), streams{&stdout, &stderr})
	if exit != c.Exit {
		return fmt.Sprintf("exit status %d, nvlink %s has %d; it says %q", exit, c.Release, c.Exit, stderr.String())
	}
	if got := withoutOwn(stderr.String()); got != c.Stderr {
		return fmt.Sprintf("messages\n%s\nnvlink %s has\n%s", got, c.Release, c.Stderr)
	}
	out, err := os.ReadFile(outputName(c.Args))
	if err != nil {
		if c.Linked() {
			return err.Error()
		}
		return ""
	}
	if !c.Linked() {
		return "a file was written; nvlink " + c.Release + " writes none"
	}
	sum := sha256.Sum256(out)
	if hex.EncodeToString(sum[:]) == c.SHA256 {
		return ""
	}
	if c.Output == nil {
		return "not the bytes of nvlink " + c.Release
	}
	found, err := diff.Compare(diff.Input{Name: "ours", Data: out}, diff.Input{Name: "nvlink's", Data: c.Output})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d differences from nvlink %s, first %s", len(found), c.Release, found[0].Key)
}

// withoutOwn is what a link says, without the warnings of what nvlink does without a
// word. One that the image may differ stays: no image that is recorded does.
func withoutOwn(stderr string) string {
	rest, mayDiffer := ownwarnings.Strip(stderr)
	if mayDiffer {
		return stderr
	}
	return rest
}

// Equal constants under a kernel filter: the image is nvlink's, which has wrong code,
// so each input whose constants are missed is reported. Zeros are not stored once.
func TestDisplacedConstants(t *testing.T) {
	behaviours, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"11.8-sm_61-kernels": "b.cubin c.cubin", "12.4-sm_75-kernels": "b.cubin c.cubin", "13.0-sm_90-kernels": "b.cubin c.cubin", "13.0-sm_90": ""}
	name := regexp.MustCompile(`constants of '([^']*)'`)
	for _, c := range corpus.CasesOf(behaviours) {
		inputs, listed := want[c.Name]
		if c.Program != "equal_constants" || !listed {
			continue
		}
		delete(want, c.Name)
		t.Run(c.ID(), func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, in := range c.Inputs {
				write(t, in.Name, string(in.Data))
			}
			var told []string
			for _, m := range name.FindAllStringSubmatch(runAs("nvlink", append([]string{"-toolkit=" + c.Release}, c.Args...)...).stderr, -1) {
				told = append(told, m[1])
			}
			if got := strings.Join(told, " "); got != inputs {
				t.Errorf("told of %q, want %q", got, inputs)
			}
		})
	}
	if len(want) > 0 {
		t.Errorf("not in the corpus: %v", want)
	}
}

// eachCaseOf runs f for each link of a program, in a folder with its inputs.
func eachCaseOf(t *testing.T, program string, f func(t *testing.T, c *corpus.Case)) {
	t.Helper()
	behaviours, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, c := range corpus.CasesOf(behaviours) {
		if c.Program != program {
			continue
		}
		asked++
		t.Run(c.ID(), func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, in := range c.Inputs {
				write(t, in.Name, string(in.Data))
			}
			f(t, &c)
		})
	}
	if asked == 0 {
		t.Errorf("no %s in the corpus", program)
	}
}

// A pointer to what an earlier input defines too is zero, as with nvlink (TestCorpus holds
// the image): each one is reported, and is no error where warnings are.
func TestNullPointers(t *testing.T) {
	eachCaseOf(t, "null_pointers", func(t *testing.T, c *corpus.Case) {
		want, bank := "", ".nv.constant3"
		if c.Arch == "sm_100" {
			bank = ".nv.constant.user"
		}
		if strings.HasSuffix(c.Name, "-ab") {
			for _, p := range [][2]string{{"limit", bank}, {"twice", ".nv.global.init"}} {
				want += fmt.Sprintf("nvlink warning : Pointer to '%s' in %s of 'b.cubin' is zero, because another input defines '%[1]s' too, as with nvlink %[3]s\n", p[0], p[1], c.Release)
			}
		}
		if got := runAs("nvlink", append([]string{"-toolkit=" + c.Release}, c.Args...)...); got.exit != 0 || got.stderr != want {
			t.Errorf("exit %d, %q, want %q", got.exit, got.stderr, want)
		}
	})
}

// What -r loses of another object's constants is reported, once for each constant and
// section, and is no error where warnings are (TestCorpus holds the image). Generic
// pointers in data come through, so that nothing is said of those.
func TestLostConstants(t *testing.T) {
	eachCaseOf(t, "open_constants", func(t *testing.T, c *corpus.Case) {
		var want []string
		for _, section := range []string{".nv.global.init", ".text.k"} {
			for _, name := range []string{"one", "table"} {
				want = append(want, fmt.Sprintf("nvlink warning : Constant '%s' in %s of 'a.cubin' is lost, because another object defines it, as with -r of nvlink %s: link both in one step\n", name, section, c.Release))
			}
		}
		got := runAs("nvlink", append([]string{"-toolkit=" + c.Release}, c.Args...)...)
		told := slices.Sorted(strings.Lines(got.stderr))
		slices.Sort(want)
		if got.exit != 0 || !slices.Equal(told, want) {
			t.Errorf("exit %d, %q, want %q", got.exit, told, want)
		}
	})
}

func outputName(args []string) string {
	for i, a := range args {
		if a == "-o" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return "a.out"
}
