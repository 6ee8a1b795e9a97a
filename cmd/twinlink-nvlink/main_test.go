package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// build makes the program in a folder.
func build(t *testing.T, dir string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the test's toolkit is of links and scripts")
	}
	program := filepath.Join(dir, "twinlink-nvlink")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// It links as nvlink of the release in whose place it stands, whatever it is called;
// links that are to be judged go to the twinlink beside it.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	program := build(t, dir)
	bin := filepath.Join(dir, "cuda", "bin")
	if err := os.MkdirAll(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		filepath.Join(bin, "nvlink.real"):    "",
		filepath.Join(bin, "nvlink.release"): "12.4\n",
		filepath.Join(dir, "twinlink"):       "#!/bin/sh\necho \"$0\" \"$@\"\nexit 7\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	nvlink := filepath.Join(bin, "nvlink")
	if err := os.Symlink(program, nvlink); err != nil {
		t.Fatal(err)
	}
	const data = "../../internal/dump/testdata/12.4-sm_80-"
	want, err := os.ReadFile(data + "linked.cubin")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{program, nvlink} {
		out := filepath.Join(dir, "out")
		cmd := exec.Command(name, "-arch=sm_80", "-o", out, data+"a.cubin", data+"b.cubin")
		if text, err := cmd.CombinedOutput(); err != nil || len(text) > 0 {
			t.Fatalf("%v\n%s", err, text)
		}
		if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: not what nvlink links, %v", filepath.Base(name), err)
		}
	}
	if text, err := exec.Command(nvlink, "--version").Output(); err != nil || !strings.Contains(string(text), "V12.4.131") {
		t.Errorf("%v, %s", err, text)
	}
	cmd := exec.Command(nvlink, "-arch=sm_80", "a b")
	cmd.Env = append(os.Environ(), "TWINLINK_VERIFY=1")
	text, _ := cmd.Output()
	// A shell's $0 is the script: that the name is nvlink's shows in twinlink alone.
	if cmd.ProcessState.ExitCode() != 7 || !strings.HasSuffix(string(text), " -arch=sm_80 a b\n") {
		t.Errorf("status %d, %q", cmd.ProcessState.ExitCode(), text)
	}
	if err := os.Remove(filepath.Join(dir, "twinlink")); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(nvlink, "-arch=sm_80", "a")
	cmd.Env = append(os.Environ(), "TWINLINK_VERIFY=1")
	if _ = cmd.Run(); cmd.ProcessState.ExitCode() != noJudge {
		t.Errorf("without a twinlink: status %d", cmd.ProcessState.ExitCode())
	}
}
