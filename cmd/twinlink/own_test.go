package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/biglink"
)

// What --save-dir keeps links again, and fails again, in its own folder.
func TestSaveDir(t *testing.T) {
	modules, err := biglink.Modules(2)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	inputs := []string{filepath.Join(dir, "a b.cubin"), filepath.Join(dir, "c.cubin")}
	for i, name := range inputs {
		if err := os.WriteFile(name, modules[i], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, linked := range [][]string{inputs, inputs[:1]} {
		saved, out := filepath.Join(dir, "saved"), filepath.Join(dir, "out")
		_ = os.Remove(out)
		var printed, messages bytes.Buffer
		args := append([]string{"twinlink", "link", "--phases", "--save-dir=" + saved, "-arch=sm_80", "-o", out}, linked...)
		status := run(args, streams{&printed, &messages})
		if (status == 0) != (len(linked) == 2) || !strings.Contains(messages.String(), "merge") {
			t.Fatalf("status %d: %s", status, messages.String())
		}
		folders, err := filepath.Glob(filepath.Join(saved, "link-*"))
		if err != nil || len(folders) != 1 {
			t.Fatalf("%q, %v", folders, err)
		}
		first, _ := os.ReadFile(out)
		_ = os.Remove(out)
		// The saved command is that of a shell; here it runs in this process.
		cmd := exec.Command("sh", "-c", "twinlink() { for a; do printf '%s\\n' \"$a\"; done; }\n. ./command")
		cmd.Dir = folders[0]
		words, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(folders[0])
		again := run(append([]string{"twinlink"}, strings.Split(strings.TrimSpace(string(words)), "\n")...), streams{&printed, &messages})
		second, _ := os.ReadFile(out)
		if again != status || !bytes.Equal(first, second) {
			t.Errorf("status %d then %d, %d bytes then %d", status, again, len(first), len(second))
		}
		_ = os.RemoveAll(saved)
	}
}
