//go:build unix

package nvidia_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// versionText is what NVIDIA's tools print for --version.
const versionText = `%s: NVIDIA (R) Cuda linker
Copyright (c) 2005-2024 NVIDIA Corporation
Built on Thu_Mar_28_02:18:24_PDT_2024
Cuda compilation tools, release %d.%d, V%d.%d.%d
Build cuda
`

// fake writes a shell script that answers --version as NVIDIA's tool of that
// name and version does, and otherwise runs body. It returns the script's path.
func fake(t testing.TB, dir, name, version, body string) string {
	t.Helper()
	var a, b, c int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &a, &b, &c); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(versionText, name, a, b, a, b, c)
	return script(t, dir, name, "if [ \"$1\" = --version ]; then cat <<'END'\n"+text+"END\nexit 0; fi\n"+body)
}

// script writes an executable shell script.
func script(t testing.TB, dir, name, body string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	// A fork while the file is open for writing would make it "busy" for exec.
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// environ returns a Getenv that knows only the given pairs.
func environ(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

// fakeNvlink returns a Toolset whose one tool is an nvlink 12.4.131 with that
// body, and the folder in which the runs make their scratch folders.
func fakeNvlink(t *testing.T, body string, limits nvidia.Limits) (*nvidia.Toolset, string) {
	t.Helper()
	path := fake(t, t.TempDir(), "nvlink", "12.4.131", body)
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	set, err := nvidia.Find(t.Context(), nvidia.Options{
		Nvlink: path, Dir: t.TempDir(), Getenv: environ(), Limits: limits,
	})
	if err != nil {
		t.Fatal(err)
	}
	return set, scratch
}

// wantEmpty fails where a run left something in the folder.
func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("left behind: %s", e.Name())
	}
}
