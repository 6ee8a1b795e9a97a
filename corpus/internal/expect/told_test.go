package expect

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
)

// An answer that isn't nvlink's is told: one of another kind, with a byte, a record or a message that differs.
func TestToldApart(t *testing.T) {
	m, err := relocs.Templates()
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]int{}
	n := 0
	for v := range relocs.Vectors() {
		if n++; n%67 != 0 {
			continue
		}
		inputs, err := v.Inputs()
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(m, v, inputs)
		if err != nil {
			t.Fatal(err)
		}
		release := v.Releases()[0]
		right, _ := v.Result(release)
		want, err := c.Of(release)
		if err != nil || right.Verdict == relocs.Acceptable || strange(v) || c.Check(release, right) != nil {
			continue
		}
		for what, change := range wrong(want, right, v) {
			got := right
			change(&got)
			asked[what]++
			if err := c.Check(release, got); err == nil || errors.As(err, new(*Unknown)) || !strings.HasPrefix(err.Error(), "rules: ") {
				t.Errorf("%s: %s: %v", v.ID, what, err)
			}
		}
	}
	for _, what := range []string{"refused", "linked", "message", "gone", "a byte", "a byte elsewhere", "no record", "another record", "a record more", "a saved record more", "no saved record"} {
		if asked[what] < 2 {
			t.Errorf("%s: %d times", what, asked[what])
		}
	}
}

// wrong are changes of a result that make it another.
func wrong(want Outcome, right relocs.Result, v *relocs.Vector) map[string]func(*relocs.Result) {
	list := map[string]func(*relocs.Result){}
	record := relocs.Record{Offset: 1 << 40, Type: 1, Symbol: "none"}
	switch right.Did {
	case relocs.Refused:
		list["linked"] = func(r *relocs.Result) { r.Did = relocs.Linked }
		list["message"] = func(r *relocs.Result) { r.Message = "something else" }
		return list
	case relocs.Linked:
	default:
		return nil
	}
	list["refused"] = func(r *relocs.Result) { r.Did, r.Message = relocs.Refused, "Internal error: x" }
	list["gone"] = func(r *relocs.Result) { r.Gone = !r.Gone }
	if right.Gone {
		return list
	}
	if want.Place != nil && len(right.After) > 0 {
		list["a byte"] = func(r *relocs.Result) {
			r.After = bytes.Clone(r.After)
			r.After[len(r.After)-1] ^= 0x10
		}
	}
	if at := uint64(len(want.Place)); want.Place != nil && at > 48 && v.Records[0].Offset < at-40 {
		list["a byte elsewhere"] = func(r *relocs.Result) {
			r.Changed = append(slices.Clone(r.Changed), relocs.Run{Offset: at - 1, Bytes: []byte{want.Place[at-1] ^ 1}})
		}
	}
	if !want.SomeKept {
		list["a record more"] = func(r *relocs.Result) { r.Kept = append(slices.Clone(r.Kept), record) }
		list["a saved record more"] = func(r *relocs.Result) { r.Saved = append(slices.Clone(r.Saved), record) }
	}
	if len(want.Kept) > 0 {
		list["no record"] = func(r *relocs.Result) { r.Kept = nil }
		list["another record"] = func(r *relocs.Result) {
			r.Kept = slices.Clone(r.Kept)
			for i := range r.Kept {
				r.Kept[i].Addend ^= 64
			}
		}
	}
	if len(want.Saved) > 0 {
		list["no saved record"] = func(r *relocs.Result) { r.Saved = nil }
	}
	return list
}

// What the finalizer schedules are the bits 105 to 125 of each instruction.
func TestUnschedule(t *testing.T) {
	text := bytes.Repeat([]byte{0xff}, 40) // two instructions and a half
	unschedule(text)
	one := append(bytes.Repeat([]byte{0xff}, 13), 0x01, 0x00, 0xc0)
	if want := append(append(bytes.Clone(one), one...), bytes.Repeat([]byte{0xff}, 8)...); !bytes.Equal(text, want) {
		t.Errorf("%x, want %x", text, want)
	}
}

