package main

import (
	"strings"
)

// Faults of a linker that forgets something, or takes one thing for another, and is consistent besides.

// removeAt takes bytes out of a section, whose others move up.
func (f *file) removeAt(h *header, at, n uint64) {
	copy(f.bytes[at:], f.bytes[at+n:h.off+h.size])
	f.put(h.at+32, 8, h.size-n)
}

// ofKernel plants a fault into an attribute of a kernel, one of those named.
func ofKernel(change func(f *file, h *header, a attribute) bool, attrs ...byte) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(func(h *header) bool {
			return h.kind == kindInfo && h.info != 0 && int(h.info) < len(f.sections) && f.sections[h.info].code()
		})
		if h == nil {
			return ""
		}
		if a, ok := f.pickAttribute(h, attrs...); !ok || !change(f, h, a) {
			return ""
		}
		return h.name + "|" + strings.TrimPrefix(h.name, ".nv.info.")
	}
}

// ofFile plants a fault into an attribute of the table that is about all functions.
func ofFile(attr byte, change func(f *file, h *header, a attribute) bool) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.kind == kindInfo && h.info == 0 })
		if h == nil {
			return ""
		}
		a, ok := f.pickAttribute(h, attr)
		if !ok || !change(f, h, a) {
			return ""
		}
		name := h.name
		if all := f.symbols(&f.sections[f.symtabs[0]]); f.get(a.value, 4) < uint64(len(all)) {
			name += "|" + all[f.get(a.value, 4)].name
		}
		return name
	}
}

// removed takes an attribute out.
func removed(f *file, h *header, a attribute) bool {
	f.removeAt(h, a.at, a.value+a.length-a.at)
	return true
}

// firstRemoved takes the first of several words of an attribute out.
func firstRemoved(f *file, h *header, a attribute) bool {
	if a.length < 8 {
		return false
	}
	f.put(a.at+2, 2, a.length-4)
	f.removeAt(h, a.value, 4)
	return true
}

// setSecond sets the second word of an attribute.
func setSecond(to func(n uint64) uint64) func(f *file, h *header, a attribute) bool {
	return func(f *file, h *header, a attribute) bool {
		n := f.get(a.value+4, 4)
		f.put(a.value+4, 4, to(n))
		return to(n) != n
	}
}

const (
	attrExterns     = 0x0f
	attrFrameSize   = 0x11
	attrMinStack    = 0x12
	attrKparam      = 0x17
	attrParamSize   = 0x19
	attrExits       = 0x1c
	attrMaxStack    = 0x23
	attrRegcount    = 0x2f
	attrBranches    = 0x34
	attrNumBarriers = 0x4c
)

// ownOnly lowers what a kernel says of all that it reaches to what it says of itself.
func ownOnly(of, own byte) func(*file) string {
	return ofFile(of, func(f *file, h *header, a attribute) bool {
		for _, b := range f.attributes(h) {
			if b.attr == own && f.get(b.value, 4) == f.get(a.value, 4) && f.get(b.value+4, 4) < f.get(a.value+4, 4) {
				f.put(a.value+4, 4, f.get(b.value+4, 4))
				return true
			}
		}
		return false
	})
}

