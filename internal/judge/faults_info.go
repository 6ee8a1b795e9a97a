package main

import (
	"fmt"
	"slices"
	"strings"
)

// attribute is one record of .nv.info.
type attribute struct {
	at     uint64 // of its format
	attr   byte
	value  uint64 // where the value begins
	length uint64
}

func (f *file) attributes(h *header) []attribute {
	var list []attribute
	for at := h.off; at+4 <= h.off+h.size; {
		a := attribute{at: at, attr: byte(f.get(at+1, 1)), value: at + 2, length: 2}
		if f.get(at, 1) == 4 {
			a.value, a.length = at+4, f.get(at+2, 2)
			at += a.length
		}
		list = append(list, a)
		at += 4
	}
	return list
}

// pickAttribute returns one of those named that a section has, if it has any.
func (f *file) pickAttribute(h *header, attrs ...byte) (a attribute, ok bool) {
	found := slices.DeleteFunc(f.attributes(h), func(a attribute) bool { return !slices.Contains(attrs, a.attr) })
	if len(found) == 0 {
		return attribute{}, false
	}
	return found[f.r.Below(len(found))], true
}

// attributeNames are the attributes that tell the driver something a kernel needs.
var attributeNames = map[byte]string{
	0x0a: "PARAM_CBANK", 0x10: "MAX_THREADS... REQNTID", 0x11: "FRAME_SIZE", 0x12: "MIN_STACK_SIZE", 0x17: "KPARAM_INFO", 0x19: "CBANK_PARAM_SIZE", 0x1b: "MAXREG_COUNT",
	0x1c: "EXIT_INSTR_OFFSETS", 0x1e: "CRS_STACK_SIZE", 0x2f: "REGCOUNT", 0x4c: "NUM_BARRIERS", 0x0f: "EXTERNS", 0x05: "MAX_THREADS", 0x37: "CUDA_API_VERSION",
}

func infoFaultsOf(attr byte, name string, mercury bool) []fault {
	kind, side := uint32(kindInfo), ""
	if mercury {
		kind, side = kindMercInfo, " of the Mercury side"
	}
	on := func(change func(f *file, h *header, a attribute) bool) func(*file) string {
		return func(f *file) string {
			h := f.pickSection(func(h *header) bool {
				if h.kind != kind {
					return false
				}
				return slices.ContainsFunc(f.attributes(h), func(a attribute) bool { return a.attr == attr })
			})
			if h == nil {
				return ""
			}
			if a, ok := f.pickAttribute(h, attr); !ok || !change(f, h, a) {
				return ""
			}
			return h.name + "|" + strings.TrimPrefix(strings.TrimPrefix(h.name, ".nv.merc"), ".nv.info.")
		}
	}
	list := []fault{
		{name: name + side + " is another attribute", plant: on(func(f *file, h *header, a attribute) bool { f.put(a.at+1, 1, 0x7d); return true }), mercury: mercury},
		{name: name + side + " smaller", plant: on(func(f *file, h *header, a attribute) bool {
			at, width := a.value, 2
			switch {
			case a.length >= 8:
				at, width = a.value+4, 4
			case a.length == 4:
				width = 4
			}
			if n := f.get(at, width); n > 0 {
				f.put(at, width, n-1)
				return true
			}
			return false
		}), mercury: mercury},
	}
	if attr == 0x11 || attr == 0x12 || attr == 0x2f {
		list = append(list, fault{name: name + side + " about another function", plant: on(func(f *file, h *header, a attribute) bool {
			f.put(a.value, 4, f.get(a.value, 4)^1)
			return true
		}), mercury: mercury})
	}
	return list
}

var infoFaults = func() []fault {
	var list []fault
	for attr := range byte(0x80) {
		name := attributeNames[attr]
		if name == "" {
			continue
		}
		list = append(list, infoFaultsOf(attr, fmt.Sprintf("attribute %s", name), false)...)
		if attr == 0x2f || attr == 0x17 || attr == 0x12 {
			list = append(list, infoFaultsOf(attr, fmt.Sprintf("attribute %s", name), true)...)
		}
	}
	return list
}()

// onFile plants a fault into the ELF header or a program header.
func onFile(at uint64, width int, change func(n uint64) uint64) func(*file) string {
	return func(f *file) string {
		f.put(at, width, change(f.get(at, width)))
		return "file"
	}
}

func onSegment(at uint64, width int, change func(n uint64) uint64) func(*file) string {
	return func(f *file) string {
		phoff, n := f.get(32, 8), f.get(56, 2)
		if phoff == 0 || n == 0 {
			return ""
		}
		for i := range n {
			if p := phoff + 56*i; f.get(p, 4) == 1 && f.get(p+32, 8) > 0 {
				f.put(p+at, width, change(f.get(p+at, width)))
				return "file"
			}
		}
		return ""
	}
}

