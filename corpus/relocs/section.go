package relocs

import "bytes"

// Section returns the object's share of the place as the image has it, for a
// result in which it was linked and is not gone. It is the place of the inputs
// with Result.Changed and Result.After written over it. A place without file
// bytes gives nil.
//
// The first four bytes of a capsule are left as they were: they are the number
// of a section in the file.
func (v *Vector) Section(inputs []Input, r Result) []byte {
	return v.written(Section(inputs, v.Place), "", r)
}

// Text returns what the finalizer makes of the place, the text of a capsule or
// the data that a Mercury section repeats, as the image has it; nil for other
// places.
func (v *Vector) Text(inputs []Input, r Result) []byte {
	name := CounterpartOf(v.Place)
	if name == "" {
		return nil
	}
	return v.written(Section(inputs, name), name, r)
}

func (v *Vector) written(was []byte, name string, r Result) []byte {
	is := bytes.Clone(was)
	for _, run := range r.Changed {
		if run.Section == name && run.Offset < uint64(len(is)) {
			copy(is[run.Offset:], run.Bytes)
		}
	}
	if at := v.Records[0].Offset; name == "" && at < uint64(len(is)) {
		copy(is[at:], r.After)
	}
	return is
}
