package main

import "strings"

// relationKinds are the sections whose records faults are planted in.
func recordsOf(class string) func(h *header) bool {
	return func(h *header) bool {
		target, rela := strings.CutPrefix(h.name, ".rela")
		if !rela {
			target, rela = strings.CutPrefix(h.name, ".rel")
		}
		if class == "merc" {
			return h.kind == kindMercRela && h.size > 0 && !strings.Contains(h.name, "debug")
		}
		return rela && (h.kind == kindRela || h.kind == kindRel) && h.size > 0 && strings.HasPrefix(target, class) && !strings.HasPrefix(h.name, ".nv.")
	}
}

// width is the size of a table's entry.
func (h *header) width() uint64 {
	if h.kind == kindRel {
		return 16
	}
	return 24
}

// isYield reports whether a record is one that a linker may apply or leave.
func (f *file) isYield(at uint64) bool { t := f.get(at+8, 4); return t == 68 || t == 69 }

// target is the section that a table of records is for.
func (f *file) target(h *header) string {
	if int(h.info) >= len(f.sections) {
		return h.name
	}
	return f.sections[h.info].name
}

// onRecord plants a fault into one record of a class of sections.
func onRecord(class string, change func(f *file, h *header, at uint64) bool) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(recordsOf(class))
		if h == nil {
			return ""
		}
		all := f.entries(h, h.width())
		at := all[f.r.Below(len(all))]
		if strings.HasPrefix(class, ".nv.") && !f.namedAt(&f.sections[h.info], f.get(at, 8)) {
			return "" // perhaps of a variable that nothing names
		}
		if strings.Contains(h.name, ".nv.constant.optimizer.") && f.ofSeveral(h, at) {
			return "" // perhaps of a table whose function lost, which nothing reads
		}
		if f.isYield(at) || !change(f, h, at) {
			return ""
		}
		return f.target(h) + "|" + h.name
	}
}

// ofSeveral reports whether a record names a function that several inputs define.
func (f *file) ofSeveral(h *header, at uint64) bool {
	all := f.symbols(&f.sections[h.link])
	i := f.get(at+12, 4)
	return i < uint64(len(all)) && f.several[all[i].name]
}

// remove takes a record out: the last takes its place, and the table is shorter.
func remove(f *file, h *header, at uint64) bool {
	last := h.off + h.size - h.width()
	copy(f.bytes[at:], f.bytes[last:last+h.width()])
	f.put(h.at+32, 8, h.size-h.width())
	return true
}

// recordFaultsOf are the faults of records of one class.
func recordFaultsOf(class, what string) []fault {
	return []fault{
		{name: "record of " + what + " removed", plant: onRecord(class, remove)},
		{name: "record of " + what + " of another type", plant: onRecord(class, func(f *file, h *header, at uint64) bool { f.put(at+8, 4, f.get(at+8, 4)^1); return true })},
		{name: "record of " + what + " against another symbol", plant: onRecord(class, func(f *file, h *header, at uint64) bool {
			old := f.get(at+12, 4)
			all := f.symbols(&f.sections[h.link])
			if int(old) >= len(all) {
				return false
			}
			for i := range all {
				s := &all[(int(old)+1+i)%len(all)]
				if s.index != int(old) && s.name != all[old].name && s.kind == all[old].kind && s.shndx != 0 && s.kind != 3 {
					f.put(at+12, 4, uint64(s.index))
					return true
				}
			}
			return false
		})},
		{name: "record of " + what + " at another place", plant: onRecord(class, func(f *file, h *header, at uint64) bool { f.put(at, 8, f.get(at, 8)+16); return true })},
		{name: "record of " + what + " with another addend", plant: onRecord(class, func(f *file, h *header, at uint64) bool {
			if h.kind == kindRel {
				return false
			}
			f.put(at+16, 8, f.get(at+16, 8)+32) // a word further may be a NOP that was put in
			return true
		})},
	}
}

var recordFaults = func() []fault {
	var list []fault
	for _, c := range [][2]string{{".text.", "code"}, {".nv.global.init", "initialised data"}, {".nv.constant3", "a constant bank"}, {"merc", "the Mercury side"}} {
		for _, x := range recordFaultsOf(c[0], c[1]) {
			x.mercury = c[0] == "merc"
			list = append(list, x)
		}
	}
	return list
}()

