package image

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// VersionNote says what a file was made for; FirstVersionNote is what 12.8 and 12.9 call it.
const (
	VersionNote      = ".note.nv.cuinfo"
	FirstVersionNote = ".note.nv.cuver"
	toolNote         = ".note.nv.tkinfo"
)

// Release is the toolkit an image's header names: e_version up to 12.x, from
// 13.0 on the API word of .note.nv.cuinfo. Where 12.8 and 12.9 write the header of 13.0 it
// is the version of the first .note.nv.tkinfo.
func (f *Image) Release() oracle.Release {
	if f.Header.Osabi != cuda.OSABICuda13 {
		return oracle.Release(f.Header.Version)
	}
	first := false
	for i := range f.Sections {
		switch s := &f.Sections[i]; {
		case s.Name == VersionNote && len(s.Body) >= 32:
			return oracle.Release(Word(s.Body, 28))
		case s.Name == FirstVersionNote:
			first = true
		}
	}
	for i := range f.Sections {
		if s := &f.Sections[i]; first && s.Name == toolNote && len(s.Body) >= 28 {
			return oracle.Release(Word(s.Body, 24))
		}
	}
	return 130
}

func (f *Image) SM() int {
	if f.Header.Osabi != cuda.OSABICuda13 {
		return int(f.Header.Flags & cuda.EFLegacySM)
	}
	return int(f.Header.Flags & cuda.EFSMMask >> cuda.EFSMShift)
}
