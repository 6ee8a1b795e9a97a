package model

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/twinlink/twinlink/cuda"
)

// InfoLeast is the size of the records that .nv.info mostly consists of.
const InfoLeast = 12

// NamesSymbol reports whether an attribute's first word is a symbol index.
func NamesSymbol(a cuda.InfoAttr) bool {
	switch a {
	case cuda.AttrImageSlot, cuda.AttrImageOffset, cuda.AttrImageSize, cuda.AttrTextureNormalized,
		cuda.AttrSamplerInit, cuda.AttrParamCbank, cuda.AttrFrameSize, cuda.AttrMinStackSize,
		cuda.AttrSamplerForceUnnormalized, cuda.AttrBindlessImageOffsets, cuda.AttrKparamInfo,
		cuda.AttrMaxStackSize, cuda.AttrLoadCacheRequest, cuda.AttrRegcount, cuda.AttrSamRegionStackSize,
		cuda.AttrKparamInfoV2:
		return true
	}
	return false
}

// Attribute is a record of .nv.info or .nv.info.<f>. Where the attribute names a
// symbol, sym (or, for EXTERNS, a list) stands for the word of data. A link has some
// ten of them for each function: they are kept small.
type Attribute struct {
	payload *byte // Value bytes; nil for none
	Sym     SymID
	List    ListID
	Value   uint16
	Format  cuda.InfoFormat
	Attr    cuda.InfoAttr
	Gone    bool
}

// SetData gives a record of format 4 its payload.
func (r *Attribute) SetData(b []byte) { r.payload, r.Value = unsafe.SliceData(b), uint16(len(b)) }

// Data returns the payload.
func (r *Attribute) Data() []byte {
	if r.payload == nil {
		return nil
	}
	return unsafe.Slice(r.payload, int(r.Value))
}

// SaysUnbounded reports whether a record says that a function's stack is unknown.
func (r *Attribute) SaysUnbounded() bool {
	return r.Attr == cuda.AttrMinStackSize && r.Word(1) == 1<<32-1
}

// ListID numbers a list of symbols in linker.symLists: few records have one,
// and a slice would make each of them half as large again. 0 is none.
type ListID int32

// NewSymList keeps a list of symbols.
func (l *Program) NewSymList(list []SymID) ListID {
	l.symLists = append(l.symLists, list)
	return ListID(len(l.symLists))
}

// SymList returns the list of a number.
func (l *Program) SymList(id ListID) []SymID {
	if id == 0 {
		return nil
	}
	return l.symLists[id-1]
}

// AttributeLists are the records of an .nv.info.<f>.
type AttributeLists struct {
	Read  []Attribute // in reading order
	Added []Attribute // those the link adds at the end
}

// Records returns those that inputs gave.
func (s *Parts) Records() []Attribute {
	if s.Info == nil {
		return nil
	}
	return s.Info.Read
}

// Added returns those that the link added.
func (s *Parts) Added() []Attribute {
	if s.Info == nil {
		return nil
	}
	return s.Info.Added
}

// InfoOf returns the lists of an .nv.info.<f>, to change them.
func (l *Program) InfoOf(id SecID) *AttributeLists {
	s := &l.Parts[id]
	if s.Info == nil {
		s.Info = &l.infoLists.List(1)[:1][0]
	}
	return s.Info
}

// Word returns the i-th u32 of a payload, 0 past its end.
func (r *Attribute) Word(i int) uint32 {
	data := r.Data()
	if 4*i+4 > len(data) {
		return 0
	}
	return binary.LittleEndian.Uint32(data[4*i:])
}

// SetWord changes the i-th u32 of a payload, in a copy: payloads are views of
// the inputs.
func (r *Attribute) SetWord(i int, w uint32) {
	data := slices.Clone(r.Data())
	if 4*i+4 > len(data) {
		return
	}
	binary.LittleEndian.PutUint32(data[4*i:], w)
	r.SetData(data)
}

// Attribute returns the record of an attribute in an .nv.info.<f>. A second name of
// a kernel has no such section.
func (l *Program) Attribute(id SecID, attr cuda.InfoAttr) *Attribute {
	if id == Absent {
		return nil
	}
	records := l.Parts[id].Records()
	for i := range records {
		if r := &records[i]; r.Attr == attr && !r.Gone {
			return r
		}
	}
	return nil
}

func (l *Program) AppendAttribute(id SecID, r Attribute) {
	info := l.InfoOf(id)
	info.Added = append(info.Added, r)
}
