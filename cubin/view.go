package cubin

import "github.com/twinlink/twinlink/cuda"

// View returns a file over the same bytes whose section headers edit has
// changed. Nothing of f changes. It serves readers of one side of a file that
// holds two: what belongs to the other side is edited to NULL, and a name may
// begin later in the same string.
func (f *File) View(edit func(i int, s *Section)) (*File, error) {
	v := &File{Name: f.Name, Data: f.Data, Header: f.Header, shnum: f.shnum, shstr: f.shstr, types: make([]cuda.SectionType, f.shnum)}
	v.shdrs = append([]byte(nil), f.shdrs...)
	var s Section // one for all: edit makes it escape
	for i := 1; i < f.shnum; i++ {
		s = f.Section(i)
		edit(i, &s)
		v.types[i] = s.Type
		if uint64(s.NameOff) >= uint64(len(f.shstr)) {
			return nil, f.fault(BadName, "", f.Header.ShOff+uint64(i)*SectionSize, uint64(s.NameOff), "section %d: name outside the string table", i)
		}
		if !s.NoBits() {
			if _, ok := Window(f.Data, s.Off, s.Size); !ok {
				return nil, f.fault(BadExtent, v.SectionName(&s), s.Off, s.Size, "section %d of that many bytes", i)
			}
		}
		s.Put((*[SectionSize]byte)(v.shdrs[i*SectionSize:]))
	}
	if err := v.openSymbols(); err != nil {
		return nil, err
	}
	return v, nil
}
