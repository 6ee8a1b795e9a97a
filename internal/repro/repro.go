// Package repro packs what a run of twinlink needs to be run again elsewhere:
// its command line, the files that it names, and what it printed. The pack is a
// zip file.
//
//	repro.json      the command line, versions, exit status
//	stdout, stderr  what the run printed
//	files/...       the files, under the names that the command line has
//
// The same run packs to the same bytes: there are no times in it.
package repro

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Schema names the form of repro.json.
const Schema = "twinlink.repro/1"

// Limits of a pack that is read: a file from elsewhere may claim anything.
const (
	maxFiles = 100_000
	maxBytes = 4 << 30
)

// Run is one run of twinlink.
type Run struct {
	Schema  string   `json:"schema"`
	Version string   `json:"version"` // of the twinlink that ran
	Tools   []string `json:"tools,omitempty"`
	Args    []string `json:"args"` // without the program's name; files by their names in the pack
	Status  int      `json:"status"`

	Stdout []byte `json:"-"`
	Stderr []byte `json:"-"`
}

// Error is a pack that can't be read.
type Error struct {
	File string // the pack
	Part string // name of the member
	Why  string
}

func (e *Error) Error() string {
	if e.Part == "" {
		return e.File + ": " + e.Why
	}
	return fmt.Sprintf("%s: %s: %s", e.File, e.Part, e.Why)
}

const folder = "files/"

// Write packs a run with its files, which are read from the disk.
func Write(w io.Writer, run *Run, files []File) error {
	z := zip.NewWriter(w)
	text, err := json.MarshalIndent(run, "", "  ")
	if err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		data []byte
	}{{"repro.json", append(text, '\n')}, {"stdout", run.Stdout}, {"stderr", run.Stderr}} {
		if err := add(z, part.name, part.data); err != nil {
			return err
		}
	}
	for _, f := range files {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			return err
		}
		if err := add(z, folder+f.Name, data); err != nil {
			return err
		}
	}
	return z.Close()
}

func add(z *zip.Writer, name string, data []byte) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// Unpack reads a pack and puts its files into dir.
func Unpack(name, dir string) (*Run, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			return nil, err
		}
		return nil, &Error{name, "", err.Error()}
	}
	defer func() { _ = z.Close() }()
	if len(z.File) > maxFiles {
		return nil, &Error{name, "", fmt.Sprintf("%d members, at most %d are read", len(z.File), maxFiles)}
	}
	u := &unpacker{pack: name, dir: dir, left: maxBytes}
	for _, member := range z.File {
		if err := u.member(member); err != nil {
			return nil, err
		}
	}
	if u.run == nil {
		return nil, &Error{name, "repro.json", "is missing"}
	}
	u.run.Stdout, u.run.Stderr = u.stdout, u.stderr
	return u.run, nil
}

type unpacker struct {
	pack, dir      string
	left           int64 // bytes that may still be unpacked
	run            *Run
	stdout, stderr []byte
}

func (u *unpacker) member(f *zip.File) error {
	data, err := u.read(f)
	if err != nil {
		return err
	}
	switch f.Name {
	case "repro.json":
		var run Run
		if err := json.Unmarshal(data, &run); err != nil {
			return &Error{u.pack, f.Name, err.Error()}
		}
		if run.Schema != Schema {
			return &Error{u.pack, f.Name, fmt.Sprintf("schema %q, want %q", run.Schema, Schema)}
		}
		u.run = &run
		return nil
	case "stdout":
		u.stdout = data
		return nil
	case "stderr":
		u.stderr = data
		return nil
	}
	inner, ok := strings.CutPrefix(f.Name, folder)
	if !ok || !filepath.IsLocal(filepath.FromSlash(inner)) || !f.Mode().IsRegular() {
		return &Error{u.pack, f.Name, "not a file of a run"}
	}
	path := filepath.Join(u.dir, filepath.FromSlash(inner))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o666)
}

func (u *unpacker) read(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, &Error{u.pack, f.Name, err.Error()}
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(io.LimitReader(r, u.left+1))
	if err != nil {
		return nil, &Error{u.pack, f.Name, err.Error()}
	}
	if u.left -= int64(len(data)); u.left < 0 {
		return nil, &Error{u.pack, f.Name, fmt.Sprintf("more than %d bytes unpacked", int64(maxBytes))}
	}
	return data, nil
}
