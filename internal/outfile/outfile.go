// Package outfile writes the files that a command makes: all of them, or none.
package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// File is a file to write: its data, or what was written already.
type File struct {
	Path string
	Data []byte
	Made *Streamed
}

// placed is a file that is written beside its place and waits to be renamed.
type placed struct{ temporary, path, given string }

// Write writes all files or none: each is written beside its place first,
// and renamed when all of them are. Its error is a *fs.PathError that names
// the file as it was given.
func Write(files []File) error {
	var waiting []placed
	defer func() {
		for _, p := range waiting {
			_ = os.Remove(p.temporary)
		}
	}()
	for _, f := range files {
		p, err := writeBeside(f)
		if err != nil {
			return &fs.PathError{Op: "write", Path: f.Path, Err: err}
		}
		if p.temporary != "" {
			waiting = append(waiting, p)
		}
	}
	for len(waiting) > 0 {
		p := waiting[0]
		if err := os.Rename(p.temporary, p.path); err != nil {
			return &fs.PathError{Op: "rename", Path: p.given, Err: err}
		}
		waiting = waiting[1:]
	}
	return nil
}

// writeBeside writes a file under a temporary name. What isn't a regular
// file, such as /dev/stdout, is written to where it is, and nothing waits.
func writeBeside(f File) (placed, error) {
	if f.Made != nil {
		return f.Made.finish()
	}
	target, mode, err := targetOf(f.Path)
	if err != nil {
		return placed{}, err
	}
	if mode&fs.ModeType != 0 {
		return placed{}, writeInPlace(target, f.Data)
	}
	temporary, err := createWith(target, mode)
	if err != nil {
		return placed{}, err
	}
	_, err = temporary.Write(f.Data)
	return closeBeside(temporary, target, f.Path, err)
}

// targetOf returns what a path names, and the mode of what is there: 0 where
// nothing is.
func targetOf(path string) (target string, mode fs.FileMode, err error) {
	if target, err = followLink(path); err != nil {
		return "", 0, err
	}
	switch info, err := os.Stat(target); {
	case errors.Is(err, fs.ErrNotExist):
		return target, 0, nil
	case err != nil:
		return "", 0, err
	case info.IsDir():
		return "", 0, fs.ErrInvalid
	case info.Mode().IsRegular():
		return target, info.Mode().Perm(), writable(target)
	default:
		return target, info.Mode(), nil
	}
}

// createWith makes a new file beside path, with a mode where that isn't 0.
func createWith(path string, mode fs.FileMode) (*os.File, error) {
	f, err := create(path)
	if err == nil && mode != 0 {
		if err = f.Chmod(mode); err != nil {
			_, err = closeBeside(f, "", "", err)
		}
	}
	return f, err
}

// closeBeside closes a temporary file, and removes it after an error.
func closeBeside(f *os.File, target, given string, err error) (placed, error) {
	name := f.Name()
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(name)
		return placed{}, err
	}
	return placed{name, target, given}, nil
}

// maxLinks is how many symbolic links are followed.
const maxLinks = 40

// followLink returns what a path names when it is a symbolic link, which is
// then kept; the target need not exist.
func followLink(path string) (string, error) {
	if path == "" {
		return "", fs.ErrNotExist
	}
	for range maxLinks {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fs.ErrInvalid
}

func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func writeInPlace(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// create makes a new file beside path with the mode a new file has.
func create(path string) (*os.File, error) {
	folder, base := filepath.Split(path)
	for i := 0; ; i++ {
		name := folder + "." + base + "." + strconv.Itoa(os.Getpid()) + "." + strconv.Itoa(i) + ".tmp"
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || i == 1000 {
			return f, err
		}
	}
}
