package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// documented is a command line that a document shows.
type documented struct{ file, line string }

// documentedCommands are the lines of README.md and docs that begin with
// "twinlink", in a block of code.
func documentedCommands(t *testing.T) (list []documented) {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	comment := regexp.MustCompile(`\s+#.*$`)
	for _, name := range append(files, "../../README.md", "../../CONTRIBUTING.md") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fenced := false
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			code := strings.HasPrefix(line, "    ") || fenced
			text := strings.TrimPrefix(strings.TrimSpace(line), "$ ")
			if code && strings.HasPrefix(text, "twinlink ") {
				list = append(list, documented{filepath.Base(name), comment.ReplaceAllString(text, "")})
			}
		}
	}
	return list
}

// ends says with which status the documented lines end that don't end with 0.
// A line ends in a folder with the objects and outputs of documentFolder.
var ends = map[string]int{
	"twinlink diff out.cubin other.cubin":                       exitDiffer,
	"twinlink diff before.cubin after.cubin":                    exitDiffer,
	"twinlink diff --ignore 'notes.*' before.cubin after.cubin": exitDiffer,
	"twinlink diff old.cubin new.cubin":                         exitDiffer,
	"twinlink verify ./program":                                 exitUnjudged, // this test program: it says nothing of device code

	"twinlink verify -arch=sm_90 --output scale-12.9.cubin scale1.cubin scale2.cubin":                                    exitDiffer,
	"twinlink verify -arch=sm_90 --output tiles.cubin tile1.cubin tile2.cubin":                                           exitDiffer,
	"twinlink verify -arch=sm_90 --output tables-13.5.cubin table1.cubin table2.cubin":                                   exitDiffer,
	"twinlink verify -arch=sm_90 --output stacks-13.5.cubin stack1.cubin stack2.cubin":                                   exitDiffer,
	"twinlink verify -arch=sm_90 --output wide-13.5.cubin wide1.cubin":                                                   exitDiffer,
	"twinlink verify -arch=sm_100 --output names-13.5.cubin names.cubin":                                                 exitDiffer,
	"twinlink verify -arch=sm_90 -kernels-used=left,right,mono --output gains.cubin gain1.cubin gain2.cubin gain3.cubin": exitDiffer,
}

// documentFolder makes a working folder with the files that documents name.
func documentFolder(t *testing.T, line string) {
	t.Helper()
	set := "13.0-sm_90"
	if strings.Contains(line, "sm_80") {
		set = "12.4-sm_80"
	}
	trophies := map[string][]byte{}
	names, err := filepath.Glob("../../internal/trophies/testdata/*.cubin")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		trophies[filepath.Base(name)] = data
	}
	if err != nil || len(trophies) == 0 {
		t.Fatalf("%d recorded files, %v", len(trophies), err)
	}
	folder(t, set)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, "program"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("cuda/bin", 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, "cuda/bin/nvlink", "")
	for name, data := range trophies {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"out", "other", "old", "new", "before", "after"} {
		data := []byte(read(t, "linked.cubin"))
		if name == "other" || name == "new" || name == "after" {
			data[24] = 1 // e_entry
		}
		if err := os.WriteFile(name+".cubin", data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDocumentedCommands runs every command line that the documents show.
func TestDocumentedCommands(t *testing.T) {
	list := documentedCommands(t)
	if len(list) < 15 {
		t.Fatalf("%d command lines found", len(list))
	}
	used := map[string]bool{}
	for _, d := range list {
		t.Run(d.file+"/"+d.line, func(t *testing.T) {
			sm100 := sm100File(t)
			documentFolder(t, d.line)
			args := strings.Fields(strings.ReplaceAll(d.line, "'", ""))[1:]
			if args[0] == "selfcheck" || args[0] == "capsule" || args[0] == "finalize" {
				if err := os.WriteFile("out.cubin", sm100, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if args[0] == "report" {
				twinlink("verify", "--no-nvlink", "-arch=sm_90", "--format=json", "--report=run.json", "a.cubin", "b.cubin").want(t, 0)
			}
			want := ends[d.line]
			used[d.line] = true
			if _, err := nvjitlink.Release(nvjitlink.Options{}, "13.0"); err != nil && strings.Contains(d.line, "--nvjitlink=13.0") {
				want = exitUsage // it says that there is none
			}
			if got := twinlink(args...); got.exit != want {
				t.Errorf("status %d, want %d: %s%s", got.exit, want, got.stderr, bytes.TrimSpace([]byte(got.out)))
			}
		})
	}
	for line := range ends {
		if !used[line] {
			t.Errorf("no document has %q any more", line)
		}
	}
}
