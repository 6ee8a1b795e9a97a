package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "nvlink" { // nvcc calls this program in nvlink's place
		os.Exit(run(os.Args, streams{os.Stdout, os.Stderr}))
	}
	testscript.Main(nvidiatest.Wrap(m), map[string]func(){"twinlink": main})
}

// sm100 is the file of the corpus that scripts have as sm100.cubin: linked by
// nvlink 13.0 with -r, with both sides.
const sm100 = "jumps-13.0-sm_100-O1-linked-r"

// TestScripts runs the command lines in testdata/script. Each has the objects
// a.cubin and b.cubin for sm_90, linked.cubin that nvlink 13.0 made of them, and
// sm100.cubin.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               func(e *testscript.Env) error { return scriptFiles(e.WorkDir) },
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"flip": flip, "status": status},
	})
}

func scriptFiles(dir string) error {
	for _, name := range []string{"a.cubin", "b.cubin", "linked.cubin"} {
		data, err := os.ReadFile("../../internal/dump/testdata/13.0-sm_90-" + name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	data, err := capsuleFile(sm100)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "sm100.cubin"), data, 0o644)
}

func capsuleFile(name string) ([]byte, error) {
	list, err := corpus.Capsules()
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Name == name {
			return list[i].Data()
		}
	}
	return nil, os.ErrNotExist
}

func sm100File(t *testing.T) []byte {
	t.Helper()
	data, err := capsuleFile(sm100)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// flip FILE OFFSET TO writes a copy of a file in which all bits of a byte are
// others.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: flip FILE OFFSET TO")
	}
	data := []byte(ts.ReadFile(args[0]))
	at, err := strconv.ParseUint(args[1], 0, 32)
	if err != nil || at >= uint64(len(data)) {
		ts.Fatalf("flip %s: no byte at %s", args[0], args[1])
	}
	data[at] = ^data[at]
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), data, 0o644))
}

// status N COMMAND... runs a command that must end with that status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND ARGS...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("status %d, want %s", got, args[0])
	}
}