var wrongFaults = []fault{
	{name: "stack of callees forgotten", plant: ownOnly(attrMinStack, attrFrameSize)},
	{name: "stack limit of callees forgotten", plant: ownOnly(attrMaxStack, attrFrameSize)},
	{name: "stack of nothing", plant: ofFile(attrMinStack, setSecond(func(uint64) uint64 { return 0 }))},
	{name: "frame of nothing", plant: ofFile(attrFrameSize, setSecond(func(uint64) uint64 { return 0 }))},
	{name: "registers of a function missing", plant: ofFile(attrRegcount, removed)},
	{name: "frame of a function missing", plant: ofFile(attrFrameSize, removed)},
	{name: "stack of a function missing", plant: ofFile(attrMinStack, removed)},
	{name: "registers of a function twice too many", plant: ofFile(attrRegcount, setSecond(func(n uint64) uint64 { return 2 * n }))},
	{name: "barriers of a kernel missing", plant: ofKernel(removed, attrNumBarriers)},
	{name: "a parameter missing", plant: ofKernel(removed, attrKparam)},
	{name: "two parameters' places exchanged", plant: ofKernel(func(f *file, h *header, a attribute) bool {
		for _, b := range f.attributes(h) {
			if b.attr == attrKparam && f.get(b.value+6, 2) != f.get(a.value+6, 2) {
				x, y := f.get(a.value+6, 2), f.get(b.value+6, 2)
				f.put(a.value+6, 2, y)
				f.put(b.value+6, 2, x)
				return true
			}
		}
		return false
	}, attrKparam)},
	{name: "parameters longer", plant: ofKernel(func(f *file, h *header, a attribute) bool { f.put(a.value, 2, f.get(a.value, 2)+8); return true }, attrParamSize)},
	{name: "an exit a word further", plant: ofKernel(func(f *file, h *header, a attribute) bool {
		f.put(a.value, 4, f.get(a.value, 4)+16)
		return a.length >= 4
	}, attrExits)},
	{name: "an exit missing", plant: ofKernel(firstRemoved, attrExits)},
	{name: "external names missing", plant: ofKernel(removed, attrExterns)},
	{name: "one external name missing", plant: ofKernel(firstRemoved, attrExterns)},
	{name: "targets of indirect branches missing", plant: ofKernel(removed, attrBranches)},
	{name: "a target of an indirect branch a word further", plant: ofKernel(func(f *file, h *header, a attribute) bool {
		at := a.value + a.length - 4
		f.put(at, 4, f.get(at, 4)+16)
		return a.length >= 12
	}, attrBranches)},
	{name: "an edge of the call graph missing", plant: func(f *file) string {
		var edge uint64
		about := onPair(func(_ *file, at uint64) { edge = at })(f)
		if about != "" {
			h := f.pickSection(func(h *header) bool { return h.kind == kindCallgraph })
			f.removeAt(h, edge, 8)
		}
		return about
	}},
	{name: "a prototype missing", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.kind == kindPrototype && h.size >= 8 })
		if h == nil {
			return ""
		}
		f.removeAt(h, h.off+8*uint64(f.r.Below(int(h.size/8))), 8)
		return h.name
	}},
	{name: "a prototype of another function", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.kind == kindPrototype && h.size >= 16 })
		if h == nil || f.get(h.off+4, 4) == f.get(h.off+12, 4) {
			return ""
		}
		x, y := f.get(h.off+4, 4), f.get(h.off+12, 4)
		f.put(h.off+4, 4, y)
		f.put(h.off+12, 4, x)
		return h.name
	}},
	{name: "compatibility missing", plant: onCompat(removed)},
	{name: "compatibility twice", plant: onCompat(func(f *file, h *header, a attribute) bool {
		next := a.value + a.length
		if next+(next-a.at) > h.off+h.size || string(f.bytes[a.at:next]) == string(f.bytes[next:next+next-a.at]) {
			return false
		}
		copy(f.bytes[next:], f.bytes[a.at:next])
		return true
	})},
	{name: "addend forgotten", plant: onAnyRecord(func(f *file, h *header, at uint64) bool {
		old := f.get(at+16, 8)
		f.put(at+16, 8, 0)
		return h.kind != kindRel && old != 0
	})},
	{name: "places of two records exchanged", plant: onAnyRecord(func(f *file, h *header, at uint64) bool {
		for _, o := range f.entries(h, h.width()) {
			if f.get(o, 8) != f.get(at, 8) && f.get(o+12, 4) != f.get(at+12, 4) && !f.isYield(o) {
				x, y := f.get(at, 8), f.get(o, 8)
				f.put(at, 8, y)
				f.put(o, 8, x)
				return true
			}
		}
		return false
	})},
	{name: "a record twice, another gone", plant: onAnyRecord(func(f *file, h *header, at uint64) bool {
		for _, o := range f.entries(h, h.width()) {
			if f.get(o, 8) != f.get(at, 8) && !f.isYield(o) {
				copy(f.bytes[at:at+h.width()], f.bytes[o:o+h.width()])
				return true
			}
		}
		return false
	})},
}

// onAnyRecord plants a fault into a record of code or data.
func onAnyRecord(change func(f *file, h *header, at uint64) bool) func(*file) string {
	return func(f *file) string {
		class := []string{".text.", ".text.", ".nv.global.init", "merc", ".debug_"}[f.r.Below(5)]
		return onRecord(class, change)(f)
	}
}

// onCompat plants a fault into .nv.compat.
func onCompat(change func(f *file, h *header, a attribute) bool) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.name == ".nv.compat" && h.size >= 8 })
		if h == nil {
			return ""
		}
		all := f.attributes(h)
		if a := all[f.r.Below(len(all))]; a.attr > 10 || !change(f, h, a) { // 11 and up: what they say is not known
			return ""
		}
		return h.name
	}
}
