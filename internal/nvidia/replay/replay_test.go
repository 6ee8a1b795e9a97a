package replay

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
)

func TestMain(m *testing.M) { Main(m) }

// What a program did is kept, packed, unpacked and done again: its exit status or signal, what it printed and what it
// wrote. Another question, or an answer that nothing asks for, is told.
func TestReplay(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("stand-ins are shell scripts")
	}
	if *record {
		t.Skip("it needs no tool")
	}
	folder, file := t.TempDir(), filepath.Join(t.TempDir(), "x.gz")
	program := filepath.Join(t.TempDir(), "nvlink")
	text := "#!/bin/sh\ncase $1 in\n--version) echo 'nvlink: NVIDIA (R) Cuda linker'; echo 'Cuda compilation tools, release 12.4, V12.4.131';;\n" +
		"die) kill -11 $$;;\nno) echo refused >&2; exit 3;;\n*) cat $1; printf '\\177ELF' > out.cubin;;\nesac\n"
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	t.Chdir(work)
	if err := os.WriteFile("a.cubin", []byte("input"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--version"}, {"die", "-o", "out.cubin", "a.cubin"}, {"no", "-o", "out.cubin", "a.cubin"}, {"a.cubin", "-o", "out.cubin", "a.cubin"}, {"never"}} {
		if err := keep(filepath.Join(folder, question("12.4/nvlink", args))+kept, program, args); err != nil {
			t.Fatal(err)
		}
		os.Remove("out.cubin")
	}
	if err := pack(folder, file); err != nil {
		t.Fatal(err)
	}

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	again, witness := t.TempDir(), t.TempDir()
	if err := unpack(file, again); err != nil {
		t.Fatal(err)
	}
	writeScript(t, filepath.Join(witness, "12.4"), nvidia.Nvlink, map[string]string{varTool: "12.4/nvlink", varFolder: again}, self)
	t.Setenv("TWINLINK_WITNESS", witness)
	tools, err := nvidia.Find(t.Context(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		arg, input string
		outcome    nvidia.Outcome
		code       int
		out, err   string
	}{
		{"die", "input", nvidia.Crashed, -1, "", ""},
		{"no", "input", nvidia.Refused, 3, "", "refused\n"},
		{"a.cubin", "input", nvidia.Success, 0, "input", ""},
		{"a.cubin", "other", nvidia.Refused, noAnswer, "", "replay: no answer for 12.4/nvlink a.cubin -o out.cubin a.cubin\n"},
	} {
		res, err := tools.Link(t.Context(), "12.4", []string{test.arg}, []nvidia.File{{Name: "a.cubin", Data: []byte(test.input)}})
		if err != nil {
			t.Fatal(err)
		}
		if res.Outcome != test.outcome || res.ExitCode != test.code || string(res.Stdout) != test.out || string(res.Stderr) != test.err {
			t.Errorf("%s of %s: %v %d %q %q", test.arg, test.input, res.Outcome, res.ExitCode, res.Stdout, res.Stderr)
		}
	}
	want := "no answer is recorded for 12.4/nvlink a.cubin -o out.cubin a.cubin"
	if got := strings.Join(complaints(again, true), "; "); got != want+"; 1 recorded answers were not used" {
		t.Errorf("told %s", got)
	}
	if got := strings.Join(complaints(again, false), "; "); got != want {
		t.Errorf("told %s", got)
	}
}
