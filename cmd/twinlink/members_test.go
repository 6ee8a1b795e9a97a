package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// partObject is a host object that nvcc 13.0 made: see its folder's README.
const partObject = "../../internal/container/testdata/13.0-part.o"

func TestList(t *testing.T) {
	r := twinlink("list", partObject)
	want := partObject + ":sm_75: elf, 4768 bytes, zstd"
	if lines := strings.Split(r.out, "\n"); r.exit != 0 || len(lines) != 4 || !strings.HasPrefix(lines[0], partObject+":sm_75: elf, ") || !strings.Contains(lines[1], ", mercury; __nv_relfatbin fatbin 0 member 1 at 0x") {
		t.Errorf("exit %d, %s, want something like %s", r.exit, r.out, want)
	}
	if r := twinlink("list", "--arch", "compute_120", "--format", "json", partObject); r.exit != 0 || strings.Count(r.out, `"kind":"ptx"`) != 1 || strings.Contains(r.out, `"kind":"elf"`) {
		t.Errorf("exit %d, %s", r.exit, r.out)
	}
	if r := twinlink("list", "--arch", "sm_80", partObject); r.exit != exitRefused {
		t.Errorf("none for sm_80: exit %d, %s", r.exit, r.out)
	}
}

// A piece that extract writes is what dump shows of the container.
func TestExtract(t *testing.T) {
	dir := t.TempDir()
	r := twinlink("extract", partObject, "-o", dir)
	if r.exit != 0 || strings.Count(r.out, "\n") != 3 {
		t.Fatalf("exit %d, %s%s", r.exit, r.out, r.stderr)
	}
	cubin := filepath.Join(dir, "13.0-part.o_sm_75.cubin")
	inside, outside := twinlink("dump", "--arch", "sm_75", partObject), twinlink("dump", cubin)
	_, a, _ := strings.Cut(inside.out, "\n")
	_, b, _ := strings.Cut(outside.out, "\n")
	if inside.exit != 0 || outside.exit != 0 || a != b || len(a) < 1000 || !strings.HasPrefix(inside.out, partObject+":sm_75:") {
		t.Errorf("exit %d and %d, %d and %d bytes", inside.exit, outside.exit, len(a), len(b))
	}
	text, err := os.ReadFile(filepath.Join(dir, "13.0-part.o_compute_120.ptx"))
	if err != nil || !bytes.Contains(text, []byte(".visible .entry _Z3runPi(")) {
		t.Errorf("the PTX: %v", err)
	}
	if r := twinlink("diff", "--arch", "sm_75", partObject, cubin); r.exit != exitRefused && r.exit != 0 {
		t.Errorf("diff: exit %d, %s", r.exit, r.stderr)
	}
	if r := twinlink("diff", partObject, cubin); r.exit != exitUsage || !strings.Contains(r.stderr, "contains 2 cubins") {
		t.Errorf("diff of which: exit %d, %s", r.exit, r.stderr)
	}
}

// Names in an archive are only names: nothing is written outside the folder.
func TestExtractNames(t *testing.T) {
	object, err := os.ReadFile(partObject)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "l.a")
	head := []byte("!<arch>\n" + "//                                              16        `\n../../../evil/\n\n")
	member := []byte("/0              0           0     0     644     " + "12345678  " + "`\n")
	copy(member[48:58], []byte(padded(len(object))))
	if err := os.WriteFile(name, append(append(head, member...), object...), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "a", "b", "c", "d")
	if r := twinlink("extract", name, "-o", out); r.exit != 0 {
		t.Fatalf("exit %d, %s", r.exit, r.stderr)
	}
	var outside []string
	err = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() && filepath.Dir(path) != out && path != name {
			outside = append(outside, path)
		}
		return err
	})
	if err != nil || outside != nil {
		t.Errorf("written outside: %v, %v", outside, err)
	}
}

func padded(n int) string {
	s := ""
	for ; n > 0; n /= 10 {
		s = string(rune('0'+n%10)) + s
	}
	return s + strings.Repeat(" ", 10-len(s))
}
