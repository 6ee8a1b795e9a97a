package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/oracle/check"
)

// asTwinlink is set where the test program stands for "twinlink verify".
const asTwinlink = "TROPHIES_TWINLINK"

func TestMain(m *testing.M) {
	if how := os.Getenv(asTwinlink); how != "" {
		os.Exit(verifies(how))
	}
	replay.Main(m)
}

// verifies judges the file that the arguments name, as the program does, and says how many findings there are.
func verifies(how string) int {
	args := os.Args[1:]
	if output, ok := strings.CutPrefix(how, "accept "); ok && slices.Contains(args, output) {
		return 0
	} else if how == "broken" {
		return 2
	}
	if len(args) < 6 || args[0] != "verify" || args[1] != "--no-nvlink" || args[3] != "--output" {
		fmt.Println("other arguments", args)
		return 2
	}
	o := check.Options{Arch: strings.TrimPrefix(args[2], "-arch=")}
	output, err := os.ReadFile(args[4])
	var inputs []check.Input
	for _, a := range args[5:] {
		if list, ok := strings.CutPrefix(a, "-kernels-used="); ok {
			o.KernelsUsed = strings.Split(list, ",")
			continue
		}
		data, e := os.ReadFile(a)
		if e != nil {
			err = e
		}
		inputs = append(inputs, check.Input{Name: strings.TrimSuffix(a, ".cubin"), Data: data})
	}
	if err != nil {
		fmt.Println(err)
		return 2
	}
	v := check.Check(inputs, output, o)
	fmt.Printf("%d findings\n", len(v.Findings))
	if v.Agrees() {
		return 0
	}
	return 1
}

// shown are the headings and the commands, as docs/trophies.md has them.
var shown = []struct{ heading, command string }{
	{"nvJitLink 12.9 links two definitions of scale, and drops one", "-arch=sm_90 --output scale-12.9.cubin scale1.cubin scale2.cubin"},
	{"nvJitLink 13.5 links two definitions of scale, and drops one", "-arch=sm_90 --output scale-13.5.cubin scale1.cubin scale2.cubin"},
	{"nvlink 13.0 links in two steps, -r first: both shared arrays have the same offset", "-arch=sm_90 --output tiles.cubin tile1.cubin tile2.cubin"},
	{"nvlink 12.4 leaves the pointers zero that the second object has, and the function out", "-arch=sm_90 --output tables-12.4.cubin table1.cubin table2.cubin"},
	{"nvlink 13.5 leaves the pointers zero that the second object has, and the function out", "-arch=sm_90 --output tables-13.5.cubin table1.cubin table2.cubin"},
	{"nvlink 13.0 links in two steps, -r first: the address of the other object's constant is all ones", "-arch=sm_90 --output fars-13.0.cubin far1.cubin far2.cubin"},
	{"nvlink 13.5 links in two steps, -r first: the address of the other object's constant is all ones", "-arch=sm_90 --output fars-13.5.cubin far1.cubin far2.cubin"},
	{"nvlink 13.5 places two dynamic shared arrays by the alignment of only the last one", "-arch=sm_90 --output wide-13.5.cubin wide1.cubin"},
	{"nvJitLink 13.5 does the same", "-arch=sm_90 --output wide-nvjitlink-13.5.cubin wide1.cubin"},
	{"nvlink 13.5 names another static kernel in EXTERNS than the object does", "-arch=sm_100 --output names-13.5.cubin names.cubin"},
	{"nvlink 13.5 leaves a function out of the stack of a kernel that calls it by a pointer", "-arch=sm_90 --output stacks-13.5.cubin stack1.cubin stack2.cubin"},
	{"nvlink 13.0 stores equal constants once: two kernels read other data than theirs", "-arch=sm_90 --output gains.cubin -kernels-used=left,right,mono gain1.cubin gain2.cubin gain3.cubin"},
}

// printed runs all of it and returns what it prints.
func printed(t *testing.T, dir, how string, update bool) (string, error) {
	t.Helper()
	t.Setenv(asTwinlink, how)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return replay.Printed(t, func() error { return run(dir, self, update) })
}

// All is shown, in one order, and verify rejects each: what is recorded where there is no tool, and what the tools make
// where they are. That is what is recorded.
func TestRun(t *testing.T) {
	for _, tools := range []bool{false, true} {
		t.Run(fmt.Sprintf("tools=%t", tools), func(t *testing.T) {
			if tools {
				replay.Use(t, "testdata/tools.gz", "12.4", "13.0", "13.5")
			} else {
				t.Setenv("TWINLINK_WITNESS", t.TempDir())
			}
			work := t.TempDir()
			t.Chdir(work)
			kept := filepath.Join(work, "internal/trophies/testdata")
			if err := os.MkdirAll(kept, 0o755); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			text, err := printed(t, dir, "judge", tools)
			if err != nil {
				t.Fatal(err, text)
			}
			var want strings.Builder
			for _, x := range shown {
				how := "recorded"
				if tools && !strings.HasPrefix(x.heading, "nvJitLink") {
					how = "made now"
				}
				fmt.Fprintf(&want, "\n=== %s (%s)\n\n$ twinlink verify %s\n\nN findings\n", x.heading, how, x.command)
			}
			if got := regexp.MustCompile(`(?m)^[1-9][0-9]* findings$`).ReplaceAllString(text, "N findings"); got != want.String() {
				t.Errorf("printed\n%s\nwant\n%s", got, want.String())
			}
			asRecorded(t, dir, 12+len(shown))
			if tools {
				asRecorded(t, kept, 20)
			} else if list, _ := os.ReadDir(kept); len(list) > 0 {
				t.Errorf("%v is recorded though nobody asked", list)
			}
		})
	}
}

// asRecorded wants the files of a folder to be the recorded ones of their names.
func asRecorded(t *testing.T, dir string, least int) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < least {
		t.Errorf("%d files, want %d", len(list), least)
	}
	for _, e := range list {
		got, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if want, err := recorded.ReadFile("testdata/" + e.Name()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is other than what is recorded: %v", e.Name(), err)
		}
	}
}

// A program that accepts one, or that fails otherwise, is told; without a folder nothing is left.
func TestRunFails(t *testing.T) {
	t.Setenv("TWINLINK_WITNESS", t.TempDir())
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	for _, x := range shown {
		output := strings.Fields(x.command)[2]
		if _, err := printed(t, "", "accept "+output, false); err == nil || err.Error() != output+": verify accepts a wrong link" {
			t.Error(output, err)
		}
	}
	if _, err := printed(t, "", "broken", false); err == nil || err.Error() != "exit status 2" {
		t.Error(err)
	}
	if _, err := printed(t, filepath.Join(scratch, "none"), "judge", false); err == nil {
		t.Error("no folder and no error")
	}
	list, err := filepath.Glob(filepath.Join(scratch, "trophies*"))
	if err != nil || slices.ContainsFunc(list, func(name string) bool { return filepath.Base(name) != "none" }) {
		t.Errorf("left behind: %v, %v", list, err)
	}
}
