//go:build unix

package nvidia_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// emptyELF is the least file that Link takes for an output.
var emptyELF = []byte("\x7fELF")

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       nvidia.Outcome
		exit       int
		signal     syscall.Signal
		message    string
	}{
		{"success", `printf '\177ELFrest' >out.cubin; echo note >&2`, nvidia.Success, 0, 0, "note\n"},
		{"refusal", "echo 'nvlink error   : no' >&2; exit 255", nvidia.Refused, 255, 0, "nvlink error   : no\n"},
		{"refusal after output", `printf '\177ELF' >out.cubin; exit 1`, nvidia.Refused, 1, 0, ""},
		{"crash", "kill -SEGV $$", nvidia.Crashed, -1, syscall.SIGSEGV, ""},
		{"abort", "echo bad; kill -ABRT $$", nvidia.Crashed, -1, syscall.SIGABRT, "bad\n"},
		{"no output", "exit 0", nvidia.Silent, 0, 0, ""},
		{"empty output", ": >out.cubin", nvidia.Silent, 0, 0, ""},
		{"no ELF", "echo text >out.cubin", nvidia.Silent, 0, 0, ""},
		{"folder for output", "mkdir out.cubin", nvidia.Silent, 0, 0, ""},
		{"pipe for output", "mkfifo out.cubin", nvidia.Silent, 0, 0, ""},
		{"link for output", "ln -s /etc/passwd out.cubin", nvidia.Silent, 0, 0, ""},
		{"large output", "head -c 100000 /dev/zero >out.cubin", nvidia.Refused, -2, 0, ""},
		{"hang", "echo began; while :; do sleep 1; done", nvidia.Hung, -1, syscall.SIGKILL, "began\n"},
		{"hang deaf", "trap '' TERM INT HUP; while :; do :; done", nvidia.Hung, -1, syscall.SIGKILL, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			limits := nvidia.Limits{Time: 10 * time.Second, File: 50000}
			if c.want == nvidia.Hung {
				limits.Time = 300 * time.Millisecond
			}
			set, scratch := fakeNvlink(t, c.body, limits)
			res, err := set.Link(t.Context(), "12.4", nil, []nvidia.File{{Name: "a.cubin", Data: emptyELF}})
			if err != nil {
				t.Fatal(err)
			}
			if c.name == "large output" {
				// The kernel's limit ends head, or without one Link reads nothing back.
				if res.Outcome == nvidia.Success || len(res.Output) > 50000 {
					t.Errorf("%v with %d bytes", res, len(res.Output))
				}
			} else if res.Outcome != c.want || res.ExitCode != c.exit || res.Signal != c.signal {
				t.Errorf("%v, exit %d, signal %v; want %v, exit %d, signal %v",
					res, res.ExitCode, res.Signal, c.want, c.exit, c.signal)
			}
			if c.message != "" && res.Message() != c.message {
				t.Errorf("message %q, want %q", res.Message(), c.message)
			}
			if c.want == nvidia.Success && string(res.Output) != "\x7fELFrest" {
				t.Errorf("output %q", res.Output)
			}
			if res.Duration <= 0 || res.Duration > 5*time.Second {
				t.Errorf("took %v", res.Duration)
			}
			wantEmpty(t, scratch)
		})
	}
}

// A tool's children die with it, whether it hangs or ends in order.
func TestChildrenAreKilled(t *testing.T) {
	for _, c := range []struct {
		name, end string
		want      nvidia.Outcome
	}{
		{"hang", "wait", nvidia.Hung},
		{"orderly end, pipes open", `printf '\177ELF' >out.cubin; exit 0`, nvidia.Success},
		{"orderly end, pipes shut", `printf '\177ELF' >out.cubin; exit 0`, nvidia.Success},
	} {
		t.Run(c.name, func(t *testing.T) {
			child := "sleep 300 & "
			if strings.HasSuffix(c.name, "shut") {
				child = "sleep 300 >/dev/null 2>&1 & "
			}
			set, scratch := fakeNvlink(t, child+"echo $!; "+c.end, nvidia.Limits{Time: 500 * time.Millisecond})
			res, err := set.Link(t.Context(), "", nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if res.Outcome != c.want {
				t.Errorf("%v, want %v", res, c.want)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(res.Stdout)))
			if err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(5 * time.Second); alive(pid); time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("child %d lives", pid)
				}
			}
			wantEmpty(t, scratch)
		})
	}
}

