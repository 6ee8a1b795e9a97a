package input

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Builds of 13.2 have two finalizers. Up to 13.2.78 it is that of 13.1, whose code has no attribute of
// this number; nothing else in a file but a note of text tells the builds apart.
//
// Source: objects of ptxas 13.2.51, 13.2.78 and 13.2.86 through nvlink 13.2.51 to 13.5.37.
const (
	twoFinalizers = 132
	finalizerMark = cuda.InfoAttr(0x6b)
)

// finalizerToolkit returns the first toolkit with the finalizer that made the code of an object.
func (p *pairing) finalizerToolkit() uint32 {
	toolkit := toolkitOf(p.File)
	if toolkit == twoFinalizers && p.lacksMark() {
		return toolkit - 1
	}
	return toolkit
}

// lacksMark reports whether code on the SASS side is without the mark: that of a file is by one tool.
func (p *pairing) lacksMark() bool {
	for _, info := range p.Info {
		if info != 0 {
			return !p.isMarked(info)
		}
	}
	return false
}

// isMarked reports whether the attributes of a function have the mark.
func (p *pairing) isMarked(info uint32) bool {
	r := p.File.Info(&p.heads[info])
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		if rec.Attr == finalizerMark {
			return true
		}
	}
	return false
}

// namesFirstWords is the build whose .debug_frame of the SASS side has places behind the first words of
// instructions of several, not behind their principal words.
//
// Source: objects of ptxas 13.0.48 and 13.0.88 through nvlink 13.0.48, 13.0.88 and 13.1.80 to 13.5.37.
const namesFirstWords = ", V13.0.48"

// madeBy reports whether the tool that wrote the file calls itself so: its note is the first.
func (p *pairing) madeBy(version string) bool {
	for i := range p.heads {
		s := &p.heads[i]
		if s.Type != cuda.SHTNote || s.Flags&cuda.SHFTkinfo == 0 {
			continue
		}
		notes, err := p.File.Notes(s)
		if err != nil || len(notes) == 0 {
			continue
		}
		t, ok := notes[0].Tkinfo()
		return ok && strings.HasSuffix(t.Release, version)
	}
	return false
}
