package place

import (
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/reach"
	"github.com/twinlink/twinlink/oracle/check/internal/resolve"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// The table of one object is the end of another's, which follows it: where the order of the
// inputs has the short one its bytes are too, but then the long one has no place.
//
// Source: a link of two objects with -r by nvlink 13.3.73, of which the second was named first.
func TestPartAtEndOfAnother(t *testing.T) {
	const short, long = "k0 five", "k1 many k0 five"
	first := &link.Part{Mod: &link.Module{Image: &image.Image{}}, Section: &image.Section{Body: []byte(long), Size: uint64(len(long))}}
	second := &link.Part{Mod: &link.Module{Image: &image.Image{}}, Section: &image.Section{Body: []byte(short), Size: uint64(len(short))}, Base: uint64(len(long))}
	out := short + long
	for _, name := range []string{".nv_debug_info_reg_sass", ".debug_line"} {
		c := &Places{Reach: &reach.Reach{Resolved: &resolve.Resolved{Link: link.New(0, verdict.Options{})}}}
		c.Out = &link.Output{Image: &image.Image{}}
		a := &link.Area{Name: name, Parts: []*link.Part{first, second}, Out: &image.Section{Body: []byte(out), Size: uint64(len(out))}}
		first.Placed, second.Placed = false, false
		first.Base, second.Base = 0, uint64(len(long))
		if err := c.placeByContent(a, a.Parts); err != nil {
			t.Fatal(err)
		}
		if !first.Placed || !second.Placed || first.Base != uint64(len(short)) || second.Base != 0 {
			t.Errorf("%s: the long one at %d, the short one at %d", name, first.Base, second.Base)
		}
	}
}
