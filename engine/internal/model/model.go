package model

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// What a link is made of: sections in the order of their creation, symbols in
// the order of theirs, functions. Order is the essence: the order of the
// image's sections, symbols, names and relocations all follow from it.

// InfoFlags is what per-function sections that the link makes itself carry.
func (l *Program) InfoFlags() cuda.SectionFlags {
	if l.Release.InfoLink {
		return cuda.SHFInfoLink
	}
	return 0
}

// Blank returns n elements that are absent, reusing s where it is long enough.
func Blank[T ~int32](s []T, n int) []T {
	if cap(s) < n {
		s = make([]T, n)
	}
	s = s[:n]
	for i := range s {
		s[i] = Absent
	}
	return s
}

type (
	SecID int32 // index into Program.Secs, or Absent
	SymID int32 // index into Program.Syms, or Absent
	FunID int32 // index into Program.Funs, or Absent
)

const Absent = -1

// Moment numbers creations and definitions.
func (l *Program) Moment() int32 {
	l.clock++
	return l.clock
}

// Unowned looks up a section that belongs to no function, by name.
func (l *Program) Unowned(name names.ID) SecID {
	if int(name) < len(l.SecOf) {
		return l.SecOf[name] - 1
	}
	return Absent
}

func (l *Program) SetUnowned(name names.ID, id SecID) {
	l.SecOf = extend(l.SecOf, int(name))
	l.SecOf[name] = id + 1
}

// Lookup finds a symbol that is not LOCAL, by name.
func (l *Program) Lookup(name names.ID) SymID {
	if id := l.LookupAny(name); id != Absent && l.Syms[id].Binding() != cuda.STBLocal {
		return id
	}
	return Absent
}

// LookupAny finds the symbol of a name that is not LOCAL, or where there is none
// the first LOCAL one.
func (l *Program) LookupAny(name names.ID) SymID {
	if int(name) < len(l.SymOf) {
		return l.SymOf[name] - 1
	}
	return Absent
}

// SetLookup makes a symbol one that is found by its name. A LOCAL one gives way
// to those before it and to any that is not LOCAL.
func (l *Program) SetLookup(name names.ID, id SymID) {
	l.SymOf = extend(l.SymOf, int(name))
	if l.SymOf[name] == 0 || l.Syms[id].Binding() != cuda.STBLocal {
		l.SymOf[name] = id + 1
	}
}

// extend makes s long enough to hold index i.
func extend[T any](s []T, i int) []T {
	if i < len(s) {
		return s
	}
	return append(s, make([]T, max(i+1-len(s), len(s)))...)
}

// AlignUp rounds up to a multiple of align, or of 1 where that is 0. Where -r put dynamic shared memory,
// a later link takes for an alignment, which then is no power of two.
func AlignUp(v, align uint64) uint64 {
	if align == 0 {
		return v
	}
	return (v + align - 1) / align * align
}

// Unplaced is the value of what layout gave no place.
const Unplaced = ^uint64(0)

// MaxSection bounds the size of a section: no memory space of a device is
// larger, and offsets stay far from overflow.
const MaxSection = 1 << 40

// IsDynamicAlignment reports whether the value of undefined dynamic shared memory is an alignment: that of
// what -r left is where it put the memory, which a later link takes for one.
func IsDynamicAlignment(n uint64) bool { return n <= MaxSection }

// IsAlignment reports whether offsets can be aligned to n; 0 is no alignment.
func IsAlignment(n uint64) bool { return n&(n-1) == 0 && n <= MaxSection }
