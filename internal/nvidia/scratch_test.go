//go:build unix

package nvidia

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The folder of a run has the inputs, whose names lead nowhere else, and goes with all that was made in it.
func TestScratch(t *testing.T) {
	parent := t.TempDir()
	s, err := newScratch(parent)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(s.dir) != parent || !strings.HasPrefix(filepath.Base(s.dir), "witness-") {
		t.Errorf("%s", s.dir)
	}
	if err := s.put([]File{{Name: "a.cubin", Data: []byte("1")}, {Name: "d/e/b.cubin", Data: []byte("22")}, {Name: "d/c.cubin"}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.cubin": "1", "d/e/b.cubin": "22", "d/c.cubin": ""} {
		data, err := os.ReadFile(filepath.Join(s.dir, name))
		info, err2 := os.Stat(filepath.Join(s.dir, name))
		if err != nil || err2 != nil || string(data) != want || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %q, %v, %v", name, data, err, info)
		}
	}
	for name, why := range map[string]string{
		"": "not a plain relative path", ".": "not a plain relative path", "/a": "not a plain relative path", "../a": "not a plain relative path", "a/../b": "not a plain relative path", "a//b": "not a plain relative path",
		"-o": "would be taken for an option", "a\x00": "holds a zero byte",
	} {
		var fault *FileNameError
		if err := s.put([]File{{Name: name}}); !errors.As(err, &fault) || *fault != (FileNameError{name, why}) {
			t.Errorf("%q: %v", name, err)
		}
	}
	var fault *FileNameError
	if err := s.put([]File{{Name: "x"}, {Name: "x"}}); !errors.As(err, &fault) || *fault != (FileNameError{"x", "given twice"}) {
		t.Errorf("%v", err)
	}
	if err := s.put([]File{{Name: "a.cubin/b"}}); err == nil {
		t.Error("a file is a folder")
	}

	// What is read back: plain files, up to the limit.
	if err := errors.Join(syscall.Mkfifo(filepath.Join(s.dir, "pipe"), 0o600), os.Symlink("/etc/passwd", filepath.Join(s.dir, "link")), os.Mkdir(filepath.Join(s.dir, "folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		limit int64
		want  string
		none  bool
	}{{"d/e/b.cubin", 2, "22", false}, {"d/e/b.cubin", 1, "", true}, {"d/c.cubin", 0, "", false}, {"none", 9, "", true}, {"pipe", 9, "", true}, {"link", 1 << 20, "", true}, {"folder", 1 << 20, "", true}} {
		if data := s.get(c.name, c.limit); string(data) != c.want || (data == nil) != c.none {
			t.Errorf("%s up to %d: %q, none %v", c.name, c.limit, data, data == nil)
		}
	}
	if err := s.put([]File{{Name: "o1", Data: []byte("abc")}, {Name: "o2", Data: []byte("de")}, {Name: "o3", Data: []byte("f")}, {Name: "o4"}}); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int64]string{6: "o1 o3 o4", 5: "o1 o3 o4", 3: "o1 o4", 2: "o3 o4", 100: "o1 o3 o4"} {
		files := map[string][]byte{}
		s.collect(files, Job{Collect: "o*", Inputs: []File{{Name: "o2"}}}, limit)
		var names []string
		for name := range files {
			names = append(names, name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("up to %d: %s, want %s", limit, got, want)
		}
	}
	full := map[string][]byte{}
	for i := range maxCollected - 1 {
		full[fmt.Sprint(i)] = nil
	}
	if s.collect(full, Job{Collect: "o*"}, 100); len(full) != maxCollected || full["o1"] == nil {
		t.Errorf("%d files", len(full))
	}
	if s.collect(full, Job{Collect: "["}, 100); len(full) != maxCollected {
		t.Error("a pattern that is none")
	}
	if err := s.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder stays: %v", err)
	}
	if _, err := newScratch(filepath.Join(parent, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	switch dir := InMemory(); {
	case dir != "" && dir != "/dev/shm":
		t.Errorf("%q", dir)
	case dir == "":
		if probe, err := os.MkdirTemp("/dev/shm", "test-"); err == nil {
			os.Remove(probe)
			t.Error("the system has one")
		}
	}
}
