//go:build linux

package filemap

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

func file(t *testing.T, dir, name string, size int) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, bytes.Repeat([]byte(name[:1]), size), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// garbage keeps a test's settings from others.
func garbage(t *testing.T) (percent func() int) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { cleanUp(t); debug.SetGCPercent(before) })
	cleanUp(t)
	debug.SetGCPercent(100)
	return func() int {
		p := debug.SetGCPercent(-1)
		debug.SetGCPercent(p)
		return p
	}
}

// Files that are large together are mapped, each once, in their order; folders, empty files and missing ones are left to the caller.
func TestMap(t *testing.T) {
	garbage(t)
	dir := t.TempDir()
	half := Large / 2
	a, b, empty := file(t, dir, "a", half), file(t, dir, "b", half), file(t, dir, "e", 0)
	var s Set
	var got []string
	s.Map([]string{a, dir, b, empty, a, filepath.Join(dir, "none")}, func(name string, data []byte) {
		got = append(got, name)
		if len(data) != half || data[0] != filepath.Base(name)[0] || data[half-1] != data[0] {
			t.Errorf("%s: %d bytes", name, len(data))
		}
	})
	if !slices.Equal(got, []string{a, b}) || s.Len() != 2 {
		t.Errorf("%v, %d", got, s.Len())
	}
	if n := len(s.Scratch()); n != Large || s.Scratch() != nil {
		t.Errorf("%d bytes of scratch, or twice", n)
	}
	if name := s.Changed(); name != "" {
		t.Errorf("%s changed", name)
	}
}

// Small ones are read by the caller; from a quarter of a mebibyte on garbage is collected later.
func TestMapSmall(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		sizes []int
		want  int
	}{{[]int{few - 1}, 100}, {[]int{few}, GarbagePercent}, {[]int{Large - 1}, GarbagePercent}, {[]int{few - 1, 1}, GarbagePercent}} {
		percent := garbage(t)
		var s Set
		var names []string
		for i, size := range c.sizes {
			names = append(names, file(t, dir, string(rune('a'+i)), size))
		}
		s.Map(names, func(name string, _ []byte) { t.Errorf("%s is mapped", name) })
		if got := percent(); got != c.want || s.Len() != 0 || s.Scratch() != nil {
			t.Errorf("%v: %d %%, want %d", c.sizes, got, c.want)
		}
	}
}

// A large file is mapped, others are read, and errors are those of reading.
func TestReadFile(t *testing.T) {
	garbage(t)
	dir := t.TempDir()
	for size, mapped := range map[int]int{0: 0, Large - 1: 0, Large: 1, Large + 5: 1} {
		var s Set
		data, err := s.ReadFile(file(t, dir, "x", size))
		if err != nil || len(data) != size || size > 0 && data[size-1] != 'x' || s.Len() != mapped || (s.Scratch() != nil) != (mapped > 0) {
			t.Errorf("%d: %d bytes, %d mapped, %v", size, len(data), s.Len(), err)
		}
	}
	var s Set
	if _, err := s.ReadFile(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := s.ReadFile(dir); err == nil || s.Len() != 0 {
		t.Error("a folder is read")
	}
	if data := mapFile(filepath.Join(dir, "none"), 1); data != nil {
		t.Error("a missing file is mapped")
	}
	if data := mapFile(dir, 4096); data != nil {
		t.Error("a folder is mapped")
	}
}

// A file counts as changed when its size, its time or the file itself is another, or it is gone.
func TestChanged(t *testing.T) {
	garbage(t)
	for what, change := range map[string]func(name string) error{
		"size":  func(name string) error { return os.Truncate(name, Large-1) },
		"time":  func(name string) error { return os.Chtimes(name, time.Time{}, time.Unix(1, 0)) },
		"gone":  os.Remove,
		"other": func(name string) error { return replace(name) },
	} {
		dir := t.TempDir()
		first, name := file(t, dir, "f", Large), file(t, dir, "x", Large)
		var s Set
		for _, n := range []string{first, name} {
			if _, err := s.ReadFile(n); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.Changed(); got != "" {
			t.Errorf("%s: %s changed before", what, got)
		}
		if err := change(name); err != nil {
			t.Fatal(err)
		}
		if got := s.Changed(); got != name {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// replace puts another file of the same size and time in a file's place.
func replace(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+"2", make([]byte, info.Size()), 0o644); err != nil {
		return err
	}
	if err := os.Chtimes(name+"2", time.Time{}, info.ModTime()); err != nil {
		return err
	}
	return os.Rename(name+"2", name)
}

// A fault where a file shrank is an error that names it; without a change a panic is one.
func TestWatch(t *testing.T) {
	garbage(t)
	name := file(t, t.TempDir(), "x", Large)
	var s Set
	data, err := s.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	mine := errors.New("mine")
	for _, want := range []error{nil, mine} {
		if err := s.Watch(func() error { return want }); err != want {
			t.Errorf("%v, want %v", err, want)
		}
	}
	func() {
		defer func() {
			if r := recover(); r != "why" {
				t.Errorf("%v", r)
			}
		}()
		_ = s.Watch(func() error { panic("why") })
		t.Error("no panic")
	}()
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	err = s.Watch(func() error { return errors.New(string(data[Large-1:])) })
	var changed *ChangedError
	if !errors.As(err, &changed) || changed.Path != name || err.Error() != name+" changed while it was read" {
		t.Errorf("%v", err)
	}
	if was := debug.SetPanicOnFault(false); was {
		t.Error("faults stay panics")
	}
}

// A heap that is small anyway isn't touched.
func TestAsksForMore(t *testing.T) {
	for heap, want := range map[int]bool{0: false, firstHeap * 3: false, firstHeap*3 + firstHeap/100: false, firstHeap*3 + firstHeap/100 + 1: true, firstHeap * 4: true} {
		if got := asksForMore(heap); got != want {
			t.Errorf("%d: %v", heap, got)
		}
	}
	percent := garbage(t)
	if collectLate(firstHeap*3/tableShare) != nil || percent() != 100 {
		t.Errorf("%d %%", percent())
	}
	if got := collectLate(2*firstHeap + 1); len(got) != 2*firstHeap+1 {
		t.Errorf("%d bytes", len(got))
	}
}
