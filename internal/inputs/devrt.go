package inputs

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
)

// runtime is what is known of the device runtime. nvlink takes every object
// whose path contains "cudadevrt" for a part of it, be it a folder's name: a
// cubin, a host object, a fatbinary, a member of an archive. Such an object is
// linked only where a function is called that no object before it defines, and
// after one that is omitted no other object may come.
type runtime struct {
	leftOut bool // an object has been omitted
	warned  bool
}

// isDevrt reports whether nvlink takes an object for a part of the device
// runtime, by its path.
func (s *Set) isDevrt(name string) bool {
	return inDevrt(name) && !s.cmd.Given(cmdline.KeepSystemLibraries)
}

func inDevrt(name string) bool { return strings.Contains(name, "cudadevrt") }

// passedOver reports whether an archive is ignored because it is before all
// other device code. nvlink does so whether its members are to be kept or not.
func (s *Set) passedOver(name string) bool {
	if !inDevrt(name) || s.opened || !s.cmd.Release.SkipsDevrtFirst() {
		return false
	}
	if s.cmd.Given(cmdline.KeepSystemLibraries) || !namedDevrt(name) {
		s.leave(name, "it comes before all other device code")
	}
	return true
}

// unneeded reports whether an object is a part of the device runtime that
// nothing calls for, so that it is omitted.
func (s *Set) unneeded(name string) bool {
	if !s.isDevrt(name) || s.wantsFunctions() {
		return false
	}
	s.devrt.leftOut = true
	if !namedDevrt(name) {
		s.leave(name, "nothing calls the device runtime; --keep-system-libraries links it")
	}
	return true
}

// checkUnneeded says what is wrong with a fatbinary that is omitted: nvlink unpacks its piece for
// the target, and refuses one of a newer toolkit, and after a whole program one of an older.
func (s *Set) checkUnneeded(name string, members []container.Member) []engine.Diagnostic {
	if s.virtual {
		return nil
	}
	m := container.Choose(members, s.target, s.cmd.Release.Toolkit())
	if m == nil || m.Kind != container.Cubin {
		return nil
	}
	data, broken := s.unpack(name, m)
	if broken != nil {
		return broken
	}
	switch toolkit := cmdline.ToolkitOf(data); {
	case toolkit > s.cmd.Release.Toolkit():
		s.Unlinked = append(s.Unlinked, engine.Input{Name: name, Data: data})
	case toolkit < s.cmd.Release.Toolkit() && slices.ContainsFunc(s.Objects, isWhole):
		return fatal(name, "linking with -ewp objects requires using current toolkit")
	}
	return nil
}

// isWhole reports whether an object is a whole program (-ewp).
func isWhole(in engine.Input) bool {
	kind, ok := cubin.Window(in.Data, 16, 2)
	return ok && binary.LittleEndian.Uint16(kind) == cuda.ETEwp
}

// leave warns of the first input that is omitted.
func (s *Set) leave(name, why string) {
	if s.devrt.warned {
		return
	}
	s.devrt.warned = true
	s.Lost = append(s.Lost, engine.Diagnostic{Severity: engine.Warning, Kind: engine.Lost, File: name,
		Text: fmt.Sprintf("'%s' is omitted, as with nvlink: its path contains 'cudadevrt', and %s", name, why)})
}

// namedDevrt reports whether a file, or the archive of a member, is called as
// NVIDIA's library is.
func namedDevrt(name string) bool {
	file, _, _ := strings.Cut(name, ".a:")
	return strings.HasPrefix(file[strings.LastIndexByte(file, '/')+1:], "libcudadevrt")
}

// late refuses an object of another name after one that was omitted.
func (s *Set) late() []engine.Diagnostic {
	if !s.devrt.leftOut {
		return nil
	}
	return fatal("", "unexpected object after cudadevrt")
}
