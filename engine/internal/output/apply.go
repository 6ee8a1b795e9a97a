package output

import (
	"github.com/twinlink/twinlink/engine/descriptor"
)

// ApplyAt patches a place. A field may end after its section: what is inside
// is written as if it didn't.
func ApplyAt(place []byte, d *descriptor.Descriptor, v *descriptor.Values) (uint64, error) {
	if len(place) >= d.Span() {
		return d.Apply(place, v)
	}
	var whole [descriptor.MaxSpan]byte
	copy(whole[:], place)
	old, err := d.Apply(whole[:], v)
	copy(place, whole[:])
	return old, err
}

// Clear makes n bytes at a place of a section zero, if all are in it.
func Clear(body []byte, at, n uint64) {
	if size := uint64(len(body)); at <= size && n <= size-at {
		clear(body[at : at+n])
	}
}
