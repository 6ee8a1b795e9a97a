package nvidia

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is an input by its name inside the scratch folder.
type File struct {
	// Name is relative and slash-separated. Its extension matters: nvlink reads
	// .cubin, .ptx, .fatbin, .a and (from 12 on) .o and passes over the rest.
	Name string
	Data []byte
	// Aside: the file is put there but is not named on the command line, as a
	// library that -l finds.
	Aside bool
}

// InMemory is a folder whose files are kept in memory, "" where the system has none that can be written. A run of a linker
// takes a fifth less of a processor there.
func InMemory() string {
	const shm = "/dev/shm"
	dir, err := os.MkdirTemp(shm, "witness-")
	if err != nil || os.Remove(dir) != nil {
		return ""
	}
	return shm
}

// scratch is a folder that lives as long as one run. All access to it goes
// through root, which does not follow a link out of it.
type scratch struct {
	dir  string
	root *os.Root
}

func newScratch(parent string) (*scratch, error) {
	dir, err := os.MkdirTemp(parent, "witness-")
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &scratch{dir: dir, root: root}, nil
}

func (s *scratch) remove() error {
	return errors.Join(s.root.Close(), os.RemoveAll(s.dir))
}

// put writes the inputs. Two of the same name are refused: the second would
// silently replace the first and the tool would read it twice.
func (s *scratch) put(files []File) error {
	seen := make(map[string]bool, len(files))
	for _, f := range files {
		if err := checkName(f.Name); err != nil {
			return err
		}
		if seen[f.Name] {
			return &FileNameError{f.Name, "given twice"}
		}
		seen[f.Name] = true
		if i := strings.LastIndexByte(f.Name, '/'); i >= 0 {
			if err := s.root.MkdirAll(f.Name[:i], 0o700); err != nil {
				return err
			}
		}
		if err := s.root.WriteFile(f.Name, f.Data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// get reads an output. It returns nil where there is none, where it is not a
// plain file (opening a pipe would wait for ever), and where it is larger than
// limit bytes.
func (s *scratch) get(name string, limit int64) []byte {
	info, err := s.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return nil
	}
	f, err := s.root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil
	}
	return data
}

// maxCollected bounds the files that collect reads back: libcudadevrt.a gives
// some hundred, a hostile archive as many as it likes.
const maxCollected = 4096

// collect adds to files what job.Collect matches. limit bounds each file and
// all of them together, in bytes.
func (s *scratch) collect(files map[string][]byte, job Job, limit int64) {
	inputs := make(map[string]bool, len(job.Inputs))
	for _, f := range job.Inputs {
		inputs[f.Name] = true
	}
	names, err := fs.Glob(s.root.FS(), job.Collect)
	if err != nil {
		return
	}
	for _, name := range names {
		if inputs[name] || len(files) >= maxCollected {
			continue
		}
		if data := s.get(name, limit); data != nil {
			files[name] = data
			limit -= int64(len(data))
		}
	}
}

// checkName refuses what would leave the folder or be read as an option.
func checkName(name string) error {
	switch {
	case name == "" || name == "." || !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)):
		return &FileNameError{name, "not a plain relative path"}
	case name[0] == '-':
		return &FileNameError{name, "would be taken for an option"}
	case strings.ContainsRune(name, 0):
		return &FileNameError{name, "holds a zero byte"}
	}
	return nil
}
