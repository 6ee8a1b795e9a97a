//go:build unix

package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// holds is a folder's files with what they hold; links as "-> target".
func holds(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range list {
		name := filepath.Join(dir, e.Name())
		if to, err := os.Readlink(name); err == nil {
			files[e.Name()] = "-> " + to
		} else if data, err := os.ReadFile(name); err == nil {
			files[e.Name()] = string(data)
		} else {
			files[e.Name()] = "?"
		}
	}
	return files
}

func want(t *testing.T, what, dir string, files map[string]string) {
	t.Helper()
	got := holds(t, dir)
	if len(got) != len(files) {
		t.Errorf("%s: %v, want %v", what, got, files)
	}
	for name, text := range files {
		if got[name] != text {
			t.Errorf("%s: %s is %q, want %q", what, name, got[name], text)
		}
	}
}

func put(t *testing.T, name, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

// All files are written, or none: what is there stays as it is where one can't be, and nothing is left beside it.
func TestWrite(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  []string // each holds "new NAME"
		failed string   // the one that can't be written
	}{
		{"new and old", []string{"new", "old"}, ""},
		{"a folder is in the way", []string{"new", "old", "folder"}, "folder"},
		{"no folder for it", []string{"old", "gone/new"}, "gone/new"},
		{"no name", []string{"old", ""}, ""},
	} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "old"), "old", 0o640)
		if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
			t.Fatal(err)
		}
		var list []File
		for _, name := range c.files {
			path := ""
			if name != "" {
				path = filepath.Join(dir, name)
			}
			list = append(list, File{Path: path, Data: []byte("new " + name)})
		}
		err := Write(list)
		var fault *fs.PathError
		if fails := c.failed != "" || slices.Contains(c.files, ""); (err != nil) != fails || fails && (!errors.As(err, &fault) || fault.Path != list[len(list)-1].Path && c.failed != "gone/new" || c.failed == "gone/new" && fault.Path != list[1].Path || fault.Op != "write") {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil {
			want(t, c.name, dir, map[string]string{"old": "old", "folder": "?"})
			continue
		}
		want(t, c.name, dir, map[string]string{"old": "new old", "new": "new new", "folder": "?"})
		for name, mode := range map[string]fs.FileMode{"old": 0o640} {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %s has mode %v", c.name, name, info.Mode())
			}
		}
	}
}

// A symbolic link stays one: what it names is written, be it there or not.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(inner, "there"), "old", 0o600)
	for name, to := range map[string]string{"a": "inner/there", "b": "inner/none", "c": "a", "d": filepath.Join(inner, "absolute"), "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b", "d"} {
		if err := Write([]File{{Path: filepath.Join(dir, name), Data: []byte("by " + name)}}); err != nil {
			t.Error(err)
		}
	}
	want(t, "links", inner, map[string]string{"there": "by a", "none": "by b", "absolute": "by d"})
	if err := Write([]File{{Path: filepath.Join(dir, "c"), Data: []byte("by c")}}); err != nil {
		t.Error(err)
	}
	want(t, "a link to a link", inner, map[string]string{"there": "by c", "none": "by b", "absolute": "by d"})
	if err := Write([]File{{Path: filepath.Join(dir, "loop")}}); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a loop: %v", err)
	}
	want(t, "the folder", dir, map[string]string{"a": "-> inner/there", "b": "-> inner/none", "c": "-> a", "d": "-> " + filepath.Join(inner, "absolute"), "loop": "-> loop", "inner": "?"})
}

// What is no regular file is written to where it is.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	read := make(chan string)
	go func() {
		data, _ := os.ReadFile(pipe)
		read <- string(data)
	}()
	if err := Write([]File{{Path: pipe, Data: []byte("text")}}); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "text" {
		t.Errorf("%q", got)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v", info.Mode())
	}
	if Stream(pipe) != nil || Stream(dir) != nil || Stream("") != nil {
		t.Error("what is no regular file is streamed")
	}
}

// A streamed output comes to its place with Write, and leaves nothing where it is discarded.
func TestStream(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	for _, before := range []string{"", "old"} {
		if before != "" {
			put(t, path, before, 0o604)
		}
		s := Stream(path)
		for _, piece := range []struct {
			off  int64
			text string
		}{{4, "text"}, {0, "some"}} {
			if n, err := s.WriteAt([]byte(piece.text), piece.off); n != 4 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
		}
		if got := holds(t, dir)["out"]; got != before {
			t.Errorf("%q is there before it is finished", got)
		}
		if err := Write([]File{{Path: path, Made: s}}); err != nil {
			t.Error(err)
		}
		want(t, "streamed", dir, map[string]string{"out": "sometext"})
		s.Discard()
		want(t, "discarded later", dir, map[string]string{"out": "sometext"})
		if err := Write([]File{{Path: path, Made: s}}); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("written twice: %v", err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o604 {
		t.Errorf("mode %v", info.Mode())
	}
	s := Stream(path)
	if _, err := s.WriteAt([]byte("x"), 0); err != nil {
		t.Error(err)
	}
	s.Discard()
	want(t, "discarded", dir, map[string]string{"out": "sometext"})
	var none *Streamed
	none.Discard()
	// No folder: the error is Write's.
	s = Stream(filepath.Join(dir, "gone", "out"))
	if n, err := s.WriteAt([]byte("text"), 0); n != 4 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := Write([]File{{Path: "as given", Made: s}}); !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("%v", err)
	}
}

// A temporary name that is taken is left alone.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	a, err := create(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := create(path)
	if err != nil {
		t.Fatal(err)
	}
	if a.Name() == b.Name() || filepath.Dir(a.Name()) != dir || len(holds(t, dir)) != 2 {
		t.Errorf("%s, %s", a.Name(), b.Name())
	}
	for _, f := range []*os.File{a, b} {
		if _, err := closeBeside(f, "", "", fs.ErrInvalid); !errors.Is(err, fs.ErrInvalid) {
			t.Error(err)
		}
	}
	want(t, "closed after an error", dir, nil)
}
