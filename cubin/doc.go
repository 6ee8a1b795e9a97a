// Package cubin reads and writes NVIDIA's device objects and images: ELF64,
// little endian, machine 190.
//
// A File is a view of bytes somebody else owns. Nothing is copied: sections,
// names and records are sub-slices of the input, cut by one checked helper
// (Window). Open validates every extent once, so that the accessors after it
// can't fail on them; what Open can't know (the shape of a section's content)
// is checked by the iterator that walks it, which ends with an *Error that
// names file, section, offset and value.
package cubin