var fileFaults = []fault{
	{name: "another architecture in e_flags", plant: onFile(48, 4, func(n uint64) uint64 { return n ^ 0x0303 })},
	{name: "another e_type", plant: onFile(16, 2, func(n uint64) uint64 { return n ^ 3 })},
	{name: "another e_machine", plant: onFile(18, 2, func(n uint64) uint64 { return 62 })},
	{name: "another OS ABI", plant: onFile(7, 1, func(n uint64) uint64 { return n ^ 0x11 })},
	{name: "another ABI version", plant: onFile(8, 1, func(n uint64) uint64 { return n + 1 })},
	{name: "another class of ELF", plant: onFile(4, 1, func(n uint64) uint64 { return 1 })},
	{name: "fewer sections", plant: onFile(60, 2, func(n uint64) uint64 { return n - 2 })},
	{name: "segment shorter", plant: onSegment(32, 8, func(n uint64) uint64 { return n - min(n, 256) })},
	{name: "segment elsewhere", plant: onSegment(8, 8, func(n uint64) uint64 { return n + 128 })},
	{name: "segment of another type", plant: onSegment(0, 4, func(n uint64) uint64 { return 4 })},
	{name: "segment of other permissions", plant: onSegment(4, 4, func(n uint64) uint64 { return n ^ 3 })},
	{name: "file cut short", plant: func(f *file) string {
		f.bytes = f.bytes[:len(f.bytes)-len(f.bytes)/3]
		return "file"
	}},
	{name: "compatibility of another kind", plant: func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.name == ".nv.compat" && h.size >= 8 })
		if h == nil {
			return ""
		}
		all := f.attributes(h)
		a := all[f.r.Below(len(all))]
		if a.attr > 10 {
			return "" // 11 and up: what they say is not known
		}
		f.put(a.value, 1, f.get(a.value, 1)+1)
		return h.name
	}},
}

// onCapsule plants a fault into a capsule.
func onCapsule(change func(f *file, h *header) bool) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.kind == kindCapsule && h.size > 64 })
		if h == nil || !change(f, h) {
			return ""
		}
		return h.name + "|" + strings.TrimPrefix(h.name, ".nv.capmerc")
	}
}

// records is where the records of a capsule begin.
func (f *file) records(h *header) uint64 { return h.off + 12 + (f.get(h.off+8, 4)+31)/32*4 }

var capsuleFaults = []fault{
	{name: "capsule of noise", mercury: true, plant: onCapsule(func(f *file, h *header) bool {
		for i := range h.size - 12 {
			f.bytes[h.off+12+i] = byte(f.r.Below(256))
		}
		return true
	})},
	{name: "capsule of another function", mercury: true, plant: onCapsule(func(f *file, h *header) bool {
		f.put(h.off, 4, f.get(h.off, 4)+1)
		return true
	})},
	{name: "capsule of another version", mercury: true, plant: onCapsule(func(f *file, h *header) bool { f.put(h.off+4, 4, 0xc0000002); return true })},
	{name: "capsule with fewer nodes", mercury: true, plant: onCapsule(func(f *file, h *header) bool { f.put(h.off+8, 4, f.get(h.off+8, 4)-1); return true })},
	{name: "node of a capsule of another kind", mercury: true, plant: onCapsule(func(f *file, h *header) bool {
		n := f.get(h.off+8, 4)
		i := uint64(f.r.Below(int(n)))
		f.bytes[h.off+12+i/8] ^= 1 << (i % 8)
		return true
	})},
	{name: "byte of a capsule's records", mercury: true, plant: onCapsule(func(f *file, h *header) bool {
		from := f.records(h)
		if from >= h.off+h.size {
			return false
		}
		f.bytes[from+uint64(f.r.Below(int(h.off+h.size-from)))] ^= byte(1 + f.r.Below(255))
		return true
	})},
	{name: "capsule cut short", mercury: true, plant: onCapsule(func(f *file, h *header) bool { f.put(h.at+32, 8, h.size-16); return true })},
	{name: "two capsules swapped", mercury: true, plant: func(f *file) string {
		a := f.pickSection(func(h *header) bool { return h.kind == kindCapsule })
		if a == nil {
			return ""
		}
		b := f.pickSection(func(h *header) bool { return h.kind == kindCapsule && h.at != a.at && h.size != a.size })
		if b == nil {
			return ""
		}
		return f.swap(a, b)
	}},
}
