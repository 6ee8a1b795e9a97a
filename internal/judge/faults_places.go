package main

import "strings"

// Faults of places and names: of a linker that lays out wrongly but writes what follows from it.

// bodies are the sections with bytes of the program.
func bodies(h *header) bool {
	for _, p := range []string{".text.", ".nv.constant", ".nv.global", ".nv.shared.", ".nv.capmerc.text."} {
		if strings.HasPrefix(h.name, p) && h.size > 0 {
			return true
		}
	}
	return false
}

// onName changes a character of a section's name, in a name that no other section has as the end of its own.
func onName(ok func(h *header) bool, change func(name []byte)) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(ok)
		if h == nil {
			return ""
		}
		old := h.name
		for i := range f.sections {
			if o := &f.sections[i]; o.at != h.at && o.nameAt >= h.nameAt && o.nameAt < h.nameAt+uint64(len(old)) || o.at != h.at && h.nameAt >= o.nameAt && h.nameAt < o.nameAt+uint64(len(o.name)) {
				return ""
			}
		}
		change(f.bytes[h.nameAt : h.nameAt+uint64(len(old))])
		return old + "|" + f.text(h.nameAt)
	}
}

// withFlag turns a flag of a section around.
func withFlag(bit uint64, ok func(h *header) bool) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(ok)
		if h == nil {
			return ""
		}
		f.put(h.at+8, 8, h.flags^bit)
		return h.name
	}
}

// moved gives a variable another place, with its bytes and all symbols of that place.
func moved(to func(f *file, s *symbol, h *header) (uint64, bool)) func(*file) string {
	return func(f *file) string {
		s := f.pickSymbol(0, func(s *symbol) bool {
			return object(f, s) && strings.HasPrefix(f.sections[s.shndx].name, ".nv.global") && s.size >= 8
		})
		if s == nil {
			return ""
		}
		h := &f.sections[s.shndx]
		at, ok := to(f, s, h)
		if !ok || at == s.value || at+s.size > h.size {
			return ""
		}
		if h.kind == 1 {
			for i := range s.size {
				if f.relocated(int(s.shndx), s.value+i) {
					return ""
				}
			}
			copy(f.bytes[h.off+at:], append([]byte(nil), f.bytes[h.off+s.value:h.off+s.value+s.size]...))
		}
		for _, t := range f.symtabs {
			for _, o := range f.symbols(&f.sections[t]) {
				if o.name == s.name && o.value == s.value && o.kind != 3 {
					f.put(o.at+8, 8, at)
				}
			}
		}
		return s.name + "|" + h.name
	}
}

var placeFaults = []fault{
	{name: "a variable a word less aligned, its bytes with it", plant: moved(func(f *file, s *symbol, h *header) (uint64, bool) {
		return s.value + 4, s.value%16 == 0 && h.align >= 16
	})},
	{name: "a variable laid over another", plant: moved(func(f *file, s *symbol, h *header) (uint64, bool) {
		o := f.pickSymbol(0, func(o *symbol) bool {
			return object(f, o) && o.shndx == s.shndx && o.value != s.value && o.name != s.name
		})
		if o == nil {
			return 0, false
		}
		return o.value, true
	})},
	{name: "an empty variable", plant: onSymbol(0, anySymbol(func(f *file, s *symbol) bool { return s.size > 0 && s.kind != 2 }), func(f *file, s *symbol) { f.put(s.at+16, 8, 0) })},
	{name: "section renamed", plant: onName(bodies, func(name []byte) { name[len(name)-1] ^= 1 })},
	{name: "attributes renamed", plant: onName(func(h *header) bool { return strings.HasPrefix(h.name, ".nv.info.") }, func(name []byte) { name[len(name)-1] ^= 1 })},
	{name: "table of records renamed", plant: onName(func(h *header) bool { return h.kind == kindRela || h.kind == kindRel }, func(name []byte) { name[len(name)-1] ^= 1 })},
	{name: "constants of another bank", plant: onName(func(h *header) bool { return strings.HasPrefix(h.name, ".nv.constant") && len(h.name) > 12 }, func(name []byte) { name[12] ^= 4 })},
	{name: "code is written", plant: withFlag(1, func(h *header) bool { return h.code() })},
	{name: "constants are written", plant: withFlag(1, func(h *header) bool { return strings.HasPrefix(h.name, ".nv.constant") && h.size > 0 })},
	{name: "constants are executed", plant: withFlag(4, func(h *header) bool { return strings.HasPrefix(h.name, ".nv.constant") && h.size > 0 })},
	{name: "variables are not written", plant: withFlag(1, func(h *header) bool { return strings.HasPrefix(h.name, ".nv.global") && h.size > 0 })},
	{name: "attributes are loaded", plant: withFlag(2, func(h *header) bool { return h.kind == kindInfo })},
	{name: "a Mercury section is none", mercury: true, plant: withFlag(0x10000000, func(h *header) bool { return h.flags&0x10000000 != 0 })},
	{name: "a section of another table of symbols", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return int(h.link) == f.symtabs[0] })
		if h == nil {
			return ""
		}
		f.put(h.at+40, 4, uint64(h.link)+1)
		return h.name
	}},
	{name: "names of symbols begin with one", plant: func(f *file) string {
		h := &f.sections[f.sections[f.symtabs[0]].link]
		f.bytes[h.off] = 'x'
		return h.name + "|file"
	}},
	{name: "names of symbols don't end", plant: func(f *file) string {
		h := &f.sections[f.sections[f.symtabs[0]].link]
		f.bytes[h.off+h.size-1] = 'x'
		return h.name + "|file"
	}},
	{name: "entry size of a table", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.entry > 0 })
		if h == nil {
			return ""
		}
		f.put(h.at+56, 8, h.entry+8)
		return h.name
	}},
	{name: "code at an address", plant: func(f *file) string {
		h := f.pickSection(bodies)
		if h == nil {
			return ""
		}
		f.put(h.at+16, 8, 0x1000)
		return h.name
	}},
	{name: "a function's symbol in the middle of its code", plant: onSymbol(0, func(f *file, s *symbol) bool { return kernelSymbol(f, s) || deviceSymbol(f, s) }, func(f *file, s *symbol) { f.put(s.at+8, 8, s.value+16) })},
	{name: "kernel is no kernel", plant: onSymbol(0, kernelSymbol, func(f *file, s *symbol) { f.put(s.at+5, 1, uint64(s.other&^0x10)) })},
	{name: "function is a kernel", plant: onSymbol(0, deviceSymbol, func(f *file, s *symbol) { f.put(s.at+5, 1, uint64(s.other|0x10)) })},
	{name: "parameters' bank longer", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return strings.HasPrefix(h.name, ".nv.constant0.") && h.size > 0 })
		if h == nil {
			return ""
		}
		f.put(h.at+32, 8, h.size+4)
		return h.name + "|file"
	}},
	{name: "shared memory of another size", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool {
			return strings.HasPrefix(h.name, ".nv.shared.") && h.size > 0 && !strings.Contains(h.name, "reserved")
		})
		if h == nil {
			return ""
		}
		f.put(h.at+32, 8, h.size-4)
		return h.name + "|" + strings.TrimPrefix(h.name, ".nv.shared.")
	}},
}
