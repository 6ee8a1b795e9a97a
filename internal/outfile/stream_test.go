//go:build unix

package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// What goes wrong while a link writes is told when it is put in place, and nothing is left of it.
func TestStreamTellsFaults(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	s := Stream(out)
	if n, err := s.WriteAt([]byte("text"), 0); n != 4 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if n, err := s.WriteAt([]byte("xy"), -1); n != 2 || err != nil { // no file has such a place
		t.Errorf("%d, %v: the link would end with an error of its own", n, err)
	}
	first := s.err
	if first == nil {
		t.Fatal("the fault is forgotten")
	}
	if n, err := s.WriteAt([]byte("more"), 4); n != 4 || err != nil || !errors.Is(s.err, first) {
		t.Errorf("%d, %v, %v", n, err, s.err)
	}
	if data, err := os.ReadFile(s.file.Name()); string(data) != "text" || err != nil {
		t.Errorf("written after a fault: %q, %v", data, err)
	}
	if err := Write([]File{{Path: "given", Made: s}}); !errors.Is(err, first) {
		t.Errorf("%v, want %v", err, first)
	}
	want(t, "after a fault", dir, map[string]string{})

	// A folder that goes away: the first piece can't be written, nor any other.
	gone := filepath.Join(dir, "gone")
	if err := os.Mkdir(gone, 0o755); err != nil {
		t.Fatal(err)
	}
	s = Stream(filepath.Join(gone, "out"))
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, err := s.WriteAt([]byte("text"), 0); n != 4 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if err := Write([]File{{Path: "given", Made: s}}); !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("%v", err)
	}
	s.Discard()
}

// A stream is for files, and one that is there keeps its mode.
func TestStreamOf(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "old"), "old", 0o600)
	for name, made := range map[string]bool{filepath.Join(dir, "old"): true, filepath.Join(dir, "new"): true, dir: false, os.DevNull: false, "": false} {
		if got := Stream(name); (got != nil) != made {
			t.Errorf("%q: %v", name, got)
		}
	}
	s := Stream(filepath.Join(dir, "old"))
	if _, err := s.WriteAt([]byte("by"), 4); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WriteAt([]byte("text"), 0); err != nil {
		t.Fatal(err)
	}
	if err := Write([]File{{Made: s}}); err != nil {
		t.Fatal(err)
	}
	want(t, "streamed", dir, map[string]string{"old": "textby"})
	if info, err := os.Stat(filepath.Join(dir, "old")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	var none *Streamed
	none.Discard()
	s.Discard() // it is in place
	want(t, "discarded late", dir, map[string]string{"old": "textby"})
	s = Stream(filepath.Join(dir, "new"))
	if err := Write([]File{{Made: s}}); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("nothing was written: %v", err)
	}
	if _, err := s.WriteAt([]byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	s.Discard()
	want(t, "discarded", dir, map[string]string{"old": "textby"})
}

// What can't be written to is refused before anything is made beside it.
func TestReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a"), "a", 0o444)
	if err := Write([]File{{Path: filepath.Join(dir, "a")}}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
	want(t, "read only", dir, map[string]string{"a": "a"})
}
