package relayout

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// section is a section with its bytes.
type section struct {
	name         string
	kind         cuda.SectionType
	flags        cuda.SectionFlags
	addr         uint64
	size         uint64
	link, info   uint32
	align, entry uint64
	body         []byte
	number       int // in the new file
	at           uint64
	first        *section // whose bytes these are as well
}

// file is a linked file that is rewritten.
type file struct {
	header   []byte
	sections []*section // as they were numbered
	symtabs  []*section
	segments bool
	r        *rand.Rand
}

const (
	headerSize = 64
	rowSize    = 64 // of a section header
	symbolSize = 24
	loadSize   = 56 // of a program header
)

var little = binary.LittleEndian

var errTables = errors.New("relayout: no tables to read")

// open reads the tables of a file.
func open(data []byte, seed uint64) (*file, error) {
	if len(data) < headerSize {
		return nil, errTables
	}
	f := &file{header: bytes.Clone(data[:headerSize]), segments: little.Uint16(data[56:]) > 0, r: rand.New(rand.NewPCG(seed, 7))}
	at, n := little.Uint64(data[40:]), uint64(little.Uint16(data[60:]))
	if n == 0 || at > uint64(len(data)) || rowSize*n > uint64(len(data))-at {
		return nil, errTables
	}
	type place struct{ at, size uint64 }
	seen := map[place]*section{}
	for i := range n {
		row := data[at+rowSize*i:][:rowSize]
		s := &section{kind: cuda.SectionType(little.Uint32(row[4:])), flags: cuda.SectionFlags(little.Uint64(row[8:])), addr: little.Uint64(row[16:]), at: little.Uint64(row[24:]),
			size: little.Uint64(row[32:]), link: little.Uint32(row[40:]), info: little.Uint32(row[44:]), align: little.Uint64(row[48:]), entry: little.Uint64(row[56:]), number: int(i)}
		if i > 0 && !noBits(s.kind) {
			if s.at > uint64(len(data)) || s.size > uint64(len(data))-s.at {
				return nil, errTables
			}
			s.body = bytes.Clone(data[s.at : s.at+s.size])
			if p := (place{s.at, s.size}); s.size > 0 && seen[p] != nil {
				s.first = seen[p]
			} else {
				seen[p] = s
			}
		}
		if s.kind == cuda.SHTSymtab || s.kind == cuda.SHTMercSymtab {
			f.symtabs = append(f.symtabs, s)
		}
		f.sections = append(f.sections, s)
	}
	names := int(little.Uint16(data[62:]))
	if names >= len(f.sections) || len(f.symtabs) == 0 {
		return nil, errTables
	}
	for i, s := range f.sections {
		s.name = text(f.sections[names].body, little.Uint32(data[at+rowSize*uint64(i):]))
	}
	return f, nil
}

func noBits(kind cuda.SectionType) bool {
	switch kind {
	case cuda.SHTNobits, cuda.SHTCudaGlobal, cuda.SHTCudaLocal, cuda.SHTCudaShared, cuda.SHTCudaSharedReserved:
		return true
	}
	return false
}

func text(table []byte, at uint32) string {
	if uint64(at) >= uint64(len(table)) {
		return ""
	}
	s, _, _ := bytes.Cut(table[at:], []byte{0})
	return string(s)
}

func (s *section) code() bool {
	return (s.kind == cuda.SHTProgbits || s.kind == cuda.SHTCudaUFT) && s.flags&cuda.SHFExec != 0
}

// records reports whether a section is a table of records, and how long each is.
func (s *section) records() (width int, ok bool) {
	switch s.kind {
	case cuda.SHTRel:
		return 16, true
	case cuda.SHTRela, cuda.SHTCudaResolvedRela, cuda.SHTMercRela, cuda.SHTMercResolvedRela:
		return 24, true
	}
	return 0, false
}

func (s *section) calls() bool {
	return s.kind == cuda.SHTCudaCallgraph || s.kind == cuda.SHTMercCallgraph
}

func (s *section) prototypes() bool {
	return s.kind == cuda.SHTCudaPrototype || s.kind == cuda.SHTMercPrototype
}

func (s *section) attributes() bool {
	return s.kind == cuda.SHTCudaInfo || s.kind == cuda.SHTMercInfo
}

// attributesOf are the places of the attributes in a table of them, and where it ends.
func attributesOf(body []byte) (places []int) {
	for at := 0; at+4 <= len(body); {
		places = append(places, at)
		if body[at] == 4 {
			at += int(little.Uint16(body[at+2:]))
		}
		at += 4
	}
	return append(places, len(body))
}

// heading is what the pairs of a call graph are under.
func heading(pair []byte) (uint32, bool) {
	x, y := little.Uint32(pair), little.Uint32(pair[4:])
	return y, x == 0 && y >= cuda.CallgraphEdges
}

// sectionOf is the number in a symbol, 0 where it is none of a section.
func sectionOf(symbol []byte) int {
	if n := int(little.Uint16(symbol[6:])); n < 0xff00 {
		return n
	}
	return 0
}

// namesOf is the table of a symbol table's names.
func (f *file) namesOf(table *section) *section { return f.sections[table.link] }

// tableOf is the symbol table that a section's numbers are of.
func (f *file) tableOf(s *section) *section {
	if int(s.link) < len(f.sections) {
		if t := f.sections[s.link]; t.kind == cuda.SHTSymtab || t.kind == cuda.SHTMercSymtab {
			return t
		}
	}
	return nil
}

func loaded(s *section) bool { return s.flags&cuda.SHFAlloc != 0 }

func mercury(s *section) bool {
	return s.flags&cuda.SHFMercury != 0 || strings.HasPrefix(s.name, ".nv.merc")
}
