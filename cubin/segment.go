package cubin

import "github.com/twinlink/twinlink/cuda"

// Program headers cover their own table, or a run of sections that are loaded
// (ALLOC) and have the segment's permissions: to write alone in images of
// toolkits up to 12.x and of nvlink 13.0 for sm_75 to sm_90a, to write and to
// execute elsewhere. p_memsz is p_filesz and the sections without bytes, laid
// out as if the first of them began at 0.
//
// Source: ptxas and nvlink 11.8.89 to 13.5.37.

// segment is a program header and what it covers.
type segment struct {
	Prog
	covers      cover
	byExec      bool // permissions to execute divide runs too
	first, last int  // sections, where covers is coverRun
}

type cover uint8

const (
	coverUnknown cover = iota // can't be laid out again
	coverNothing              // nothing, and it stays where it is
	coverTable                // the table of program headers
	coverRun
)

// maxSegments bounds the work on program headers; the tools write at most 6.
const maxSegments = 64

// openSegments finds out what the program headers of the input cover.
func (d *Editor) openSegments(progs []Prog) {
	d.progs = make([]segment, len(progs))
	for i, p := range progs {
		if i < maxSegments {
			d.progs[i] = d.openSegment(p)
		} else {
			d.progs[i] = segment{Prog: p}
		}
	}
}

func (d *Editor) openSegment(p Prog) segment {
	s := segment{Prog: p}
	switch {
	case p.Off == d.Header.PhOff && p.FileSz == uint64(d.Header.PhNum)*ProgSize && p.MemSz == p.FileSz:
		s.covers = coverTable
		return s
	case p.FileSz == 0 && p.MemSz == 0:
		s.covers = coverNothing
		return s
	}
	for i := 1; i < len(d.parts); i++ {
		if q := &d.parts[i]; q.Off != p.Off || !q.loaded() || q.Flags&cuda.SHFWrite != writable(p.Flags) {
			continue
		}
		for _, s.byExec = range []bool{false, true} {
			s.first, s.last = i, d.runEnd(i, s.byExec)
			if file, mem := d.runSize(&s); file == p.FileSz && mem == p.MemSz {
				s.covers = coverRun
				return s
			}
		}
		break
	}
	return s
}

func writable(flags uint32) cuda.SectionFlags {
	if flags&PFWrite != 0 {
		return cuda.SHFWrite
	}
	return 0
}

// loaded reports whether a segment may cover the section.
func (p *Part) loaded() bool {
	return p.Flags&cuda.SHFAlloc != 0 && p.Flags&cuda.SHFMercury == 0
}

// permissions returns the flags that divide runs.
func (p *Part) permissions(byExec bool) cuda.SectionFlags {
	if byExec {
		return p.Flags & (cuda.SHFWrite | cuda.SHFExec)
	}
	return p.Flags & cuda.SHFWrite
}

// runEnd returns the last section of the run that begins with section i.
func (d *Editor) runEnd(i int, byExec bool) int {
	want := d.parts[i].permissions(byExec)
	for ; i+1 < len(d.parts); i++ {
		if next := &d.parts[i+1]; !next.loaded() || next.permissions(byExec) != want {
			break
		}
	}
	return i
}

// runSize returns p_filesz and p_memsz of a run.
func (d *Editor) runSize(s *segment) (file, mem uint64) {
	extra := uint64(0)
	for i := s.first; i <= s.last; i++ {
		p := &d.parts[i]
		file = p.Off - d.parts[s.first].Off
		if p.NoBits() {
			extra, _ = roundUp(extra, p.Align)
			extra += p.Size
		} else {
			file += p.Size
		}
	}
	return file, file + extra
}

// placeSegments sets the program headers by what they cover now.
func (d *Editor) placeSegments() error {
	for i := range d.progs {
		s := &d.progs[i]
		switch s.covers {
		case coverTable:
			s.Off = d.Header.PhOff
			s.FileSz = uint64(len(d.progs)) * ProgSize
			s.MemSz = s.FileSz
		case coverRun:
			s.Off = d.parts[s.first].Off
			s.FileSz, s.MemSz = d.runSize(s)
		case coverUnknown:
			return d.src.fault(BadTable, "", d.Header.PhOff+uint64(i)*ProgSize, s.Off, "program header %d doesn't cover consecutive sections; it can't be laid out", i)
		}
	}
	return nil
}

// Progs returns the program headers as they will be written.
func (d *Editor) Progs() []Prog {
	list := make([]Prog, len(d.progs))
	for i := range d.progs {
		list[i] = d.progs[i].Prog
	}
	return list
}

// growSegments takes a section that was put in at index i into the run that
// it is in or beside.
func (d *Editor) growSegments(i int) {
	p := &d.parts[i]
	for k := range d.progs {
		s := &d.progs[k]
		if s.covers != coverRun || !p.loaded() {
			continue
		}
		switch {
		case i == s.last+1 && p.permissions(s.byExec) == d.parts[s.last].permissions(s.byExec):
			s.last = i
			return
		case i == s.first-1 && p.permissions(s.byExec) == d.parts[s.first].permissions(s.byExec):
			s.first = i
			return
		}
	}
}

// renumberSegments follows the sections to their new numbers; a run of which
// nothing is left goes.
func (d *Editor) renumberSegments(moved []int) {
	kept := d.progs[:0]
	for _, s := range d.progs {
		if s.covers == coverRun {
			first, last := 0, 0
			for i := s.first; i <= s.last; i++ {
				if n := moved[i]; n != 0 {
					if first == 0 {
						first = n
					}
					last = n
				}
			}
			if first == 0 {
				continue
			}
			s.first, s.last = first, last
		}
		kept = append(kept, s)
	}
	d.progs = kept
}
