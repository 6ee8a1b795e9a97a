package relayout

import (
	"bytes"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Permissions of program headers.
const (
	typeLoad    = 1
	typeHeaders = 6
	readOnly    = 4
	readExecute = 5
	readWrite   = 6
)

// load is a program header.
type load struct {
	kind, flags         uint32
	at, inFile, inTotal uint64
}

// write writes the file. With shuffled its parts lie in another order, with padding; with single each section that
// is loaded has a program header of its own.
func (f *file) write(shuffled, single bool) []byte {
	order := f.order(shuffled)
	out := bytes.Clone(f.header)
	pad := func(align uint64) {
		if shuffled {
			out = append(out, make([]byte, 16*f.r.IntN(5))...)
		}
		for align > 1 && uint64(len(out))%align != 0 {
			out = append(out, 0)
		}
	}
	rows := func() {
		pad(8)
		little.PutUint64(out[40:], uint64(len(out)))
		out = append(out, make([]byte, rowSize*len(f.sections))...)
	}
	if shuffled {
		rows()
	}
	names := f.sectionNames(shuffled)
	for _, s := range order {
		switch {
		case s.number == 0 || s.first != nil:
			continue
		case shuffled && f.r.IntN(4) == 0:
			s.align = max(s.align, 1) * 2
			fallthrough
		case loaded(s) && f.segments:
			for s.align > 1 && uint64(len(out))%s.align != 0 {
				out = append(out, 0)
			}
		default:
			pad(s.align)
		}
		s.at = uint64(len(out))
		out = append(out, s.body...)
	}
	if !shuffled {
		rows()
	}
	for _, s := range f.sections {
		if s.first != nil {
			s.at, s.size = s.first.at, s.first.size
		}
		f.writeRow(out[little.Uint64(out[40:])+rowSize*uint64(s.number):], s, names[s])
	}
	if f.segments {
		pad(8)
		out = f.writeSegments(out, order, single)
	}
	return out
}

// order is that of the sections in the file: what is loaded together lies together.
func (f *file) order(shuffled bool) []*section {
	list := slices.Clone(f.sections)
	if shuffled {
		f.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	slices.SortStableFunc(list, func(a, b *section) int { return rank(a) - rank(b) })
	return list
}

func rank(s *section) int {
	switch {
	case !loaded(s):
		return 0
	case mercury(s):
		return 1
	case s.flags&cuda.SHFWrite == 0 && s.flags&cuda.SHFExec != 0:
		return 2
	case s.flags&cuda.SHFWrite == 0:
		return 3
	case !noBits(s.kind):
		return 4
	}
	return 5
}

// sectionNames writes the table of the sections' names.
func (f *file) sectionNames(shuffled bool) map[*section]uint32 {
	n := names{at: map[string]uint32{}, text: []byte{0}}
	at := map[*section]uint32{}
	list := slices.Clone(f.sections)
	if shuffled {
		f.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	for _, s := range list {
		at[s] = n.add(s.name)
	}
	table := f.sections[little.Uint16(f.header[62:])]
	table.body, table.size = n.text, uint64(len(n.text))
	return at
}

func (f *file) writeRow(row []byte, s *section, name uint32) {
	if s.number == 0 {
		return
	}
	little.PutUint32(row, name)
	little.PutUint32(row[4:], uint32(s.kind))
	little.PutUint64(row[8:], uint64(s.flags))
	little.PutUint64(row[16:], s.addr)
	little.PutUint64(row[24:], s.at)
	little.PutUint64(row[32:], s.size)
	little.PutUint32(row[40:], s.link)
	little.PutUint32(row[44:], s.info)
	little.PutUint64(row[48:], s.align)
	little.PutUint64(row[56:], s.entry)
}

// writeSegments appends the program headers.
func (f *file) writeSegments(out []byte, order []*section, single bool) []byte {
	var list []load
	capsules := slices.ContainsFunc(f.sections, func(s *section) bool { return s.kind == cuda.SHTCudaCapmerc })
	last, blank := uint32(0), uint64(0)
	for _, s := range order {
		if !loaded(s) || mercury(s) {
			continue
		}
		flags := permission(s, capsules && !single)
		if flags != last || single {
			list, blank = append(list, load{kind: typeLoad, flags: flags, at: s.at}), 0
		}
		last = flags
		l := &list[len(list)-1]
		l.inFile = s.at - l.at
		if noBits(s.kind) {
			blank = (blank+max(s.align, 1)-1)/max(s.align, 1)*max(s.align, 1) + s.size
		} else {
			l.inFile += s.size
		}
		l.inTotal = l.inFile + blank
	}
	if !single {
		list = withTable(list, uint64(len(out)), capsules)
	}
	little.PutUint64(out[32:], uint64(len(out)))
	little.PutUint16(out[56:], uint16(len(list)))
	for _, l := range list {
		var row [loadSize]byte
		little.PutUint32(row[0:], l.kind)
		little.PutUint32(row[4:], l.flags)
		little.PutUint64(row[8:], l.at)
		little.PutUint64(row[32:], l.inFile)
		little.PutUint64(row[40:], l.inTotal)
		little.PutUint64(row[48:], 8)
		out = append(out, row[:]...)
	}
	return out
}

// permission is that of a section: nvlink's own segment of what is read and executed has constants, the finalizer's has none.
func permission(s *section, apart bool) uint32 {
	switch {
	case s.flags&cuda.SHFWrite != 0:
		return readWrite
	case s.flags&cuda.SHFExec != 0 || !apart:
		return readExecute
	}
	return readOnly
}

// withTable adds the headers of the table of headers itself, as nvlink and its finalizer have them.
func withTable(list []load, at uint64, capsules bool) []load {
	size := uint64(loadSize * (len(list) + 2))
	table := load{kind: typeHeaders, flags: readExecute, at: at, inFile: size, inTotal: size}
	if capsules {
		table.flags = readOnly
	}
	last := table
	last.kind = typeLoad
	if capsules {
		return append([]load{table, last}, list...)
	}
	return append(append([]load{table}, list...), last)
}