// A number is written bit by bit where it begins, and nothing beside it.
func TestPutBits(t *testing.T) {
	for _, c := range []struct {
		start uint
		width int
		want  []byte
	}{{0, 8, []byte{0xa5, 0, 0, 0}}, {4, 8, []byte{0x50, 0x0a, 0, 0}}, {38 - 32, 16, []byte{0x40, 0xe9, 0x0f, 0}}, {3, 1, []byte{8, 0, 0, 0}}, {3, 0, []byte{0, 0, 0, 0}}} {
		place := make([]byte, 4)
		putBits(place, c.start, c.width, []byte{0xa5, 0x3f})
		full := bytes.Repeat([]byte{0xff}, 4)
		putBits(full, c.start, c.width, []byte{0xa5, 0x3f})
		for i := range 32 {
			inside := uint(i) >= c.start && uint(i) < c.start+uint(c.width)
			if bit := place[i/8] >> (i % 8) & 1; bit != c.want[i/8]>>(i%8)&1 || !inside && full[i/8]>>(i%8)&1 != 1 || inside && full[i/8]>>(i%8)&1 != bit {
				t.Errorf("%d bits from %d: %x, %x, want %x", c.width, c.start, place, full, c.want)
				break
			}
		}
	}
}

// Types that aren't in the table of their place, and those whose addend the finalizer takes for a place.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		place string
		typ   uint32
		want  bool
	}{
		{".text.k", 0, false}, {".text.k", cuda.R_CUDA_NONE_LAST, false}, {".text.k", cuda.R_CUDA_NONE_LAST + 1, true}, {".text.k", cuda.MercuryBase, true},
		{".nv.merc.x", cuda.MercuryBase, false}, {".nv.capmerc.text.k", cuda.MercuryBase + 63, false}, {".nv.capmerc.text.k", cuda.MercuryBase + 64, true}, {".nv.merc.x", 5, true},
	} {
		for _, more := range [][]relocs.Record{nil, {{Type: c.typ}}} {
			if got := strange(&relocs.Vector{Place: c.place, Records: append([]relocs.Record{{Type: c.typ}}, more...)}); got != c.want {
				t.Errorf("%s, type %#x: %v", c.place, c.typ, got)
			}
		}
	}
	for typ, want := range map[uint32]bool{
		cuda.R_MERCURY_PROG_REL32: true, cuda.R_MERCURY_PROG_REL32_LO: true, cuda.R_MERCURY_PROG_REL32_HI: true, cuda.R_MERCURY_ABS_PROG_REL32_LO: true, cuda.R_MERCURY_ABS_PROG_REL32_HI: true,
		cuda.R_MERCURY_PROG_REL64: false, cuda.R_MERCURY_ABS32: false, cuda.R_CUDA_32: false,
	} {
		if got := searches(typ); got != want {
			t.Errorf("%#x: %v", typ, got)
		}
	}
	for place, want := range map[string][3]bool{ // of the Mercury group, a capsule, read by the finalizer
		".text.k": {}, ".nv.merc.nv.global": {true, false, false}, ".nv.merc.debug_frame": {true, false, true}, ".nv.capmerc.text.k": {true, true, true}, ".debug_frame": {},
	} {
		c := &link{Case: &Case{v: &relocs.Vector{Place: place}}}
		if got := [3]bool{c.mercury(), c.capsule(), finalized(place)}; got != want {
			t.Errorf("%s: %v", place, got)
		}
	}
}

// Where two places differ is told with some bytes from there on, or from the record on where that is near.
func TestEqual(t *testing.T) {
	want, is := bytes.Repeat([]byte{1}, 64), bytes.Repeat([]byte{1}, 64)
	if err := equal("text", want, is, 0); err != nil {
		t.Error(err)
	}
	is[20] = 2
	for near, text := range map[uint64]string{
		0: "rules: text " + strings.Repeat("01", 24) + " at 0x14; nvlink: 02" + strings.Repeat("01", 23), 20: "rules: text " + strings.Repeat("01", 24) + " at 0x14; nvlink: 02" + strings.Repeat("01", 23),
		5: "rules: text " + strings.Repeat("01", 24) + " at 0x5; nvlink: " + strings.Repeat("01", 15) + "02" + strings.Repeat("01", 8), 4: "rules: text " + strings.Repeat("01", 24) + " at 0x14; nvlink: 02" + strings.Repeat("01", 23),
	} {
		if err := equal("text", want, is, near); err == nil || err.Error() != text {
			t.Errorf("near %d: %v, want %s", near, err, text)
		}
	}
}
