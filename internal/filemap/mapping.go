// Package filemap maps large inputs instead of reading them, and sets memory up for
// what a command makes of them.
//
// The bytes of a mapped file are in memory once, in the system's cache. What a
// mapping shows may change under the reader, so a result counts only where every
// mapped file is at the end what it was at the beginning.
package filemap

import (
	"os"
	"runtime/debug"
)

// mapping is a file that is mapped.
type mapping struct {
	name string
	info os.FileInfo // when it was mapped
}

// Set are the mapped files of a command. Its zero value has none.
type Set struct {
	list    []mapping
	scratch []byte
}

// Len is how many files are mapped.
func (s *Set) Len() int { return len(s.list) }

// Map maps files that are large together, and gives each to keep. What it leaves
// out the caller reads when its turn comes, and reports what is wrong.
func (s *Set) Map(names []string, keep func(name string, data []byte)) {
	seen := make(map[string]bool, len(names))
	var found []mapping
	total := int64(0)
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > maxMapped-total {
			continue
		}
		total += info.Size()
		found = append(found, mapping{name, info})
	}
	if total < Large {
		if total >= few {
			debug.SetGCPercent(GarbagePercent)
		}
		return
	}
	s.scratch = collectLate(int(total))
	for _, m := range found {
		if data := mapFile(m.name, int(m.info.Size())); data != nil {
			keep(m.name, data)
			s.list = append(s.list, m)
		}
	}
}

// Scratch returns memory for what a command makes of large inputs, zero and in large
// pages; nil where it was asked for before, or the inputs are small.
func (s *Set) Scratch() []byte {
	b := s.scratch
	s.scratch = nil
	return b
}

// maxMapped bounds what is mapped: what Stat says of a file may be anything.
const maxMapped = 1 << 40

// ReadFile reads a file, or maps it where it is large.
func (s *Set) ReadFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err == nil && info.Mode().IsRegular() && info.Size() >= Large && info.Size() <= maxMapped {
		if data := mapFile(name, int(info.Size())); data != nil {
			s.scratch = collectLate(len(data))
			s.list = append(s.list, mapping{name, info})
			return data, nil
		}
	}
	return os.ReadFile(name)
}

// Changed returns the name of a mapped file that isn't what it was, "" for none.
func (s *Set) Changed() string {
	for _, m := range s.list {
		info, err := os.Stat(m.name)
		if err != nil || !os.SameFile(info, m.info) || info.Size() != m.info.Size() || !info.ModTime().Equal(m.info.ModTime()) {
			return m.name
		}
	}
	return ""
}

// ChangedError is a mapped file that changed while it was read.
type ChangedError struct{ Path string }

func (e *ChangedError) Error() string { return e.Path + " changed while it was read" }

// Watch runs a step that reads mapped files. A fault in memory, which is what a
// file that shrinks gives, is then an error; so is any panic where a file changed.
func (s *Set) Watch(step func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		name := s.Changed()
		if name == "" {
			panic(r)
		}
		err = &ChangedError{name}
	}()
	return step()
}
