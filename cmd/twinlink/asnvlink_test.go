package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// toolkit makes a folder like a toolkit whose nvlink copies a file to its
// output, and twinlink's folder beside it.
func toolkit(t *testing.T, output string) (nvlink string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"cuda/bin/nvlink": "#!/bin/sh\n" + `if [ "$1" = --version ]; then echo "Cuda compilation tools, release 12.4, V12.4.131"; exit; fi` + "\n" +
			`while [ $# -gt 1 ]; do [ "$1" = -o ] && cp "` + output + `" "$2"; shift; done` + "\n",
		"cuda/bin/ptxas":      "",
		"cuda/include/cuda.h": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(dir, "counterpart")
	release, err := shadow(filepath.Join(dir, "cuda"), folder, "/bin/true")
	if err != nil || release != "12.4.131" {
		t.Fatalf("release %q, %v", release, err)
	}
	for _, name := range []string{"bin/ptxas", "include/cuda.h", "bin/nvlink.real"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := shadow(filepath.Join(dir, "cuda"), folder, "/bin/true"); err != nil {
		t.Errorf("a second time: %v", err)
	}
	return filepath.Join(folder, "bin", "nvlink")
}

// runAs runs a link under a name.
func runAs(program string, args ...string) result {
	var out, stderr bytes.Buffer
	exit := run(append([]string{program}, args...), streams{&out, &stderr})
	return result{exit, out.String(), stderr.String()}
}

func TestAsNvlink(t *testing.T) {
	folder(t, "12.4-sm_80")
	nvlink := toolkit(t, "linked.cubin")
	runAs(nvlink, "-arch=sm_80", "a.cubin", "b.cubin", "-o", "x").want(t, 0)
	if read(t, "x") != read(t, "linked.cubin") {
		t.Error("not what nvlink links")
	}
	if r := runAs(nvlink, "--version"); !strings.Contains(r.out, "V12.4.131") {
		t.Errorf("not the toolkit's release: %s", r.out)
	}
}

// The toolkit's nvlink links, and twinlink judges: a line for each link, the
// status nvlink's.
func TestJudgedLinks(t *testing.T) {
	folder(t, "12.4-sm_80")
	bad := []byte(read(t, "linked.cubin"))
	at := bytes.Index(bad, []byte(".text.")) // a name in a string table
	bad[at+1] ^= 1
	write(t, "bad.cubin", string(bad))
	t.Setenv(verifyVariable, "1")
	t.Setenv(reportVariable, "report.jsonl")
	link := []string{"-arch=sm_80", "a.cubin", "b.cubin", "-o", "x"}
	runAs(toolkit(t, "linked.cubin"), link...).want(t, 0)
	wrong := toolkit(t, "bad.cubin")
	runAs(wrong, link...).want(t, 0)
	t.Setenv(verifyVariable, "fail")
	runAs(wrong, link...).want(t, exitDiffer)
	lines := strings.Split(strings.TrimSpace(read(t, "report.jsonl")), "\n")
	var verdicts []string
	for _, line := range lines {
		var j judgement
		if err := json.Unmarshal([]byte(line), &j); err != nil {
			t.Fatal(err)
		}
		verdicts = append(verdicts, j.Verdict)
		if j.Release != "12.4" || j.Arch != "sm_80" || j.Output != "x" {
			t.Errorf("got %s", line)
		}
	}
	if got := strings.Join(verdicts, " "); got != "agree differ differ" {
		t.Errorf("got %s", got)
	}
	t.Setenv(realVariable, "")
	if r := runAs("nvlink", link...); r.exit != exitUsage {
		t.Errorf("no nvlink to run: exit %d, %s", r.exit, r.stderr)
	}
}
