package inputs

import (
	"os"
	"strings"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
)

// Library looks for -lNAME in the folders of -L, as nvlink does before it opens
// any input: path is "" where none is found, which is no fault. What is no archive,
// or has no host object, is skipped with a warning.
func (s *Set) Library(name string) (path string, said []engine.Diagnostic) {
	for _, folder := range s.cmd.LibraryPaths {
		path := LibraryFile(folder, name)
		data, err := s.reader.Read(path)
		if err != nil {
			continue
		}
		if j := cmdline.NoLibrary(s.cmd.Release, path, data); j.Messages != nil {
			return "", append(said, j.Messages...)
		}
		if container.IsArchive(data) { // libm.a of glibc is a script
			if s.cmd.Failed {
				return "", append(said, afterError("", "internal")...)
			}
			f := s.reader.parts(path)
			if f.fault != nil {
				return "", append(said, cmdline.BadArchive(s.cmd.Release, path).Messages...)
			}
			if holdsHostObject(f) {
				return path, said
			}
		}
		d, warned := s.cmd.Warn(engine.BadOption, "Skipping incompatible '%s' when searching for -l%s", path, name)
		if warned {
			d.File = path
			said = append(said, d)
			s.cmd.Failed = s.cmd.Failed || d.Severity == engine.Error
		}
	}
	return "", said
}

// LibraryFile returns the file that -lNAME means in a folder.
func LibraryFile(folder, name string) string {
	return strings.TrimSuffix(folder, "/") + "/lib" + name + ".a"
}

// Files returns the files that a command line reads: its inputs and the
// libraries that are there.
func Files(p *cmdline.Preview) []string {
	names := append([]string(nil), p.Inputs...)
	for _, lib := range p.Libraries {
		for _, folder := range p.LibraryPaths {
			path := LibraryFile(folder, lib)
			if _, err := os.Stat(path); err == nil {
				names = append(names, path)
				break
			}
		}
	}
	return names
}

func holdsHostObject(f *file) bool {
	for i := range f.objects {
		if p := &f.objects[i]; p.host != nil || p.fault != nil {
			return true
		}
	}
	return false
}
