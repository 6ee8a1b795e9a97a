package cubin

// An Editor is a device ELF file taken apart so that it can be changed and
// written again. What is unusual about these files, and what becomes of it:
//
//   - Bytes that no header describes. ptxas and nvlink reserve room for names
//     and then drop some: zeros stay behind .shstrtab and .strtab, up to some
//     hundred bytes. They are the tail of the section before them. So is what
//     follows the last table.
//   - Two sections over one stretch of file. From sm_100 on the Mercury counterpart of
//     .nv.global.init, of the constants and of some debug sections has the
//     offset and size of its SASS counterpart. Such pairs stay one: a change of either
//     changes both.
//   - .nv.merc.nv.shared.reserved.0 of sm_110 has bytes where 13.0 wrote it, and
//     none where 13.5 did, under the same type and flags: what follows begins at
//     its own offset.
//   - Sections without bytes have an offset, and their alignment moves that of
//     the section after them (layout.go).
//   - Numbers of sections and symbols are in places that no ELF reader looks
//     for: refs.go lists them.
//
// Contents are views of the input until they are replaced. An Editor that nothing
// was done to encodes to the very bytes it was made of: Encode writes every
// part at the place its header gives. After a change of sizes, Layout gives all
// parts new places by the rule that the tools follow, under which a file of
// theirs stays as it was.
//
// Source: the layout of 34,800 cubins of ptxas and nvlink 11.8.89, 12.4.131,
// 13.0.88 and 13.5.37, sm_50 to sm_121.

// Editor is a device ELF file that can be changed.
type Editor struct {
	// Header is the ELF header as it will be written. Layout sets the places
	// and numbers of the two tables in it.
	Header Header

	src      *File
	parts    []Part
	progs    []segment
	lead     []byte // after the ELF header
	shtail   []byte // after the section headers
	phtail   []byte // after the program headers
	tableMod uint64 // alignment of the section header table
}

// Part is a section of an Editor.
type Part struct {
	// Section is the header as it will be written. Layout sets offset and size.
	Section

	data   []byte
	tail   []byte
	from   uint64 // offset of data in the input, while own is false
	own    bool   // data was replaced, or moved
	shared int    // the section whose bytes these are, or its own number

	hollow bool // its type has bytes in the file, it has none
}

// NoBits reports whether the section's bytes are not in the file.
func (p *Part) NoBits() bool { return p.hollow || p.Section.NoBits() }

// Editor takes the file apart. The file's bytes must not change as long as the
// editor lives.
func (f *File) Editor() *Editor {
	d := &Editor{Header: f.Header, src: f, parts: make([]Part, f.shnum), tableMod: 1}
	for i := range d.parts {
		s := f.Section(i)
		d.parts[i] = Part{Section: s, data: f.Content(&s), from: s.Off, shared: i}
	}
	d.parts[0].data = nil
	if f.Header.ShOff%tableAlign == 0 {
		d.tableMod = tableAlign
	}
	d.openSegments(f.Progs())
	d.findHollow()
	d.pairShared()
	d.takeTails()
	return d
}

// Decode opens a device ELF file and takes it apart.
func Decode(name string, data []byte) (*Editor, error) {
	f, err := Open(name, data)
	if err != nil {
		return nil, err
	}
	return f.Editor(), nil
}

// Name returns the file's name, for messages.
func (d *Editor) Name() string { return d.src.Name }

// NumSections returns the number of sections, the null one included.
func (d *Editor) NumSections() int { return len(d.parts) }

// Part returns section i, nil where there is none. Its address holds until
// sections are inserted or dropped.
func (d *Editor) Part(i int) *Part {
	if i < 0 || i >= len(d.parts) {
		return nil
	}
	return &d.parts[i]
}

// part is Part for an index that an input or a caller gave.
func (d *Editor) part(i int) (*Part, error) {
	if p := d.Part(i); p != nil && i > 0 {
		return p, nil
	}
	return nil, d.src.fault(BadIndex, "", 0, uint64(i), "no such section")
}

// SectionName returns the name of section i, "" where there is none.
func (d *Editor) SectionName(i int) string {
	p := d.Part(i)
	if p == nil {
		return ""
	}
	name, _ := cString(d.Data(d.namesIndex()), uint64(p.NameOff))
	return name
}

// namesIndex returns the section of the section names.
func (d *Editor) namesIndex() int {
	if d.Header.ShStrNdx == xindex {
		return int(d.parts[0].Link)
	}
	return int(d.Header.ShStrNdx)
}

// Lookup returns the first section of that name, 0 for none.
func (d *Editor) Lookup(name string) int {
	for i := 1; i < len(d.parts); i++ {
		if d.SectionName(i) == name {
			return i
		}
	}
	return 0
}

// Rename gives section i a name.
func (d *Editor) Rename(i int, name string) error {
	p, err := d.part(i)
	if err != nil {
		return err
	}
	off, err := d.Intern(d.namesIndex(), name)
	if err == nil {
		p.NameOff = off
	}
	return err
}

// Data returns the bytes of section i, nil where it has none. They may be a
// view of the input and must not be changed; Patch does that.
func (d *Editor) Data(i int) []byte {
	p := d.Part(i)
	if p == nil {
		return nil
	}
	return d.parts[p.shared].data
}

// SharesWith returns the section whose stretch of the file section i shares, i where
// it has its own.
func (d *Editor) SharesWith(i int) int {
	if p := d.Part(i); p != nil {
		return p.shared
	}
	return i
}

// SetData replaces the bytes of section i and of those that share them. The editor keeps b.
// Where the size changes, Layout must follow.
func (d *Editor) SetData(i int, b []byte) error {
	p, err := d.part(i)
	if err != nil {
		return err
	}
	if p.NoBits() {
		return d.src.fault(BadExtent, d.SectionName(i), 0, uint64(len(b)), "a section of type %s has no bytes", p.Type)
	}
	o := &d.parts[p.shared]
	o.data, o.own = b, true
	return nil
}

// Patch overwrites bytes of section i, and of those that share them, at an offset.
func (d *Editor) Patch(i int, off uint64, b []byte) error {
	p, err := d.part(i)
	if err != nil {
		return err
	}
	o := &d.parts[p.shared]
	if _, ok := Window(o.data, off, uint64(len(b))); !ok {
		return d.src.fault(BadExtent, d.SectionName(i), off, uint64(len(b)), "a patch of that many bytes goes past the section")
	}
	if !o.own {
		o.data, o.own = append([]byte(nil), o.data...), true
	}
	copy(o.data[off:], b)
	return nil
}

// Tail returns the bytes after section i that no header describes, nil where
// only zeros follow that alignment asks for.
func (d *Editor) Tail(i int) []byte {
	if p := d.Part(i); p != nil {
		return p.tail
	}
	return nil
}

// SetTail replaces those bytes. Layout must follow.
func (d *Editor) SetTail(i int, b []byte) error {
	p, err := d.part(i)
	if err == nil {
		p.tail = b
	}
	return err
}
