package main

import "strings"

// Faults that a linker's author makes in one place, and that were accepted once: faults drawn in a linker's source show
// them.

// sharedOf picks a kernel's section of shared memory with variables in it.
func (f *file) sharedOf() *header {
	return f.pickSection(func(h *header) bool {
		return strings.HasPrefix(h.name, ".nv.shared.") && !strings.HasPrefix(h.name, ".nv.shared.reserved") && h.size > 0 && h.size != 0x400
	})
}

// onShared plants a fault into the header of such a section.
func onShared(change func(f *file, h *header)) func(*file) string {
	return func(f *file) string {
		h := f.sharedOf()
		if h == nil || f.relocatable {
			return ""
		}
		change(f, h)
		return h.name + "|" + strings.TrimPrefix(h.name, ".nv.shared.")
	}
}

// onRegister plants a fault into where the first register of the source is, of a function that is defined once.
func onRegister(change func(f *file, at uint64)) func(*file) string {
	return func(f *file) string {
		h := f.pickSection(func(h *header) bool { return h.name == ".nv_debug_info_reg_sass" && h.size > 32 })
		if h == nil || len(f.several) > 0 {
			return ""
		}
		name := f.text(h.off)
		at := h.off + uint64(len(name)) + 1
		if name == "" || f.get(at, 4) == 0 {
			return ""
		}
		at += 8 // the number of entries, and what kind the first is
		at += uint64(len(f.text(at))) + 1
		change(f, at)
		return h.name + "|" + name
	}
}

var forgottenFaults = []fault{
	{name: "shared memory of a kernel gone", plant: onShared(dropped)},
	{name: "shared memory of a kernel without an end", plant: onShared(func(f *file, h *header) { f.put(h.at+32, 8, 1<<64-20) })},
	{name: "an alignment that is no power of two", plant: onShared(func(f *file, h *header) { f.put(h.at+48, 8, 3*max(h.align, 1)) })},
	{name: "more barriers than there are", plant: ofKernel(func(f *file, _ *header, a attribute) bool { f.put(a.value, 1, 0xff); return true }, attrNumBarriers)},
	{name: "a register of the source in another", plant: onRegister(func(f *file, at uint64) { f.put(at, 4, f.get(at, 4)^1) })},
	{name: "a register of the source from elsewhere on", plant: onRegister(func(f *file, at uint64) { f.put(at+4, 4, f.get(at+4, 4)+0x100) })},
}
