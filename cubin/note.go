package cubin

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cuda"
)

// Notes, from 13.0 on. A note is {u32 namesz, u32 descsz, u32 type, name,
// desc}, both parts padded to four bytes. tkinfo's desc is
//
//	u32 version = 2
//	u32 object, tool, version, build, options   offsets into the strings
//	strings, each with its NUL                  from desc+24

// Note is one note; Desc is a view of the section.
type Note struct {
	Type uint32
	Name string
	Desc []byte
}

// Notes returns the notes of a section.
func (f *File) Notes(s *Section) ([]Note, error) { return f.notes(f.SectionName(s), f.Content(s)) }

func (f *File) notes(section string, data []byte) ([]Note, error) {
	var notes []Note
	for pos := uint64(0); pos < uint64(len(data)); {
		head, ok := Window(data, pos, 12)
		if !ok {
			return nil, f.fault(BadRecord, section, pos, uint64(len(data)), "a note's header is cut short")
		}
		namesz := uint64(binary.LittleEndian.Uint32(head))
		descsz := uint64(binary.LittleEndian.Uint32(head[4:]))
		name, ok := Window(data, pos+12, namesz)
		if !ok {
			return nil, f.fault(BadRecord, section, pos, namesz, "a note's name goes past the section")
		}
		at := pos + 12 + (namesz+3)&^3
		desc, ok := Window(data, at, descsz)
		if !ok {
			return nil, f.fault(BadRecord, section, at, descsz, "a note's description goes past the section")
		}
		notes = append(notes, Note{binary.LittleEndian.Uint32(head[8:]), viewString(name), desc})
		pos = at + (descsz+3)&^3
	}
	return notes, nil
}

// Cuinfo is the content of .note.nv.cuinfo.
type Cuinfo struct {
	Version uint16
	SM      uint16
	API     uint32 // CUDA API version: 130 for 13.0
}

// Cuinfo decodes a note of type NoteTypeCuinfo.
func (n *Note) Cuinfo() (Cuinfo, bool) {
	b, ok := Window(n.Desc, 0, 8)
	if !ok || n.Type != cuda.NoteTypeCuinfo {
		return Cuinfo{}, false
	}
	le := binary.LittleEndian
	return Cuinfo{le.Uint16(b), le.Uint16(b[2:]), le.Uint32(b[4:])}, true
}

// AppendCuinfo appends a cuinfo description to b.
func AppendCuinfo(b []byte, c Cuinfo) []byte {
	b = binary.LittleEndian.AppendUint16(b, c.Version)
	b = binary.LittleEndian.AppendUint16(b, c.SM)
	return binary.LittleEndian.AppendUint32(b, c.API)
}

// Tkinfo is the content of one note of .note.nv.tkinfo.
type Tkinfo struct {
	Version uint32
	Object  string // name of the object, "" without -g
	Tool    string // ptxas, nvlink
	Release string // Cuda compilation tools, release 13.0, V13.0.88
	Build   string
	Options string // each "-name value "
}

// Tkinfo decodes a note of type NoteTypeTkinfo.
func (n *Note) Tkinfo() (Tkinfo, bool) {
	head, ok := Window(n.Desc, 0, 24)
	if !ok || n.Type != cuda.NoteTypeTkinfo {
		return Tkinfo{}, false
	}
	block, _ := Window(n.Desc, 24, uint64(len(n.Desc)-24))
	t := Tkinfo{Version: binary.LittleEndian.Uint32(head)}
	for i, field := range []*string{&t.Object, &t.Tool, &t.Release, &t.Build, &t.Options} {
		s, ok := cString(block, uint64(binary.LittleEndian.Uint32(head[4+4*i:])))
		if !ok {
			return Tkinfo{}, false
		}
		*field = s
	}
	return t, true
}

// AppendNote appends a note to b, its parts padded with zeros to four bytes.
func AppendNote(b []byte, typ uint32, name string, desc []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(name)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(desc)))
	b = binary.LittleEndian.AppendUint32(b, typ)
	b = pad4(append(b, name...), len(name))
	return pad4(append(b, desc...), len(desc))
}

func pad4(b []byte, n int) []byte {
	for ; n&3 != 0; n++ {
		b = append(b, 0)
	}
	return b
}

// AppendTkinfo appends a tkinfo description to b: its size is rounded up to
// four bytes, as nvlink does.
func AppendTkinfo(b []byte, t *Tkinfo) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint32(b, t.Version)
	fields := [...]string{t.Object, t.Tool, t.Release, t.Build, t.Options}
	off := uint32(0)
	for _, s := range fields {
		b = binary.LittleEndian.AppendUint32(b, off)
		off += uint32(len(s)) + 1
	}
	for _, s := range fields {
		b = append(append(b, s...), 0)
	}
	return pad4(b, len(b)-start)
}
