package check

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// editor changes an output that is known to be right. What is where it takes
// from a check of the unchanged output.
type editor struct {
	*check
	out   *link.Output
	bytes []byte // the copy that is changed
}

func editorOf(t testing.TB, c corpus.Case) *editor {
	t.Helper()
	k := newCheck(inputsOf(c), c.Output, optionsOf(c))
	if err := k.run(inputsOf(c), c.Output); err != nil || k.Out == nil {
		t.Fatalf("%s: %v", c.ID(), err)
	}
	return &editor{check: k, out: k.Out, bytes: slices.Clone(c.Output)}
}

func (e *editor) put(at, width, value uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], value)
	copy(e.bytes[at:at+width], b[:width])
}

func (e *editor) get(at, width uint64) uint64 { return image.Number(e.bytes, at, width) }

func (e *editor) flip(at uint64, mask byte) { e.bytes[at] ^= mask }

// header is where a field of a section header lies.
func (e *editor) header(section int, field uint64) uint64 {
	return e.out.Header.Shoff + 64*uint64(section) + field
}

const (
	shName, shType, shFlags, shOffset, shSize, shLink, shInfo, shAlign, shEntry = 0, 4, 8, 24, 32, 40, 44, 48, 56
	stName, stInfo, stOther, stShndx, stValue, stSize                           = 0, 4, 5, 6, 8, 16
)

// entry is where a field of a symbol lies.
func (e *editor) entry(symbol int, field uint64) uint64 {
	return e.out.Sections[e.out.Symtab].Offset + 24*uint64(symbol) + field
}

// move gives a section new bytes, after all others.
func (e *editor) move(section int, body []byte) {
	for len(e.bytes)%256 != 0 {
		e.bytes = append(e.bytes, 0)
	}
	e.put(e.header(section, shOffset), 8, uint64(len(e.bytes)))
	e.put(e.header(section, shSize), 8, uint64(len(body)))
	e.bytes = append(e.bytes, body...)
}

// section finds one for which ok holds, 0 for none.
func (e *editor) section(ok func(*image.Section) bool) int {
	for i := range e.out.Sections {
		if i > 0 && ok(&e.out.Sections[i]) {
			return i
		}
	}
	return 0
}

func (e *editor) named(name string) int {
	return e.section(func(s *image.Section) bool { return s.Name == name })
}

// symbol finds one that is an identity for which ok holds, 0 for none.
func (e *editor) symbol(ok func(*link.Identity, *image.Symbol) bool) int {
	for i := range e.out.Symbols {
		// In a relocatable file st_value of shared memory is no place.
		if id := e.out.Refs[i].ID; id != nil && !(e.Relocatable && id.Space() == cuda.STOShared) && ok(id, &e.out.Symbols[i]) {
			return i
		}
	}
	return 0
}

func (e *editor) object(ok func(*link.Identity, *image.Symbol) bool) int {
	return e.symbol(func(id *link.Identity, s *image.Symbol) bool {
		return !id.Function() && s.Defined() && !s.Special && s.Size > 0 && ok(id, s)
	})
}

// field finds a patched place for which ok holds; from is where it is in the
// file.
func (e *editor) field(ok func(*link.Area, *link.Field) bool) (f *link.Field, a *link.Area, from uint64) {
	for _, a := range e.Areas {
		if a.Out == nil || a.Out.Body == nil {
			continue
		}
		for i := range a.Fields {
			if f := &a.Fields[i]; f.Size > 0 && f.Offset+f.Size <= a.Out.Size && ok(a, f) {
				return f, a, a.Out.Offset + f.Offset
			}
		}
	}
	return nil, nil, 0
}

// record finds the first entry of a relocation section; width is that of one.
func (e *editor) record(ok func(link.Relocs) bool) (list link.Relocs, at, width uint64) {
	for _, l := range e.out.Lists {
		if len(l.List) == 0 || !ok(l) {
			continue
		}
		width = 24
		if l.Section.Kind == cuda.SHTRel {
			width = 16
		}
		return l, l.Section.Offset, width
	}
	return link.Relocs{}, 0, 0
}

func anyList(l link.Relocs) bool  { return l.Section.Kind != cuda.SHTCudaResolvedRela }
func relaList(l link.Relocs) bool { return l.Section.Kind == cuda.SHTRela }

// attribute finds a record of .nv.info; at is where its value lies.
func (e *editor) attribute(attr cuda.InfoAttr) (section int, at uint64) {
	for i, list := range e.out.Infos {
		from := e.out.Sections[i].Offset
		for _, a := range list {
			size := uint64(4)
			value := from + 2
			if a.Format == cuda.FormatSized {
				size, value = 4+uint64(len(a.Value)), from+4
			}
			if a.Attr == attr {
				return i, value
			}
			from += size
		}
	}
	return 0, 0
}

// inputOf returns the input's bytes at a place of an area.
func inputOf(a *link.Area, offset, size uint64) []byte {
	for _, p := range a.Parts {
		if offset >= p.Base && offset+size <= p.Base+p.Section.Size {
			b, _ := image.Cut(p.Section.Body, offset-p.Base, size)
			return b
		}
	}
	return nil
}
