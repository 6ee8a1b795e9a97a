package input

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// FinalizerMark is an attribute without a name that is known, of code by finalizers from 13.2.86 on.
const FinalizerMark = cuda.InfoAttr(0x6b)

// twoFinalizers is the toolkit whose builds have two finalizers. Up to 13.2.78 it is that of 13.1; nothing else in
// a file but a note of text tells the builds apart.
//
// Source: objects of ptxas 13.2.51, 13.2.78 and 13.2.86 through nvlink 13.2.51 to 13.5.37.
const twoFinalizers = 132

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
		if rec.Attr == FinalizerMark {
			return true
		}
	}
	return false
}

// namesFirstWords is the build whose .debug_frame of the SASS side has places behind the first words of
// instructions of several, not behind their principal words.
//
// Source: objects of ptxas 13.0.48 and 13.0.88 through nvlink 13.0.48, 13.0.88 and 13.1.80 to 13.5.37.
const (
	namesFirstToolkit = 130
	namesFirstWords   = ", V13.0.48"
)

// namesFirst reports whether that build wrote the file.
func (p *pairing) namesFirst() bool {
	if p.Toolkit != namesFirstToolkit {
		return false
	}
	t, ok := toolNote(p.File)
	return ok && strings.HasSuffix(t.Release, namesFirstWords)
}
