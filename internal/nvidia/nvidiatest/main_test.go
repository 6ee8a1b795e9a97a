package nvidiatest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

// TestHelper is run by the tests below, in a process of its own that finds no
// tool.
func TestHelper(t *testing.T) {
	if os.Getenv("WITNESSTEST_HELPER") == "" {
		t.Skip("runs as a child of the other tests")
	}
	for _, name := range []string{"a", "b", "b"} {
		t.Run(name, func(t *testing.T) { Need(t, "12.4") })
	}
	t.Run("c", func(t *testing.T) { Need(t, "13.5", "cuobjdump") })
}

// bare returns an environment in which no tool is to be found, and go is.
func bare(t *testing.T, more ...string) []string {
	t.Helper()
	env := []string{"WITNESSTEST_HELPER=1", "TWINLINK_WITNESS=" + t.TempDir()}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TWINLINK_") && !strings.HasPrefix(v, "PATH=") {
			env = append(env, v)
		}
	}
	return append(append(env, "PATH="+t.TempDir()), more...)
}

const told = "witness: 1 test of nvidiatest skipped, cuobjdump 13.5 is not installed (make witness-all)\n" +
	"witness: 3 tests of nvidiatest skipped, nvlink 12.4 is not installed (make witness)\n"

func TestSkipsAreTold(t *testing.T) {
	for _, c := range []struct {
		require string
		ok      bool
		want    string
	}{
		{"", true, told},
		{"0", true, told},
		{"1", false, "witness: 1 test of nvidiatest skipped, cuobjdump 13.5 is not installed (make witness-all)\n"},
		{"13.5", false, "witness: 3 tests of nvidiatest skipped, nvlink 12.4 is not installed (make witness)\n"},
		{"all", false, ""},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHelper$")
		cmd.Args[0] = "nvidiatest.test" // whatever this program is called
		cmd.Env = bare(t, "TWINLINK_REQUIRE_WITNESS="+c.require)
		out, err := cmd.CombinedOutput()
		if (err == nil) != c.ok {
			t.Errorf("require %q: %v\n%s", c.require, err, out)
		}
		var got string
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "witness: ") {
				got += line
			}
		}
		if got != c.want {
			t.Errorf("require %q: told %q, want %q", c.require, got, c.want)
		}
		if !c.ok && !strings.Contains(string(out), "; looked in ") {
			t.Errorf("require %q: no reason:\n%s", c.require, out)
		}
	}
}

// The lines must show in a run over a list of packages, where go test throws
// away what a package that passes has printed.
func TestSkipsAreToldThroughGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	if _, err := os.Stat("/proc/self/comm"); err != nil {
		t.Skip("only where /proc tells about the parent")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		name string
		file bool // TWINLINK_SKIPS names a file
		args []string
	}{
		{"list", false, []string{"./..."}},
		{"list, verbose", false, []string{"-v", "./..."}},
		{"one package", false, nil},
		{"file", true, []string{"./..."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(goTool, append([]string{"test", "-count=1", "-run=^TestHelper$"}, c.args...)...)
			cmd.Env = bare(t)
			skips := filepath.Join(t.TempDir(), "skips")
			if c.file {
				cmd.Env = append(cmd.Env, "TWINLINK_SKIPS="+skips)
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Error(err)
			}
			if c.file {
				if strings.Contains(string(out), "skipped") {
					t.Errorf("told twice:\n%s", out)
				}
				if out, err = os.ReadFile(skips); err != nil {
					t.Fatal(err)
				}
			}
			for line := range strings.Lines(told) {
				if n := strings.Count(string(out), line); n != 1 {
					t.Errorf("%d times %q in:\n%s", n, line, out)
				}
			}
		})
	}
}

func TestRequired(t *testing.T) {
	for _, c := range []struct {
		value, release string
		want           bool
	}{
		{"", "12.4", false}, {"0", "12.4", false}, {"1", "12.4", true}, {"1", "13.5", false},
		{"all", "13.5", true}, {"12.4,13.5", "13.5", true}, {"12.4,13.5", "11.8", false},
	} {
		if got := required(c.value, c.release); got != c.want {
			t.Errorf("%q, %s: %v", c.value, c.release, got)
		}
	}
}
