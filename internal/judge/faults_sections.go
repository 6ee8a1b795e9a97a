package main

import "strings"

// sectionsOf picks sections by the beginning of their names.
func sectionsOf(prefix string) func(h *header) bool {
	return func(h *header) bool { return strings.HasPrefix(h.name, prefix) && h.size > 0 }
}

// onSection plants a fault into the header of a section.
func onSection(prefix string, change func(f *file, h *header)) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(sectionsOf(prefix))
		if h == nil {
			return ""
		}
		change(f, h)
		owner := h.name
		for _, p := range []string{".nv.info.", ".nv.constant0.", ".nv.constant2.", ".nv.shared.", ".nv.merc.nv.info."} {
			if rest, ok := strings.CutPrefix(h.name, p); ok {
				owner += "|" + rest
			}
		}
		return owner
	}
}

// namedAt reports whether a global variable holds a byte of a section.
func (f *file) namedAt(h *header, at uint64) bool {
	return f.pickSymbol(0, func(s *symbol) bool {
		return object(f, s) && f.sections[s.shndx].at == h.at && s.value <= at && at-s.value < s.size
	}) != nil
}

// dropped makes a section of no type and no size.
func dropped(f *file, h *header) {
	f.put(h.at+4, 4, 0)
	f.put(h.at+32, 8, 0)
}

var sectionFaults = func() []fault {
	var list []fault
	for _, p := range []string{".text.", ".nv.info.", ".nv.constant0.", ".nv.constant2.", ".nv.constant3", ".nv.global.init", ".nv.callgraph", ".nv.merc.nv.info.", ".nv.capmerc.text.", ".nv.merc.symtab"} {
		list = append(list, fault{name: p + " dropped", plant: onSection(p, dropped), mercury: strings.Contains(p, "merc")})
	}
	for _, p := range []string{".text.", ".nv.constant0.", ".nv.global.init", ".nv.constant3"} {
		list = append(list,
			fault{name: p + " shorter", plant: func(f *file) string {
				h := f.pickSection(func(h *header) bool { return sectionsOf(p)(h) && (p != ".nv.constant3" || f.namedAt(h, h.size-1)) })
				if h == nil {
					return ""
				}
				f.put(h.at+32, 8, h.size-min(h.size, 16))
				return h.name
			}},
			fault{name: p + " elsewhere in the file", plant: func(f *file) string {
				h := f.pickSection(func(h *header) bool { return sectionsOf(p)(h) && (p != ".nv.constant3" || f.namedAt(h, 0)) })
				if h == nil {
					return ""
				}
				f.put(h.at+24, 8, 0)
				return h.name
			}},
			fault{name: p + " of another type", plant: onSection(p, func(f *file, h *header) { f.put(h.at+4, 4, 8) })},
			fault{name: p + " not loaded", plant: onSection(p, func(f *file, h *header) { f.put(h.at+8, 8, h.flags&^2) })},
			fault{name: p + " less aligned", plant: func(f *file) string {
				h := f.pickSection(func(h *header) bool { return sectionsOf(p)(h) && h.align > 1 })
				if h == nil {
					return ""
				}
				f.put(h.at+48, 8, 1)
				return h.name
			}},
		)
	}
	for _, p := range []string{".nv.info.", ".nv.constant0.", ".nv.shared."} {
		list = append(list, fault{name: p + " of another function", plant: func(f *file) string {
			h := f.pickSection(sectionsOf(p))
			if h == nil {
				return ""
			}
			other := f.pickSection(func(o *header) bool { return o.code() && o.at != f.sections[h.info].at })
			if other == nil {
				return ""
			}
			f.put(h.at+44, 4, (other.at-f.shoff)/64)
			return h.name + "|" + other.name
		}})
	}
	list = append(list,
		fault{name: "code not executable", plant: onSection(".text.", func(f *file, h *header) { f.put(h.at+8, 8, h.flags&^4) })},
		fault{name: "code of another symbol", plant: onSection(".text.", func(f *file, h *header) { f.put(h.at+44, 4, uint64(h.info)^3) })},
		fault{name: "two functions' sections swapped", plant: func(f *file) string {
			a := f.pickSection(func(h *header) bool { return h.code() })
			if a == nil {
				return ""
			}
			b := f.pickSection(func(h *header) bool {
				return h.code() && h.at != a.at && string(f.bytes[h.off:h.off+h.size]) != string(f.bytes[a.off:a.off+a.size])
			})
			if b == nil {
				return ""
			}
			return f.swap(a, b)
		}},
		fault{name: "shared memory too small", plant: func(f *file) string {
			h := f.pickSection(func(h *header) bool { return strings.HasPrefix(h.name, ".nv.shared.") && h.size > 0 && h.size != 0x400 })
			if h == nil || strings.HasPrefix(h.name, ".nv.shared.reserved") {
				return ""
			}
			if in := (h.at - f.shoff) / 64; f.relocatable && f.pickSymbol(0, func(s *symbol) bool { return uint64(s.shndx) == in && s.kind != 3 }) == nil {
				return "" // nothing is there yet
			}
			f.put(h.at+32, 8, h.size&0x400)
			return h.name + "|" + strings.TrimPrefix(h.name, ".nv.shared.")
		}},
		fault{name: "global memory too small", plant: func(f *file) string {
			h := f.pickSection(func(h *header) bool { return h.name == ".nv.global" && h.size > 4 })
			if h == nil {
				return ""
			}
			f.put(h.at+32, 8, h.size-4)
			return h.name
		}},
	)
	return list
}()

