package nvjitlink

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// build compiles testdata/fake.c as a library of a release.
func build(t testing.TB, flags ...string) string {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: no fake library")
	}
	out := filepath.Join(t.TempDir(), "libnvJitLink.so.12")
	args := append([]string{"-shared", "-fPIC", "-O1", "-DSUFFIX=_12_4", "-DMAJOR=12", "-DMINOR=4"}, flags...)
	if text, err := exec.Command(gcc, append(args, "-o", out, "testdata/fake.c")...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
	return out
}

func fakeLinker(t testing.TB, limits Limits, flags ...string) *Linker {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	l := New(SharedObject{build(t, flags...), "12.4"}, Options{Self: true, Limits: limits})
	t.Cleanup(func() {
		l.Close()
		left, err := os.ReadDir(os.Getenv("TMPDIR"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return l
}

// size is how much was printed.
func (p *process) size() int64 {
	_, size := p.takePrinted()
	return size
}

func named(name string) Question {
	return Question{Options: []string{"-arch=sm_90"}, Inputs: []Input{{Cubin, name, []byte("data of " + name)}}}
}

// TestMisbehaviour asks one question of each kind between good ones: each bad
// one costs itself.
func TestMisbehaviour(t *testing.T) {
	// A busy machine must not end a wait: none goes by the clock. Two workers greet and come to the
	// question that doesn't end, the first after two good ones; a third has the rest.
	waits, ends, floods := 0, []int(nil), false
	var l *Linker
	limits := Limits{Time: 2 * time.Second, File: 1 << 20, Text: 1000}
	limits.until = func(time.Duration) time.Time {
		if waits++; !slices.Contains(ends, waits) {
			return time.Time{}
		}
		for floods && l.process.size() < limits.File {
			time.Sleep(time.Millisecond)
		}
		return time.Now()
	}
	l = fakeLinker(t, limits)
	for _, c := range []struct {
		name    string
		outcome Outcome
		want    string
	}{
		{"crash", Crashed, "crashed (SIGSEGV)"},
		{"abort", Crashed, "crashed (SIGABRT)"},
		{"exit", Crashed, "crashed: exit status 3"},
		{"hang", Hung, "hung: no answer in 2s"},
		{"spin", Hung, "hung: no answer in 2s"},
		{"print", Linked, "linked, 256 bytes"},
		{"flood", Garbled, "garbled: printed more than 1048576 bytes"},
		{"scribble", Garbled, "garbled: the worker sent an invalid answer: the library overwrote it"},
		{"internal", Refused, "refused (complete): internal error"},
		{"huge", Garbled, "garbled: a size of 4611686018427387904 bytes"},
		{"hugelog", Garbled, "garbled: a size of 1125899906842624 bytes"},
		{"nothing", Garbled, "garbled: success without output"},
		{"text", Garbled, "garbled: success, but the output is not an ELF file"},
		{"refused", Refused, "refused input 0: unrecognized input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			waits, ends = 0, nil
			if floods = c.name == "flood"; floods || c.outcome == Hung {
				ends = []int{4, 6}
			}
			l.Close() // each begins with a worker of its own
			res, err := l.Ask(t.Context(), []Question{named("good1"), named("good2"), named(c.name), named("good3"), named("good4")})
			if err != nil {
				t.Fatal(err)
			}
			for i, good := range []string{"good1", "good2", "", "good3", "good4"} {
				r := &res[i]
				if i == 2 {
					if r.Outcome != c.outcome || r.String() != c.want {
						t.Errorf("%s, want %s", r, c.want)
					}
					continue
				}
				want := fmt.Sprintf("\x7fELF 1 %d data of %s\x00", 8+len(good), good)
				if r.Outcome != Linked || !bytes.HasPrefix(r.Output, []byte(want)) || r.Text != "" {
					t.Errorf("question %d: %s, %q", i, r, r.Text)
				}
			}
			if ends != nil && waits != 9 { // three greetings, two ends, four good ones
				t.Errorf("%d waits", waits)
			}
			if c.name == "print" && (res[2].Text != "warning : a word\nerror   : another\n" || !res[2].Complained()) {
				t.Errorf("printed %q", res[2].Text)
			}
			if c.name == "refused" && res[2].Log != "error: no\n" {
				t.Errorf("log %q", res[2].Log)
			}
		})
	}
}

// TestLateDeath has the process die at a question that is not to blame: it is
// asked again and answered.
func TestLateDeath(t *testing.T) {
	l := fakeLinker(t, Limits{})
	res, err := l.Ask(t.Context(), []Question{named("a"), named("poison"), named("b"), named("c")})
	if err != nil {
		t.Fatal(err)
	}
	for i := range res {
		if want := map[int]int{2: 1}[i]; res[i].Outcome != Linked || res[i].Deaths != want {
			t.Errorf("question %d: %s, %d deaths", i, &res[i], res[i].Deaths)
		}
	}
	if l.Starts() != 2 {
		t.Errorf("%d workers", l.Starts())
	}
}

// TestUnfit wants a wrong library to be told for each question, and quickly.
func TestUnfit(t *testing.T) {
	text := filepath.Join(t.TempDir(), "libnvJitLink.so.12")
	if err := os.WriteFile(text, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	self := Options{Self: true, Limits: Limits{Time: 5 * time.Minute}} // more than a busy machine takes
	short := Options{Self: true, Limits: Limits{Time: time.Second}}    // of what hangs for good
	for _, c := range []struct {
		name    string
		lib     SharedObject
		options Options
		outcome Outcome
		want    string
	}{
		{"other release", SharedObject{build(t, "-USUFFIX", "-DSUFFIX=_12_6", "-UMINOR", "-DMINOR=6"), "12.4"}, self, Unfit, "is of release 12.6, not 12.4"},
		{"liar", SharedObject{build(t, "-UMINOR", "-DMINOR=9"), "12.4"}, self, Unfit, "says that it is 12.9, but its functions are of 12.4"},
		{"no functions", SharedObject{build(t, "-USUFFIX", "-DSUFFIX=x"), "12.4"}, self, Unfit, "has no function __nvJitLinkCreate of any release"},
		{"no library", SharedObject{text, "12.4"}, self, Unfit, "can't be loaded"},
		{"no file", SharedObject{text + "x", "12.4"}, self, Unfit, "can't be loaded"},
		{"crash at load", SharedObject{build(t, "-DAT_LOAD=abort()"), "12.4"}, self, Crashed, "before the first link: SIGABRT"},
		{"hang at load", SharedObject{build(t, "-DAT_LOAD=pause()"), "12.4"}, short, Hung, "before the first link: no answer in 1s"},
		{"no worker", SharedObject{text, "12.4"}, Options{Getenv: func(string) string { return "" }, Dir: "/"}, Unfit, "no twinlink-nvjitlink (make build)"},
		{"another program", SharedObject{text, "12.4"}, Options{Worker: "/bin/true"}, Crashed, "before the first link: exit status 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := New(c.lib, c.options)
			defer l.Close()
			res, err := l.Ask(t.Context(), []Question{named("a"), named("b")})
			if err != nil {
				t.Fatal(err)
			}
			for i := range res {
				if res[i].Outcome != c.outcome || !strings.Contains(res[i].Reason, c.want) {
					t.Errorf("%s: %s", &res[i], res[i].Reason)
				}
			}
		})
	}
}

func TestLimitsOfQuestions(t *testing.T) {
	l := fakeLinker(t, Limits{Links: 3})
	bad := named("a\x00b")
	ptx := named("good")
	ptx.PTX = true
	qs := []Question{named("good"), bad, {Options: []string{"-\x00"}}, ptx, named("good"), {Options: []string{"-unknown"}}, {}}
	res, err := l.Ask(t.Context(), qs)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Outcome{Linked, NotAsked, NotAsked, Linked, Linked, Refused, Garbled} {
		if res[i].Outcome != want {
			t.Errorf("question %d: %s", i, &res[i])
		}
	}
	if string(res[3].Output) != ".ptx\x00" && string(res[3].Output) != ".ptx" {
		t.Errorf("PTX %q", res[3].Output)
	}
	if res[5].Code != 1 || res[5].Step != Create {
		t.Errorf("unknown option: %s", &res[5])
	}
	if l.Starts() != 2 {
		t.Errorf("%d workers for 5 questions, 3 each", l.Starts())
	}
}

// TestCancel cancels while a worker hangs, in a wait that would have no end.
func TestCancel(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	waits := 0
	l := fakeLinker(t, Limits{until: func(time.Duration) time.Time {
		if waits++; waits == 3 { // after the greeting and the first answer
			stop()
		}
		return time.Time{}
	}})
	if _, err := l.Ask(ctx, []Question{named("a"), named("hang"), named("b")}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	if waits != 3 || l.Starts() != 1 {
		t.Errorf("%d waits, %d workers", waits, l.Starts())
	}
	if res, err := l.Link(t.Context(), named("good")); err != nil || res.Outcome != Linked || l.Starts() != 2 {
		t.Errorf("afterwards: %v, %v, %d workers", res, err, l.Starts())
	}
}

// BenchmarkProtocol is what a question costs beside the library's own work.
func BenchmarkProtocol(b *testing.B) {
	l := fakeLinker(b, Limits{})
	q := named("good")
	q.Inputs[0].Data = make([]byte, 16<<10)
	qs := make([]Question, 1000)
	for i := range qs {
		qs[i] = q
	}
	for b.Loop() {
		if _, err := l.Ask(b.Context(), qs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(qs))/b.Elapsed().Seconds(), "links/s")
}
