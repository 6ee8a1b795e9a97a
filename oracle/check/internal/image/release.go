package image

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Release is the toolkit an image's header names: e_version up to 12.x, from
// 13.0 on the API word of .note.nv.cuinfo.
func (f *Image) Release() oracle.Release {
	if f.Header.Osabi != cuda.OSABICuda13 {
		return oracle.Release(f.Header.Version)
	}
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Name == ".note.nv.cuinfo" && len(s.Body) >= 32 {
			return oracle.Release(Word(s.Body, 28))
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