// alive reports whether a process runs; a zombie that waits for init does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestTextIsBounded(t *testing.T) {
	set, scratch := fakeNvlink(t, "head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2; exit 1",
		nvidia.Limits{Text: 1000})
	res, err := set.Link(t.Context(), "12.4", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Stdout) != 1000 || len(res.Stderr) != 1000 || res.StdoutLost != 2999000 || res.StderrLost != 1999000 {
		t.Errorf("kept %d and %d, lost %d and %d", len(res.Stdout), len(res.Stderr), res.StdoutLost, res.StderrLost)
	}
	wantEmpty(t, scratch)
}

func TestCancel(t *testing.T) {
	set, scratch := fakeNvlink(t, "sleep 300", nvidia.Limits{})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if res, err := set.Link(ctx, "12.4", nil, nil); !errors.Is(err, context.DeadlineExceeded) || res != nil {
		t.Errorf("got %v, %v", res, err)
	}
	wantEmpty(t, scratch)
	if _, err := set.Link(ctx, "12.4", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("started late: %v", err)
	}
	wantEmpty(t, scratch)
}

// A binary that goes away between Find and Run is an error, not an outcome.
func TestStartError(t *testing.T) {
	set, scratch := fakeNvlink(t, "exit 0", nvidia.Limits{})
	if err := os.Remove(set.Tools()[0].Path); err != nil {
		t.Fatal(err)
	}
	_, err := set.Link(t.Context(), "12.4", nil, nil)
	var start *nvidia.StartError
	if !errors.As(err, &start) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	wantEmpty(t, scratch)
}

func TestScratchNames(t *testing.T) {
	set, scratch := fakeNvlink(t, "exit 1", nvidia.Limits{})
	bad := func(t *testing.T, args []string, files ...nvidia.File) {
		t.Helper()
		_, err := set.Link(t.Context(), "12.4", args, files)
		var name *nvidia.FileNameError
		if !errors.As(err, &name) {
			t.Errorf("%v %v: got %v", args, files, err)
		}
		wantEmpty(t, scratch)
	}
	for _, n := range []string{"", ".", "..", "../x.cubin", "/x.cubin", "a/../../x", "-o", "a//b", "a\x00b", "./a"} {
		bad(t, nil, nvidia.File{Name: n})
		bad(t, nil, nvidia.File{Name: n, Aside: true})
	}
	bad(t, nil, nvidia.File{Name: "a.cubin"}, nvidia.File{Name: "a.cubin"})
	bad(t, nil, nvidia.File{Name: nvidia.DefaultOutput})
	bad(t, []string{"-o", "a.cubin"}, nvidia.File{Name: "a.cubin"})
	bad(t, []string{"--output-file=/tmp/x"})
	if _, err := set.Link(t.Context(), "12.4", nil, []nvidia.File{{Name: "a/b/c.cubin"}, {Name: "a/b/d.cubin"}}); err != nil {
		t.Error(err)
	}
	wantEmpty(t, scratch)
}

func TestCommandLine(t *testing.T) {
	set, _ := fakeNvlink(t, `echo "$*"; pwd; env; cat sub/b.cubin; exit 1`, nvidia.Limits{})
	t.Setenv("NVCC_APPEND_FLAGS", "-hidden")
	res, err := set.Link(t.Context(), "12.4", []string{"-arch=sm_90", "-lx"}, []nvidia.File{
		{Name: "z.cubin"}, {Name: "libx.a", Aside: true}, {Name: "sub/b.cubin", Data: []byte("BYTES")},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := string(res.Stdout)
	if !strings.HasPrefix(text, "-arch=sm_90 -lx -o out.cubin z.cubin sub/b.cubin\n") {
		t.Errorf("command line: %s", text)
	}
	if !strings.Contains(text, "BYTES") || !strings.Contains(text, "LC_ALL=C\n") || strings.Contains(text, "hidden") {
		t.Errorf("input or environment: %s", text)
	}
	if filepath.Dir(strings.Split(text, "\n")[1]) == "." {
		t.Errorf("no scratch folder: %s", text)
	}
}

func TestOutputName(t *testing.T) {
	set, _ := fakeNvlink(t, `printf '\177ELF' >here.cubin`, nvidia.Limits{})
	for _, args := range [][]string{
		{"-o", "here.cubin"}, {"-o=here.cubin"}, {"--output-file", "here.cubin"},
		{"--output-file=here.cubin"}, {"-o", "first", "-o", "here.cubin"},
	} {
		res, err := set.Link(t.Context(), "12.4", args, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res.Outcome != nvidia.Success || !bytes.Equal(res.Output, emptyELF) {
			t.Errorf("%v: %v, %q", args, res, res.Output)
		}
	}
}