// dataFaults change bytes of data that something names.
var dataFaults = []fault{
	{name: "initialiser changed", plant: onObject(".nv.global.init")},
	{name: "user constant changed", plant: onObject(".nv.constant3")},
	{name: "compiler's constant changed", plant: func(f *file) string {
		// Where several kernels have such a bank, one may have bytes that only
		// another needs.
		banks := 0
		h := f.pickSection(func(h *header) bool {
			is := strings.HasPrefix(h.name, ".nv.constant2.") && h.size >= 8
			if is {
				banks++
			}
			return is
		})
		if h == nil || banks > 1 || len(f.several) > 0 { // a table of one that lost is not read
			return ""
		}
		f.bytes[h.off+uint64(f.r.Below(4))] ^= 0x40
		return h.name
	}},
	{name: "edge of the call graph changed", plant: onPair(func(f *file, at uint64) { f.put(at+4, 4, f.get(at+4, 4)^3) })},
	{name: "caller in the call graph changed", plant: onPair(func(f *file, at uint64) { f.put(at, 4, f.get(at, 4)^3) })},
	{name: "heading of the call graph changed", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.kind == kindCallgraph && h.size >= 32 })
		if h == nil {
			return ""
		}
		for _, at := range f.entries(h, 8) {
			if f.get(at, 4) == 0 && f.get(at+4, 4) > 1<<31 {
				f.put(at+4, 4, f.get(at+4, 4)^1)
				return h.name
			}
		}
		return ""
	}},
}

// onObject changes a byte of an initialised variable.
func onObject(section string) func(*file) string {
	return func(f *file) string {
		s := f.pickSymbol(0, func(s *symbol) bool {
			return object(f, s) && f.sections[s.shndx].name == section && s.value+s.size <= f.sections[s.shndx].size
		})
		if s == nil {
			return ""
		}
		at := s.value + uint64(f.r.Below(int(min(s.size, 1<<20))))
		if f.relocated(int(s.shndx), at) {
			return "" // the driver writes the byte again
		}
		f.bytes[f.sections[s.shndx].off+at] ^= 0x21
		return s.name + "|" + section
	}
}

// relocated reports whether a record stands for a byte of a section.
func (f *file) relocated(section int, at uint64) bool {
	for i := range f.sections {
		h := &f.sections[i]
		if int(h.info) != section || h.kind != kindRel && h.kind != kindRela {
			continue
		}
		for _, r := range f.entries(h, h.width()) {
			if from := f.get(r, 8); from <= at && at < from+8 {
				return true
			}
		}
	}
	return false
}

// onPair changes a call in the call graph.
func onPair(change func(f *file, at uint64)) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.kind == kindCallgraph && h.size >= 16 })
		if h == nil {
			return ""
		}
		var calls []uint64
		direct := false
		for _, at := range f.entries(h, 8) {
			switch x, y := f.get(at, 4), f.get(at+4, 4); {
			case x == 0 && y > 1<<31:
				direct = y == 1<<32-1
			case direct && x != 0 && y != 0:
				calls = append(calls, at)
			}
		}
		if len(calls) == 0 {
			return ""
		}
		change(f, calls[f.r.Below(len(calls))])
		return h.name
	}
}
