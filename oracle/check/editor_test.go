package check

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cuda"
)

// editor changes an output that is known to be right. What lies where it takes
// from a check of the unchanged output.
type editor struct {
	*check
	out   *output
	bytes []byte // the copy that is changed
}

func editorOf(t testing.TB, c corpus.Case) *editor {
	t.Helper()
	k := newCheck(inputsOf(c), c.Output, optionsOf(c))
	if err := k.run(inputsOf(c), c.Output); err != nil || k.out == nil {
		t.Fatalf("%s: %v", c.ID(), err)
	}
	return &editor{check: k, out: k.out, bytes: slices.Clone(c.Output)}
}

func (e *editor) put(at, width, value uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], value)
	copy(e.bytes[at:at+width], b[:width])
}

func (e *editor) get(at, width uint64) uint64 { return number(e.bytes, at, width) }

func (e *editor) flip(at uint64, mask byte) { e.bytes[at] ^= mask }

// header is where a field of a section header lies.
func (e *editor) header(section int, field uint64) uint64 {
	return e.out.header.shoff + 64*uint64(section) + field
}

const (
	shName, shType, shFlags, shOffset, shSize, shLink, shInfo, shAlign, shEntry = 0, 4, 8, 24, 32, 40, 44, 48, 56
	stName, stInfo, stOther, stShndx, stValue, stSize                           = 0, 4, 5, 6, 8, 16
)

// entry is where a field of a symbol lies.
func (e *editor) entry(symbol int, field uint64) uint64 {
	return e.out.sections[e.out.symtab].offset + 24*uint64(symbol) + field
}

// move gives a section new bytes, behind all others.
func (e *editor) move(section int, body []byte) {
	for len(e.bytes)%256 != 0 {
		e.bytes = append(e.bytes, 0)
	}
	e.put(e.header(section, shOffset), 8, uint64(len(e.bytes)))
	e.put(e.header(section, shSize), 8, uint64(len(body)))
	e.bytes = append(e.bytes, body...)
}

// section finds one for which ok holds, 0 for none.
func (e *editor) section(ok func(*section) bool) int {
	for i := range e.out.sections {
		if i > 0 && ok(&e.out.sections[i]) {
			return i
		}
	}
	return 0
}

func (e *editor) named(name string) int {
	return e.section(func(s *section) bool { return s.name == name })
}

// symbol finds one that is an identity for which ok holds, 0 for none.
func (e *editor) symbol(ok func(*identity, *symbol) bool) int {
	for i := range e.out.symbols {
		// In a relocatable file st_value of shared memory is no place.
		if id := e.out.refs[i].id; id != nil && !(e.relocatable && id.space() == cuda.STOShared) && ok(id, &e.out.symbols[i]) {
			return i
		}
	}
	return 0
}

func (e *editor) object(ok func(*identity, *symbol) bool) int {
	return e.symbol(func(id *identity, s *symbol) bool {
		return !id.function() && s.defined() && !s.special && s.size > 0 && ok(id, s)
	})
}

// field finds a patched place for which ok holds; from is where it lies in the
// file.
func (e *editor) field(ok func(*area, *field) bool) (f *field, a *area, from uint64) {
	for _, a := range e.areas {
		if a.out == nil || a.out.body == nil {
			continue
		}
		for i := range a.fields {
			if f := &a.fields[i]; f.size > 0 && f.offset+f.size <= a.out.size && ok(a, f) {
				return f, a, a.out.offset + f.offset
			}
		}
	}
	return nil, nil, 0
}

// record finds the first entry of a relocation section; width is that of one.
func (e *editor) record(ok func(relocs) bool) (list relocs, at, width uint64) {
	for _, l := range e.out.lists {
		if len(l.list) == 0 || !ok(l) {
			continue
		}
		width = 24
		if l.section.kind == cuda.SHTRel {
			width = 16
		}
		return l, l.section.offset, width
	}
	return relocs{}, 0, 0
}

func anyList(l relocs) bool  { return l.section.kind != cuda.SHTCudaResolvedRela }
func relaList(l relocs) bool { return l.section.kind == cuda.SHTRela }

// attribute finds a record of .nv.info; at is where its value lies.
func (e *editor) attribute(attr cuda.InfoAttr) (section int, at uint64) {
	for i, list := range e.out.infos {
		from := e.out.sections[i].offset
		for _, a := range list {
			size := uint64(4)
			value := from + 2
			if a.format == cuda.FormatSized {
				size, value = 4+uint64(len(a.value)), from+4
			}
			if a.attr == attr {
				return i, value
			}
			from += size
		}
	}
	return 0, 0
}

// input returns the input's bytes at a place of an area.
func (a *area) input(offset, size uint64) []byte {
	for _, p := range a.parts {
		if offset >= p.base && offset+size <= p.base+p.section.size {
			b, _ := cut(p.section.body, offset-p.base, size)
			return b
		}
	}
	return nil
}