// onSymbol plants a fault into one symbol.
func onSymbol(table int, ok func(f *file, s *symbol) bool, change func(f *file, s *symbol)) func(*file) string {
	return func(f *file) string {
		s := f.pickSymbol(table, func(s *symbol) bool { return ok(f, s) })
		if s == nil {
			return ""
		}
		change(f, s)
		return s.name
	}
}

func defined(s *symbol) bool { return s.shndx != 0 && s.shndx < 0xff00 }

func kernelSymbol(f *file, s *symbol) bool {
	return s.kind == 2 && s.other&0x10 != 0 && defined(s)
}

func deviceSymbol(f *file, s *symbol) bool {
	return s.kind == 2 && s.other&0x10 == 0 && defined(s) && s.bind == 1
}

// object is a variable with a place that other code or the host may name.
func object(f *file, s *symbol) bool {
	return s.kind != 2 && s.kind != 3 && s.bind != 0 && defined(s) && s.size >= 4 && int(s.shndx) < len(f.sections) &&
		(strings.HasPrefix(f.sections[s.shndx].name, ".nv.global") || strings.HasPrefix(f.sections[s.shndx].name, ".nv.constant3") || strings.HasPrefix(f.sections[s.shndx].name, ".nv.constant.user"))
}

// symbolFaultsOf are the faults of one sort of symbols in one of the tables.
func symbolFaultsOf(table int, what string, ok func(f *file, s *symbol) bool) []fault {
	list := []fault{
		{name: what + " of another type", plant: onSymbol(table, ok, func(f *file, s *symbol) { f.put(s.at+4, 1, uint64(s.bind*16|(s.kind^3))) })},
		{name: what + " is local", plant: onSymbol(table, ok, func(f *file, s *symbol) { f.put(s.at+4, 1, uint64(s.kind)) })},
		{name: what + " with another st_other", plant: onSymbol(table, ok, func(f *file, s *symbol) { f.put(s.at+5, 1, uint64(s.other^0x10)) })},
		{name: what + " in another section", plant: onSymbol(table, ok, func(f *file, s *symbol) { f.put(s.at+6, 2, uint64(s.shndx)-1) })},
		{name: what + " undefined", plant: onSymbol(table, ok, func(f *file, s *symbol) { f.put(s.at+6, 2, 0) })},
		{name: what + " at another place", plant: onSymbol(table, ok, func(f *file, s *symbol) { f.put(s.at+8, 8, s.value+64) })},
		{name: what + " of another size", plant: onSymbol(table, ok, func(f *file, s *symbol) { f.put(s.at+16, 8, s.size-4) })},
		{name: what + " renamed", plant: onSymbol(table, ok, func(f *file, s *symbol) {
			f.put(s.at, 4, f.get(s.at, 4)+1)
		})},
		{name: what + " changes places with another", plant: func(f *file) string {
			a := f.pickSymbol(table, func(s *symbol) bool { return ok(f, s) })
			if a == nil {
				return ""
			}
			b := f.pickSymbol(table, func(s *symbol) bool {
				alike := s.shndx == a.shndx && s.size == a.size && f.sections[s.shndx].name == ".nv.global" // of no value
				return ok(f, s) && s.at != a.at && (s.shndx != a.shndx || s.value != a.value) && s.name != a.name && !alike
			})
			if b == nil {
				return ""
			}
			x := string(f.bytes[a.at+6 : a.at+24])
			copy(f.bytes[a.at+6:], f.bytes[b.at+6:b.at+24])
			copy(f.bytes[b.at+6:], x)
			return a.name + "|" + b.name
		}},
	}
	for i := range list {
		list[i].mercury = table == 1
	}
	return list
}

var symbolFaults = func() []fault {
	var list []fault
	list = append(list, symbolFaultsOf(0, "kernel's symbol", kernelSymbol)...)
	list = append(list, symbolFaultsOf(0, "function's symbol", deviceSymbol)...)
	list = append(list, symbolFaultsOf(0, "variable's symbol", object)...)
	list = append(list, symbolFaultsOf(1, "Mercury symbol of a kernel", kernelSymbol)...)
	list = append(list, symbolFaultsOf(1, "Mercury symbol of a variable", object)...)
	return list
}()
