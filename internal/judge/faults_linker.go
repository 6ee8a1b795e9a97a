package main

import (
	"slices"
	"strings"
)

// Faults of a linker or a stripper that is nearly right: a wrong owner, one entry too few, a number
// of something else.

// anyAttribute plants a fault into one record of a kernel's or function's .nv.info, or of the file's.
func anyAttribute(change func(f *file, h *header, a attribute) bool) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.kind == kindInfo && h.size >= 8 })
		if h == nil {
			return ""
		}
		all := f.attributes(h)
		if a := all[f.r.Below(len(all))]; a.attr == 0x37 || !change(f, h, a) { // CUDA_API_VERSION: of nobody's use
			return ""
		}
		return h.name + "|" + strings.TrimPrefix(h.name, ".nv.info.")
	}
}

// sameSize picks another section with a size and the beginning of the name, and other bytes.
func (f *file) sameSize(h *header, prefix string) *header {
	return f.pickSection(func(o *header) bool {
		return o.at != h.at && o.size == h.size && strings.HasPrefix(o.name, prefix) && string(f.bytes[o.off:o.off+o.size]) != string(f.bytes[h.off:h.off+h.size])
	})
}

// exchanged plants two sections of a sort that have each other's bytes.
func exchanged(prefix string) func(*file) string {
	return func(f *file) string {
		a := f.pickSection(sectionsOf(prefix))
		if a == nil {
			return ""
		}
		b := f.sameSize(a, prefix)
		if b == nil {
			return ""
		}
		x := string(f.bytes[a.off : a.off+a.size])
		copy(f.bytes[a.off:], f.bytes[b.off:b.off+b.size])
		copy(f.bytes[b.off:], x)
		return a.name + "|" + b.name + "|" + strings.TrimPrefix(a.name, prefix) + "|" + strings.TrimPrefix(b.name, prefix)
	}
}

func anySymbol(ok func(f *file, s *symbol) bool) func(f *file, s *symbol) bool {
	return func(f *file, s *symbol) bool {
		return defined(s) && (kernelSymbol(f, s) || deviceSymbol(f, s) || object(f, s)) && ok(f, s)
	}
}

var linkerFaults = []fault{
	{name: "a byte of an attribute", plant: anyAttribute(func(f *file, h *header, a attribute) bool {
		if a.length == 0 {
			return false
		}
		at := uint64(f.r.Below(int(a.length)))
		f.bytes[a.value+at] ^= 1 << f.r.Below(8)
		return a.attr != attrKparam || at >= 4 // its number, which nothing reads
	})},
	{name: "an attribute removed", plant: anyAttribute(func(f *file, h *header, a attribute) bool {
		end := a.value + a.length
		copy(f.bytes[a.at:], f.bytes[end:h.off+h.size])
		f.put(h.at+32, 8, h.size-(end-a.at))
		return true
	})},
	{name: "attributes of two functions exchanged", plant: exchanged(".nv.info.")},
	{name: "constants of two kernels exchanged", plant: exchanged(".nv.constant2.")},
	{name: "symbol weak that was global, or the other way round", plant: onSymbol(0, anySymbol(func(_ *file, s *symbol) bool { return s.bind == 1 }), func(f *file, s *symbol) { f.put(s.at+4, 1, uint64(2*16|s.kind)) })},
	{name: "symbol hidden or no more", plant: onSymbol(0, anySymbol(func(*file, *symbol) bool { return true }), func(f *file, s *symbol) { f.put(s.at+5, 1, uint64(s.other^2)) })},
	{name: "symbol larger", plant: onSymbol(0, anySymbol(func(*file, *symbol) bool { return true }), func(f *file, s *symbol) { f.put(s.at+16, 8, s.size+4) })},
	{name: "symbol a word further", plant: onSymbol(0, anySymbol(func(*file, *symbol) bool { return true }), func(f *file, s *symbol) { f.put(s.at+8, 8, s.value+4) })},
	{name: "two symbols' names exchanged", plant: func(f *file) string {
		a := f.pickSymbol(0, func(s *symbol) bool { return kernelSymbol(f, s) || deviceSymbol(f, s) })
		if a == nil {
			return ""
		}
		b := f.pickSymbol(0, func(s *symbol) bool {
			return s.name != a.name && s.kind == a.kind && s.other == a.other && defined(s) && s.bind != 0
		})
		if b == nil {
			return ""
		}
		x, y := f.get(a.at, 4), f.get(b.at, 4)
		f.put(a.at, 4, y)
		f.put(b.at, 4, x)
		return a.name + "|" + b.name
	}},
	{name: "fewer registers in the header of code", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.code() && h.info>>24 > 8 })
		if h == nil {
			return ""
		}
		f.put(h.at+44, 4, uint64(h.info)-1<<24)
		return h.name
	}},
	{name: "fewer barriers in the header of code", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.code() && h.flags>>20%128 > 0 })
		if h == nil {
			return ""
		}
		f.put(h.at+8, 8, h.flags-1<<20)
		return h.name
	}},
	{name: "number of local symbols", plant: func(f *file) string {
		h := &f.sections[f.symtabs[0]]
		f.put(h.at+44, 4, uint64(h.info)+1)
		return h.name
	}},
	{name: "an edge of the call graph is another's twice", plant: onPair(func(f *file, at uint64) { copy(f.bytes[at:at+8], f.bytes[at-8:at]) })},
	{name: "two entries of a jump table exchanged", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return strings.HasPrefix(h.name, ".nv.constant2.") && h.size >= 16 })
		if h == nil || len(f.several) > 0 {
			return ""
		}
		x, y := f.get(h.off, 4), f.get(h.off+4, 4)
		if x == y || x%16 != 0 || y%16 != 0 {
			return ""
		}
		f.put(h.off, 4, y)
		f.put(h.off+4, 4, x)
		return h.name
	}},
	{name: "a branch one word further", plant: onWord(isOp(opBra, 0x547), func(f *file, at uint64) { f.moveBranch(at, 4) })},
	{name: "a BSSY one word further", plant: onWord(isOp(opBssy), func(f *file, at uint64) { f.field(at, 34, 30, f.low(at)>>34+4) })},
	{name: "a byte of lines", plant: onBytes(".debug_line", ".nv_debug_line_sass")},
	{name: "a byte of frames", plant: onBytes(".debug_frame")},
	{name: "a byte of other debug information", plant: onBytes(".debug_info", ".debug_abbrev", ".debug_loc", ".debug_ranges", ".nv_debug_info_reg_sass", ".nv_debug_info_reg_type", ".debug_str")},
}

// onBytes changes a byte of sections of these names.
func onBytes(names ...string) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(func(h *header) bool {
			return h.size > 0 && slices.Contains(names, h.name)
		})
		if h == nil {
			return ""
		}
		f.bytes[h.off+uint64(f.r.Below(int(h.size)))] ^= 1 << f.r.Below(8)
		return h.name
	}
}
