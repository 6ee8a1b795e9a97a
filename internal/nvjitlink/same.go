package nvjitlink

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// Same compares an image that nvJitLink made with one of nvlink's or the
// engine's: "" where they are the same but for what names the tool, and else the
// first place that differs, such as "section 7 .text.k: content at 0x40".
//
// What is passed over: the content and size of .note.nv.tkinfo, which say the
// tool, its build and its options; the file offsets that its size moves; and
// the bytes between sections, which nvJitLink 13 doesn't clear. The segments
// must begin and end at the same sections.
func Same(jit, other []byte) string {
	if bytes.Equal(jit, other) {
		return ""
	}
	a, err := openImage(jit)
	if err != nil {
		return "nvJitLink's image: " + err.Error()
	}
	b, err := openImage(other)
	if err != nil {
		return "the other image: " + err.Error()
	}
	// Identification, type, machine, version, entry; flags and sizes of records.
	if at := differ(jit[:0x20], other[:0x20]); at >= 0 {
		return fmt.Sprintf("header: byte 0x%x", at)
	}
	if at := differ(jit[0x30:0x40], other[0x30:0x40]); at >= 0 {
		return fmt.Sprintf("header: byte 0x%x", 0x30+at)
	}
	for i := range a.sections {
		s, t := &a.sections[i], &b.sections[i]
		name := fmt.Sprintf("section %d %s", i, a.name(s))
		if s.header != t.header {
			return name + ": header"
		}
		if a.name(s) == noteOfTool {
			continue
		}
		if s.size != t.size {
			return fmt.Sprintf("%s: size 0x%x and 0x%x", name, s.size, t.size)
		}
		if at := differ(s.data, t.data); at >= 0 {
			return fmt.Sprintf("%s: content at 0x%x", name, at)
		}
	}
	for i := range a.segments {
		s, t := &a.segments[i], &b.segments[i]
		if s.header != t.header || a.place(s) != b.place(t) {
			return fmt.Sprintf("program %d: %s and %s", i, a.place(s), b.place(t))
		}
	}
	return ""
}

// noteOfTool is the section that names the tool.
const noteOfTool = ".note.nv.tkinfo"

// differ returns the first byte in which two differ, -1 where none does.
func differ(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// image is an ELF file as far as Same looks. It reads the few fields itself: a
// reader shared with the engine would be believed about both sides at once.
type image struct {
	sections []section
	segments []segment
	names    []byte
	shoff    uint64
	phoff    uint64
	shnum    uint64
}

type section struct {
	header       [7]uint64 // name, type, flags, addr, link, info, align and entsize: all but the place
	nameAt       uint32
	offset, size uint64
	data         []byte // none where the file holds none
}

type segment struct {
	header       [4]uint64 // type and flags, vaddr, paddr, align
	offset, size uint64
}

// maxRecords is how many sections are looked at.
const maxRecords = 1 << 17

// noBits are the types of sections that hold no bytes: NOBITS, global, local,
// shared and reserved shared memory.
var noBits = []uint32{8, 0x70000007, 0x70000009, 0x7000000a, 0x70000015}

func openImage(data []byte) (*image, error) {
	le := binary.LittleEndian
	if len(data) < 64 || !bytes.HasPrefix(data, elfMagic) || data[4] != 2 || data[5] != 1 {
		return nil, fmt.Errorf("no ELF file of 64 bits")
	}
	m := &image{phoff: le.Uint64(data[0x20:]), shoff: le.Uint64(data[0x28:]), shnum: uint64(le.Uint16(data[0x3c:]))}
	phnum := uint64(le.Uint16(data[0x38:]))
	size := uint64(len(data))
	part := func(at, n uint64) []byte {
		if at > size || n > size-at {
			return nil
		}
		return data[at : at+n]
	}
	if m.shnum == 0 && m.shoff != 0 { // more than fit in 16 bits: the first section's size
		if h := part(m.shoff, 64); h != nil {
			m.shnum = le.Uint64(h[32:])
		}
	}
	if m.shnum > maxRecords {
		return nil, fmt.Errorf("%d sections", m.shnum)
	}
	table, programs := part(m.shoff, m.shnum*64), part(m.phoff, phnum*56)
	if table == nil || programs == nil {
		return nil, fmt.Errorf("a table outside the file")
	}
	for ; len(table) > 0; table = table[64:] {
		s := section{nameAt: le.Uint32(table), offset: le.Uint64(table[24:]), size: le.Uint64(table[32:])}
		kind := le.Uint32(table[4:])
		s.header = [7]uint64{
			uint64(s.nameAt)<<32 | uint64(kind), le.Uint64(table[8:]), le.Uint64(table[16:]),
			uint64(le.Uint32(table[40:])), uint64(le.Uint32(table[44:])), le.Uint64(table[48:]), le.Uint64(table[56:]),
		}
		if s.size > 0 && !slices.Contains(noBits, kind) {
			if s.data = part(s.offset, s.size); s.data == nil {
				return nil, fmt.Errorf("section %d outside the file", len(m.sections))
			}
		}
		m.sections = append(m.sections, s)
	}
	for ; len(programs) > 0; programs = programs[56:] {
		p := segment{offset: le.Uint64(programs[8:]), size: le.Uint64(programs[32:])}
		p.header = [4]uint64{le.Uint64(programs), le.Uint64(programs[16:]), le.Uint64(programs[24:]), le.Uint64(programs[48:])}
		m.segments = append(m.segments, p)
	}
	if i := int(le.Uint16(data[0x3e:])); i < len(m.sections) {
		m.names = m.sections[i].data
	}
	return m, nil
}

func (m *image) name(s *section) string {
	if int(s.nameAt) >= len(m.names) {
		return ""
	}
	text := m.names[s.nameAt:]
	if i := bytes.IndexByte(text, 0); i >= 0 {
		text = text[:i]
	}
	return string(text)
}

// place says which sections a segment begins and ends with.
func (m *image) place(p *segment) string {
	if p.offset == m.phoff && p.size > 0 {
		return "program headers"
	}
	first, last := -1, -1
	for i := range m.sections {
		s := &m.sections[i]
		if s.size == 0 || s.offset < p.offset || s.offset+uint64(len(s.data)) > p.offset+p.size || s.offset > p.offset+p.size {
			continue
		}
		if first < 0 || s.offset < m.sections[first].offset {
			first = i
		}
		if last < 0 || s.offset >= m.sections[last].offset {
			last = i
		}
	}
	return fmt.Sprintf("sections %d to %d", first, last)
}
