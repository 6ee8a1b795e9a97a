package replay

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

var record = flag.Bool("record", false, "run NVIDIA's tools, and record their answers")

// Names of the variables by which a stand-in knows what it is. A tool sees nothing
// of our environment, so the stand-in's script sets them.
const (
	varTool    = "TWINLINK_REPLAY_TOOL"    // "13.5/nvlink"
	varFolder  = "TWINLINK_REPLAY_FOLDER"  // where answers lie
	varProgram = "TWINLINK_REPLAY_PROGRAM" // the tool itself, which is asked; "" where answers are replayed
)

// Main runs a package's tests as [nvidiatest.Main] does. Started as a stand-in it answers instead.
func Main(m *testing.M) {
	if tool := os.Getenv(varTool); tool != "" {
		os.Exit(standIn(tool, os.Getenv(varFolder), os.Getenv(varProgram)))
	}
	nvidiatest.Main(m)
}

// Use lets a test's program find stand-ins for the nvlink and ptxas of releases, which
// have the answers of a file. TWINLINK_WITNESS is their folder until the test ends.
func Use(t *testing.T, file string, releases ...string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("stand-ins are shell scripts")
	}
	var tools *nvidia.Toolset
	if *record {
		var err error
		if tools, err = nvidia.Find(context.Background(), nvidia.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	folder, witness := t.TempDir(), t.TempDir()
	if !*record {
		if err := unpack(file, folder); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range releases {
		for _, name := range []string{nvidia.Nvlink, nvidia.Ptxas} {
			program := ""
			if *record {
				tool, err := tools.Tool(release, name)
				if err != nil {
					t.Fatal(err)
				}
				program = tool.Path
			}
			writeScript(t, filepath.Join(witness, release), name, map[string]string{varTool: release + "/" + name, varFolder: folder, varProgram: program}, self)
		}
	}
	t.Setenv("TWINLINK_WITNESS", witness)
	for _, other := range []string{"TWINLINK_NVLINK", "TWINLINK_PTXAS"} {
		t.Setenv(other, "")
	}
	t.Cleanup(func() {
		if *record {
			if err := pack(folder, file); err != nil {
				t.Error(err)
			}
			return
		}
		for _, complaint := range complaints(folder, !t.Failed() && !t.Skipped()) {
			t.Error(complaint)
		}
	})
}

// writeScript writes a stand-in. A signal that ended the tool ends the script too.
func writeScript(t *testing.T, dir, name string, variables map[string]string, self string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString("#!/bin/sh\n")
	for _, v := range []string{varTool, varFolder, varProgram} {
		fmt.Fprintf(&text, "export %s='%s'\n", v, strings.ReplaceAll(variables[v], "'", `'\''`))
	}
	fmt.Fprintf(&text, "'%s' \"$@\"\ncode=$?\n", strings.ReplaceAll(self, "'", `'\''`))
	fmt.Fprintf(&text, "[ $code -le %d ] || [ $code -ge %d ] || kill -$((code - %d)) $$\nexit $code\n", signalled, signalled+65, signalled)
	path := filepath.Join(dir, name)
	noFork(func() {
		if err := os.WriteFile(path, []byte(text.String()), 0o755); err != nil {
			t.Fatal(err)
		}
	})
}

// complaints says which questions had no answer, and which answers nobody asked for.
func complaints(folder string, all bool) (list []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return []string{err.Error()}
	}
	unasked := 0
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		switch filepath.Ext(name) {
		case missing:
			text, _ := os.ReadFile(name)
			list = append(list, fmt.Sprintf("no answer is recorded for %s", text))
		case kept:
			if _, err := os.Stat(strings.TrimSuffix(name, kept) + asked); err != nil {
				unasked++
			}
		}
	}
	slices.Sort(list)
	if more := len(list) - 3; more > 0 {
		list = append(list[:3], fmt.Sprintf("and %d more", more))
	}
	if all && unasked > 0 {
		list = append(list, fmt.Sprintf("%d recorded answers were not used", unasked))
	}
	return list
}

// Both runs a test with recorded answers, and with the tools of the releases where they are installed.
func Both(t *testing.T, file string, releases []string, test func(t *testing.T)) {
	t.Helper()
	t.Run("recorded", func(t *testing.T) {
		Use(t, file, releases...)
		test(t)
	})
	if *record {
		return
	}
	t.Run("live", func(t *testing.T) {
		for _, release := range releases {
			nvidiatest.Need(t, release, nvidia.Nvlink, nvidia.Ptxas)
		}
		test(t)
	})
}
