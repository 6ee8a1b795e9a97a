package check

import "testing"

// The table of one object is the end of another's, which stands behind it: where the order of the
// inputs has the short one its bytes are too, but then the long one has no place.
//
// Source: a link of two objects with -r by nvlink 13.3.73, of which the second was named first.
func TestPartAtEndOfAnother(t *testing.T) {
	const short, long = "k0 five", "k1 many k0 five"
	first := &part{mod: &module{image: &image{}}, section: &section{body: []byte(long), size: uint64(len(long))}}
	second := &part{mod: &module{image: &image{}}, section: &section{body: []byte(short), size: uint64(len(short))}, base: uint64(len(long))}
	out := short + long
	for _, name := range []string{".nv_debug_info_reg_sass", ".debug_line"} {
		c := newCheck(nil, nil, Options{})
		c.out = &output{image: &image{}}
		a := &area{name: name, parts: []*part{first, second}, out: &section{body: []byte(out), size: uint64(len(out))}}
		first.placed, second.placed = false, false
		first.base, second.base = 0, uint64(len(long))
		if err := c.placeByContent(a, a.parts); err != nil {
			t.Fatal(err)
		}
		if !first.placed || !second.placed || first.base != uint64(len(short)) || second.base != 0 {
			t.Errorf("%s: the long one at %d, the short one at %d", name, first.base, second.base)
		}
	}
}
