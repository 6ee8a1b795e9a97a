package mercury

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// Functions inside the code of a kernel, as -ewp compiles them, have FDEs of their own, which name the
// kernel and a place in it. So the kernel's own ends where they begin.

// frameName is the function of an FDE on the SASS side of an input: a symbol and a place in its code.
type frameName struct {
	symbol uint32
	at     uint64
}

// frameBase is where the function of an FDE begins: in Mercury, and on the SASS side of the input and of
// the output.
type frameBase struct{ merc, was, is uint64 }

// frameBase finds a function inside by its place in Mercury.
func (fn *code) frameBase(merc uint64) frameBase {
	b := frameBase{merc: merc, was: uint64(fn.cap.SASSSize()), is: fn.sassOf(merc)}
	if i := fn.node(merc); i >= 0 && merc < uint64(fn.cap.MercSize) {
		b.was = uint64(fn.words[i].SASS)
	}
	return b
}

// hasNested reports whether functions are inside some code.
func (l *Backend) hasNested(text model.SecID) bool {
	if !l.Nested {
		return false
	}
	l.findNested.Do(func() {
		l.nested = make([]bool, len(l.Secs))
		for i := range l.Funs {
			if l.IsNested(model.FunID(i)) {
				l.nested[l.Funs[i].Text] = true
			}
		}
	})
	return l.nested[text]
}

// length returns how much SASS an FDE is about.
func (e *frameEntry) length() uint64 {
	if !e.shared {
		return uint64(e.fn.cap.SASSSize())
	}
	return e.fn.sassOf(e.base.merc+binary.LittleEndian.Uint64(e.bytes[frameProgram-8:])) - e.base.is
}

// within returns the points of an FDE's own function, counted from where it begins.
func (e *frameEntry) within(points []framePoint) []framePoint {
	if !e.shared {
		return points
	}
	var list []framePoint
	for _, p := range points {
		if p.at >= e.base.is && p.at-e.base.is < e.length() {
			list = append(list, framePoint{at: p.at - e.base.is, ops: p.ops})
		}
	}
	return list
}

// placeWithin gives the records of an entry of the Mercury side their places.
func (f frameRecords) placeWithin(from, size, to uint64) {
	for i := range f {
		if off := f[i].off - from; off < size {
			f[i].place = to + off
		}
	}
}

// nestedInfo is .nv.info of the SASS side: all functions of one piece of code have the frame that is told last of
// one of them.
//
// Source: 9 programs by ptxas -ewp of 13.0.88 to 13.5.37 for sm_100 through their nvlink.
func (l *Backend) nestedInfo(info []byte) []byte {
	if !l.Nested {
		return info
	}
	last := make(map[model.SecID][]byte)
	l.eachFact(info, func(attr cuda.InfoAttr, f model.FunID, word []byte) {
		if text := l.Funs[f].Text; attr == cuda.AttrFrameSize && text >= 0 && l.hasNested(text) {
			last[text] = word
		}
	})
	out := slices.Clone(info)
	l.eachFact(out, func(attr cuda.InfoAttr, f model.FunID, word []byte) {
		if from := last[l.Funs[f].Text]; attr == cuda.AttrFrameSize && from != nil {
			copy(word, from)
		}
	})
	return out
}
