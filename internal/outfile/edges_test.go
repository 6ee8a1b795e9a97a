//go:build unix

package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Forty links are followed, and no more.
func TestManyLinks(t *testing.T) {
	dir := t.TempDir()
	for i := range 45 {
		if err := os.Symlink(fmt.Sprint(i+1), filepath.Join(dir, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	// 45 is the name that is no link. From 6 on it takes 39 links to come to it, and the fortieth look sees that it is none.
	if got, err := followLink(filepath.Join(dir, "6")); err != nil || got != filepath.Join(dir, "45") {
		t.Errorf("39 links: %s, %v", got, err)
	}
	if got, err := followLink(filepath.Join(dir, "5")); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("40 links: %s, %v", got, err)
	}
}

// Where a file can't be renamed, those after it stay as they are and their temporary files go.
func TestRenameFails(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	put(t, second, "old", 0o644)
	s := Stream(first)
	if _, err := s.WriteAt([]byte("text"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(first, 0o755); err != nil { // came there while the link ran
		t.Fatal(err)
	}
	put(t, filepath.Join(first, "in it"), "", 0o644)
	err := Write([]File{{Path: "given", Made: s}, {Path: second, Data: []byte("new")}})
	var fault *fs.PathError
	if !errors.As(err, &fault) || fault.Op != "rename" || fault.Path != first {
		t.Errorf("%v", err)
	}
	want(t, "not renamed", dir, map[string]string{"a": "?", "b": "old"})
}

// Temporary names tell the process, begin with a dot and are tried up to number 1000.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	name := func(i int) string {
		return filepath.Join(dir, "."+strings.Join([]string{"out", strconv.Itoa(os.Getpid()), strconv.Itoa(i), "tmp"}, "."))
	}
	for i := range 1000 {
		put(t, name(i), "", 0o644)
	}
	f, err := create(filepath.Join(dir, "out"))
	if err != nil || f.Name() != name(1000) {
		t.Fatalf("%v", err)
	}
	if p, err := closeBeside(f, "target", "given", nil); err != nil || p != (placed{name(1000), "target", "given"}) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := create(filepath.Join(dir, "out")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("all are taken: %v", err)
	}
	if _, err := createWith(filepath.Join(dir, "gone", "out"), 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// A new file gets the mode that new files have, an old one keeps its own.
func TestModes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new")
	put(t, filepath.Join(dir, "like"), "", 0o600)
	plain, err := os.Create(filepath.Join(dir, "plain"))
	if err != nil {
		t.Fatal(err)
	}
	plain.Close()
	if err := Write([]File{{Path: path, Data: []byte("1")}, {Path: filepath.Join(dir, "like"), Data: []byte("2")}}); err != nil {
		t.Fatal(err)
	}
	wanted, err := os.Stat(plain.Name())
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]fs.FileMode{"new": wanted.Mode(), "like": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), mode)
		}
	}
	if target, mode, err := targetOf(filepath.Join(dir, "none")); target != filepath.Join(dir, "none") || mode != 0 || err != nil {
		t.Errorf("%s, %v, %v", target, mode, err)
	}
	if _, _, err := targetOf(filepath.Join(dir, "new", "below")); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("below a file: %v", err)
	}
	if _, _, err := targetOf(dir); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := followLink(""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no name: %v", err)
	}
	if err := writable(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if err := writeInPlace(filepath.Join(dir, "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// What a piece can't be written to fails with Write, not before, and the pieces after it are taken.
func TestStreamFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	s := Stream(path)
	if _, err := s.WriteAt([]byte("a"), 0); err != nil {
		t.Fatal(err)
	}
	s.file.Close()
	for range 2 {
		if n, err := s.WriteAt([]byte("bc"), 1); n != 2 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if err := Write([]File{{Path: path, Made: s}}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("%v", err)
	}
	want(t, "failed", filepath.Dir(path), nil)
}
