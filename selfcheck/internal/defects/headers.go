package defects

import (
	"math/rand/v2"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
)

// What strippers, patchers and linkers do to tables of a file: fields of headers and symbols that are moved,
// cleared or exchanged.

// Fields of a section's header.
const (
	shName, shType, shFlags, shAddr, shOffset = 0, 4, 8, 16, 24
	shSize, shLink, shInfo, shAlign, shEntry  = 32, 40, 44, 48, 56
)

type planter = func(*capsule.Image, []byte, *rand.Rand) bool

// pick returns the index of a section with bytes whose name begins so.
func pick(m *capsule.Image, prefix string, rng *rand.Rand) (int, bool) {
	first := rng.IntN(len(m.Sections))
	for k := range m.Sections {
		i := (first + k) % len(m.Sections)
		if s := &m.Sections[i]; strings.HasPrefix(s.Name, prefix) && len(s.Content) > 0 {
			return i, true
		}
	}
	return 0, false
}

// two returns two sections whose names begin so and whose bytes are as many.
func two(m *capsule.Image, prefix string, rng *rand.Rand) (a, b int, ok bool) {
	a, ok = pick(m, prefix, rng)
	if !ok {
		return 0, 0, false
	}
	for i := range m.Sections {
		if s := &m.Sections[i]; i != a && strings.HasPrefix(s.Name, prefix) && len(s.Content) == len(m.Sections[a].Content) {
			return a, i, true
		}
	}
	return 0, 0, false
}

// header returns the bytes of a section's header.
func header(m *capsule.Image, data []byte, i int) []byte {
	at := m.File.Header.ShOff + uint64(i)*cubin.SectionSize
	return data[at : at+cubin.SectionSize]
}

// content returns the bytes of a section.
func content(m *capsule.Image, data []byte, i int) []byte {
	s := &m.Sections[i]
	return data[s.Off : s.Off+uint64(len(s.Content))]
}

// inHeader changes the header of a section.
func inHeader(prefix string, change func(h []byte)) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		i, ok := pick(m, prefix, rng)
		if ok {
			change(header(m, data, i))
		}
		return ok
	}
}

// exchange swaps a part of two headers, from one field to another.
func exchange(prefix string, from, to int) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		a, b, ok := two(m, prefix, rng)
		if ok {
			swap(header(m, data, a)[from:to], header(m, data, b)[from:to])
		}
		return ok
	}
}

// contents swaps the bytes of two sections of one kind.
func contents(prefix string) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		a, b, ok := two(m, prefix, rng)
		if ok {
			swap(content(m, data, a), content(m, data, b))
		}
		return ok
	}
}

// wiped clears a section from a place on.
func wiped(prefix string, from int) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		i, ok := pick(m, prefix, rng)
		if !ok || len(m.Sections[i].Content) <= from {
			return false
		}
		clear(content(m, data, i)[from:])
		return true
	}
}

// moved moves the bytes of a section after a place up by so many.
func moved(prefix string, from, by int) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		i, ok := pick(m, prefix, rng)
		if !ok || len(m.Sections[i].Content) <= from+by {
			return false
		}
		b := content(m, data, i)[from:]
		copy(b[by:], b[:len(b)-by])
		return true
	}
}

func swap(a, b []byte) {
	for i := range a {
		a[i], b[i] = b[i], a[i]
	}
}

// tables are the symbol tables of one side, or of both.
func tables(m *capsule.Image, merc, both bool) []*capsule.Symbols {
	switch {
	case both:
		return []*capsule.Symbols{&m.SASS, &m.Merc}
	case merc:
		return []*capsule.Symbols{&m.Merc}
	}
	return []*capsule.Symbols{&m.SASS}
}

// inSymbol changes the entry of a function in one table; in both where both is set.
func inSymbol(merc, both bool, change func(e []byte)) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn := &m.Funcs[rng.IntN(len(m.Funcs))]
		for _, table := range tables(m, merc, both) {
			if table.Index == 0 || int(fn.Symbol) >= len(table.List) {
				return false
			}
			at := int(fn.Symbol) * cubin.SymbolSize
			change(content(m, data, table.Index)[at : at+cubin.SymbolSize])
		}
		return true
	}
}

// names exchanges the names of two functions in one table or in both.
func names(merc, both bool) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		a, b := m.Funcs[rng.IntN(len(m.Funcs))].Symbol, m.Funcs[rng.IntN(len(m.Funcs))].Symbol
		if a == b {
			return false
		}
		for _, table := range tables(m, merc, both) {
			if table.Index == 0 || int(max(a, b)) >= len(table.List) {
				return false
			}
			s := content(m, data, table.Index)
			swap(s[int(a)*cubin.SymbolSize:][:4], s[int(b)*cubin.SymbolSize:][:4])
		}
		return true
	}
}

// segment changes a program header.
func segment(change func(p []byte)) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		n, at := int(le.Uint16(data[56:])), le.Uint64(data[32:])
		if n == 0 {
			return false
		}
		const size = 56
		at += uint64(rng.IntN(n)) * size
		if at+size > uint64(len(data)) {
			return false
		}
		change(data[at : at+size])
		return true
	}
}

func put64(b []byte, add int64) { le.PutUint64(b, le.Uint64(b)+uint64(add)) }
func put32(b []byte, add int32) { le.PutUint32(b, le.Uint32(b)+uint32(add)) }
