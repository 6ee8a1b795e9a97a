package model

import (
	"bytes"

	"github.com/twinlink/twinlink/cubin"
)

// Note is a note. One of Tkinfo and Cuinfo is set where the description is of
// that form and nothing but that; else Desc has it.
type Note struct {
	Type   uint32
	Name   string
	Tkinfo *cubin.Tkinfo
	Cuinfo *cubin.Cuinfo
	Desc   []byte
}

// Notes is .note.nv.tkinfo or .note.nv.cuinfo.
type Notes struct{ List []Note }

func (*Notes) Form() string { return "notes" }

func decodeNotes(list []cubin.Note) *Notes {
	t := &Notes{List: make([]Note, len(list))}
	for i := range list {
		n := Note{Type: list[i].Type, Name: list[i].Name, Desc: list[i].Desc}
		if x, ok := list[i].Tkinfo(); ok && bytes.Equal(cubin.AppendTkinfo(nil, &x), n.Desc) {
			n.Tkinfo, n.Desc = &x, nil
		} else if x, ok := list[i].Cuinfo(); ok && len(n.Desc) == 8 {
			n.Cuinfo, n.Desc = &x, nil
		}
		t.List[i] = n
	}
	return t
}

// Append appends the notes: parts are padded with zeros to four bytes.
func (t *Notes) Append(b []byte) []byte {
	for i := range t.List {
		n := &t.List[i]
		desc := n.Desc
		switch {
		case n.Tkinfo != nil:
			desc = cubin.AppendTkinfo(nil, n.Tkinfo)
		case n.Cuinfo != nil:
			desc = cubin.AppendCuinfo(nil, *n.Cuinfo)
		}
		b = cubin.AppendNote(b, n.Type, n.Name, desc)
	}
	return b
}
