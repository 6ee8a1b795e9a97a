package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// action is what is read of action.yml.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			ID, Uses, Run string
			Env, With     map[string]string
		}
	}
}

// TestAction runs the shell steps of action.yml in their order, as GitHub's runner
// does: with the inputs inserted, and what a step writes to GITHUB_OUTPUT kept. Steps
// that use other actions, and the one that installs this program, are omitted.
func TestAction(t *testing.T) {
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]int{
		"-arch=sm_90 --no-nvlink --output linked.cubin a.cubin b.cubin": exitOK,
		"-arch=sm_90 --no-nvlink --output bad.cubin a.cubin b.cubin":    exitDiffer,
		"-arch=sm_90 --no-nvlink none.cubin":                            exitUsage,
	} {
		t.Run(arguments, func(t *testing.T) {
			var a action
			if err := yaml.Unmarshal(text, &a); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := scriptFiles(dir); err != nil {
				t.Fatal(err)
			}
			wrongWord(t, dir)
			if got := a.run(t, dir, arguments); got != want {
				t.Errorf("the last step ended with status %d, want %d", got, want)
			}
			_, sarifMissing := os.Stat(filepath.Join(dir, "twinlink.sarif"))
			page, _ := os.ReadFile(filepath.Join(dir, "twinlink.html"))
			if want == exitUsage {
				if sarifMissing == nil || len(page) > 0 {
					t.Error("a run without a result leaves files to upload")
				}
				return
			}
			sarif, _ := os.ReadFile(filepath.Join(dir, "twinlink.sarif"))
			if !json.Valid(sarif) || !bytes.Contains(page, []byte("<!doctype html>")) {
				t.Error("no SARIF or no page to upload")
			}
			if summary, _ := os.ReadFile(filepath.Join(dir, "summary")); !bytes.Contains(summary, []byte("| ")) {
				t.Errorf("the job's summary has no table: %q", summary)
			}
		})
	}
}

// wrongWord writes bad.cubin: linked.cubin with another byte in relocated code.
func wrongWord(t *testing.T, dir string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "linked.cubin"))
	if err != nil {
		t.Fatal(err)
	}
	data[0x1188] ^= 0xff
	if err := os.WriteFile(filepath.Join(dir, "bad.cubin"), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

var expression = regexp.MustCompile(`\$\{\{ *([a-z.]+)( \|\| 2)? *\}\}`)

// run returns the last step's status. A step before it that fails ends the test.
func (a *action) run(t *testing.T, dir, arguments string) int {
	t.Helper()
	values := map[string]string{"inputs.arguments": arguments}
	for name, in := range a.Inputs {
		if values["inputs."+name] == "" {
			values["inputs."+name] = in.Default
		}
	}
	fill := func(text string) string {
		return expression.ReplaceAllStringFunc(text, func(e string) string {
			m := expression.FindStringSubmatch(e)
			value, known := values[m[1]]
			if !known {
				t.Fatalf("%s: no such value", e)
			}
			return value
		})
	}
	status := -1
	for _, step := range a.Runs.Steps {
		if step.Run == "" || strings.HasPrefix(step.Run, "go install ") {
			continue
		}
		if status > 0 {
			t.Fatalf("a step ended with status %d", status)
		}
		c := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", fill(step.Run))
		c.Dir = dir
		c.Env = append(os.Environ(), "GITHUB_OUTPUT="+filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
		for name, value := range step.Env {
			c.Env = append(c.Env, name+"="+fill(value))
		}
		out, err := c.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		t.Logf("%s", out)
		status = c.ProcessState.ExitCode()
		outputs, _ := os.ReadFile(filepath.Join(dir, "output"))
		for line := range strings.Lines(string(outputs)) {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
				values["steps."+step.ID+".outputs."+name] = value
			}
		}
	}
	return status
}
