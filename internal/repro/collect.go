package repro

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// File is a file to pack.
type File struct {
	Path string // on the disk
	Name string // in the pack, with slashes, relative
}

// outputs are options whose value is a file that the run writes. It is not
// packed, and where it lies elsewhere the run that is played back writes into its
// own folder.
var outputs = []string{"-o", "--output-file", "-output-file", "--report", "--out-sass", "--register-link-binaries", "-register-link-binaries",
	"--dot-file", "-dot-file", "-time", "--time"}

// Collect finds the files that a command line names, as far as they exist, and
// returns the command line with their names in the pack. more are files that it
// names by another way: in an options file, or as -l of a folder.
func Collect(args, more []string) (rewritten []string, files []File) {
	c := &collector{names: map[string]string{}}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case slices.Contains(outputs, name) && joined:
			arg = name + "=" + inside(value)
		case slices.Contains(outputs, name) && i+1 < len(args):
			c.args = append(c.args, arg)
			i++
			arg = inside(args[i])
		case strings.HasPrefix(arg, "-L") && len(arg) > 2 && isFolder(arg[2:]):
			arg = "-L" + local(arg[2:])
		case joined && strings.HasPrefix(name, "-"):
			arg = name + "=" + c.value(value)
		default:
			arg = c.value(arg)
		}
		c.args = append(c.args, arg)
	}
	for _, path := range more {
		if isFile(path) {
			c.file(path)
		}
	}
	return c.args, c.files
}

type collector struct {
	args  []string
	files []File
	names map[string]string // by path
}

func (c *collector) value(v string) string {
	switch {
	case isFile(v):
		return c.file(v)
	case isFolder(v):
		return local(v)
	}
	return v
}

// file notes a file and returns its name in the pack.
func (c *collector) file(path string) string {
	name, known := c.names[path]
	if !known {
		name = c.unused(local(path))
		c.names[path] = name
		c.files = append(c.files, File{path, filepath.ToSlash(name)})
	}
	return name
}

// unused makes a name that no other file has.
func (c *collector) unused(name string) string {
	for n := 0; ; n++ {
		candidate := name
		if n > 0 {
			candidate = filepath.Join(strconv.Itoa(n), name)
		}
		if !slices.ContainsFunc(c.files, func(f File) bool { return f.Name == filepath.ToSlash(candidate) }) {
			return candidate
		}
	}
}

// local makes a path one that stays below a folder: the whole of a relative path,
// the last element of another. Messages name inputs by their paths as given.
func local(path string) string {
	clean := filepath.Clean(path)
	if filepath.IsLocal(clean) {
		return clean
	}
	return filepath.Base(clean)
}

func inside(path string) string {
	if path == "-" || path == os.DevNull {
		return path
	}
	return local(path)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
