package engine

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// infoRec is a record of .nv.info or .nv.info.<f>. Where the attribute names a
// symbol, sym (or, for EXTERNS, a list) stands for the word of data.
type infoRec struct {
	format cuda.InfoFormat
	attr   cuda.InfoAttr
	gone   bool
	value  uint16
	sym    symID
	list   listID
	data   []byte
}

// listID numbers a list of symbols in linker.symLists: few records have one,
// and a slice would make each of them half as large again. 0 is none.
type listID int32

// newSymList keeps a list of symbols.
func (l *linker) newSymList(list []symID) listID {
	l.symLists = append(l.symLists, list)
	return listID(len(l.symLists))
}

// symList returns the list of a number.
func (l *linker) symList(id listID) []symID {
	if id == 0 {
		return nil
	}
	return l.symLists[id-1]
}

// infoLists are the records of an .nv.info.<f>.
type infoLists struct {
	read  []infoRec // in reading order
	added []infoRec // those the link adds at the end
}

// records returns those that inputs gave.
func (s *section) records() []infoRec {
	if s.info == nil {
		return nil
	}
	return s.info.read
}

// added returns those that the link added.
func (s *section) added() []infoRec {
	if s.info == nil {
		return nil
	}
	return s.info.added
}

// infoOf returns the lists of an .nv.info.<f>, to change them.
func (l *linker) infoOf(id secID) *infoLists {
	s := &l.secs[id]
	if s.info == nil {
		s.info = &l.infoLists.list(1)[:1][0]
	}
	return s.info
}

// word returns the i-th u32 of a payload, 0 past its end.
func (r *infoRec) word(i int) uint32 {
	if 4*i+4 > len(r.data) {
		return 0
	}
	return binary.LittleEndian.Uint32(r.data[4*i:])
}

// setWord changes the i-th u32 of a payload, in a copy: payloads are views of
// the inputs.
func (r *infoRec) setWord(i int, w uint32) {
	if 4*i+4 > len(r.data) {
		return
	}
	r.data = slices.Clone(r.data)
	binary.LittleEndian.PutUint32(r.data[4*i:], w)
}
