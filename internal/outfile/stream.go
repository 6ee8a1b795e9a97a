package outfile

import (
	"errors"
	"io/fs"
	"os"
	"sync"
)

// Streamed is the output of a link while the link writes it, under a temporary
// name, which it gets with its first bytes. What goes wrong is an error of Write:
// the link's own errors come first.
type Streamed struct {
	path   string // as it was given
	target string
	mode   fs.FileMode

	begin sync.Once
	file  *os.File
	mu    sync.Mutex
	err   error // the first
}

// Stream returns an output that a link can write piece by piece: a regular file,
// or one that isn't there yet. For others it returns nil.
func Stream(path string) *Streamed {
	target, mode, err := targetOf(path)
	if err != nil || mode&fs.ModeType != 0 {
		return nil
	}
	return &Streamed{path: path, target: target, mode: mode}
}

// WriteAt writes a piece.
func (s *Streamed) WriteAt(b []byte, off int64) (int, error) {
	s.begin.Do(func() { s.file, s.err = createWith(s.target, s.mode) })
	s.mu.Lock()
	failed := s.err != nil
	s.mu.Unlock()
	if failed {
		return len(b), nil
	}
	if _, err := s.file.WriteAt(b, off); err != nil {
		s.mu.Lock()
		s.err = errors.Join(s.err, err)
		s.mu.Unlock()
	}
	return len(b), nil
}

// finish closes the file, which then waits to be renamed.
func (s *Streamed) finish() (placed, error) {
	if s.file == nil {
		return placed{}, errors.Join(s.err, fs.ErrInvalid)
	}
	f := s.file
	s.file = nil
	return closeBeside(f, s.target, s.path, s.err)
}

// Discard removes what was written, unless Write has put it in place.
func (s *Streamed) Discard() {
	if s != nil && s.file != nil {
		_, _ = closeBeside(s.file, "", "", fs.ErrInvalid)
		s.file = nil
	}
}
