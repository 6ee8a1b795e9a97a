package learn

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/mercury/internal/fit"
)

// word is a SASS word of two halves.
func word(lo, hi uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, lo), hi)
}

func words(list ...[]byte) []byte { return bytes.Join(list, nil) }

// What surroundings add to the words of a node, and the schedule, don't count.
func TestOut(t *testing.T) {
	load, mov, bar := word(0x84|0xf9<<8|0xffff<<16, 0), word(0x202, 5), word(0x91d, 0)
	fence, behind := word(0x992, 0x8000), word(0x992, 0x4000)
	for _, c := range []struct {
		what string
		in   []byte
		sig  string
		bits []uint64
	}{
		{"nothing", nil, "", nil},
		{"a word", mov, "202", []uint64{0x202, 5}},
		{"a guard", word(0x7202, 5), "202", []uint64{0x7202, 5}},
		{"two words", words(mov, bar), "202 91d", []uint64{0x202, 5, 0x91d, 0}},
		{"part of a word", words(mov, bar[:15]), "202", []uint64{0x202, 5}},
		{"a schedule", word(0x202, 5|1<<41|1<<61), "202", []uint64{0x202, 5}},
		{"beside a schedule", word(0x202, 1<<40|1<<62|1<<63), "202", []uint64{0x202, 1<<40 | 1<<62 | 1<<63}},
		{"zeros", words(mov, word(0, 0)), "", nil},
		{"zeros but for a schedule", words(mov, word(0, 1<<41)), "", nil},
		{"a load that hides a hazard", words(load, mov), "202", []uint64{0x202, 5}},
		{"two of them", words(load, load, mov), "202", []uint64{0x202, 5}},
		{"that load alone", load, "984", []uint64{0x84 | 0xf9<<8 | 0xffff<<16, 0}},
		{"another load", words(word(0x84|0xf9<<8|0xfffe<<16, 0), mov), "984 202", []uint64{0x84 | 0xf9<<8 | 0xfffe<<16, 0, 0x202, 5}},
		{"two words behind", words(mov, word(0x3c6, 0), word(0x9b1, 0)), "202", []uint64{0x202, 5}},
		{"the first alone", words(mov, word(0x3c6, 0)), "202 3c6", []uint64{0x202, 5, 0x3c6, 0}},
		{"those two alone", words(word(0x3c6, 0), word(0x9b1, 0)), "3c6 9b1", []uint64{0x3c6, 0, 0x9b1, 0}},
		{"the second is another", words(mov, word(0x3c6, 0), word(0x8b1, 0)), "202 3c6 8b1", []uint64{0x202, 5, 0x3c6, 0, 0x8b1, 0}},
		{"the first is another", words(mov, word(0x2c6, 0), word(0x9b1, 0)), "202 2c6 9b1", []uint64{0x202, 5, 0x2c6, 0, 0x9b1, 0}},
		{"one in front", words(word(0x3c6, 0), word(0x5b2, 0)), "5b2", []uint64{0x5b2, 0}},
		{"one in front of another", words(word(0x3c6, 0), word(0x4b2, 0)), "3c6 4b2", []uint64{0x3c6, 0, 0x4b2, 0}},
		{"one in front of two", words(word(0x3c6, 0), word(0x5b2, 0), mov), "3c6 5b2 202", []uint64{0x3c6, 0, 0x5b2, 0, 0x202, 5}},
		{"a fence in front of one", words(fence, behind), "992", []uint64{0x992, 0x4000}},
		{"with a guard", words(word(0xf992, 0x8000), behind), "992", []uint64{0x992, 0x4000}},
		{"with a schedule", words(word(0x992, 0x8000|1<<41), behind), "992", []uint64{0x992, 0x4000}},
		{"of another kind", words(behind, fence), "992 992", []uint64{0x992, 0x4000, 0x992, 0x8000}},
		{"a fence alone", fence, "992", []uint64{0x992, 0x8000}},
		{"in front of something else", words(fence, mov), "992 202", []uint64{0x992, 0x8000, 0x202, 5}},
	} {
		got := Out(c.in)
		if got.Sig != c.sig || !slices.Equal(got.Bits, c.bits) || got.Costly {
			t.Errorf("%s: %+v, want %q %#x", c.what, got, c.sig, c.bits)
		}
	}
	if got := Bare(string(word(7, 5|1<<41|1<<61)) + "rest"); got != string(word(7, 5)) {
		t.Errorf("% x", got)
	}
}

// copies says that bit 40 of a record is the word's first bit.
func copies(sig string) *fit.Model {
	return &fit.Model{Select: map[uint64]int{0: 0}, Variants: []*fit.Variant{{Sig: sig, Size: 2, Rules: []fit.Rule{
		{Kind: fit.Bits, Dst: 0, Width: 1, Src: 40}, {Kind: fit.Const, Dst: 1, Width: 1, Add: 1}, {Kind: fit.Const, Dst: 127, Width: 1},
	}}}}
}

// Another SM agrees where it gives what the models say, of all that they know, of the first six hundred.
func TestAgree(t *testing.T) {
	m := copies("x")
	m.Locked = []fit.Lock{{At: 41, Value: 0}}
	zero, one, locked := fit.Vec{}, fit.Vec{}.Flip(40), fit.Vec{}.Flip(41)
	answer := func(v fit.Vec) fit.Out { return fit.Out{Sig: "x", Bits: []uint64{v.Bit(40) | 2, 0}} }
	for _, c := range []struct {
		what string
		in   []fit.Vec
		out  func(i int, v fit.Vec) fit.Out
		want bool
	}{
		{"the same", []fit.Vec{zero, one}, func(_ int, v fit.Vec) fit.Out { return answer(v) }, true},
		{"other bits", []fit.Vec{zero, one}, func(i int, v fit.Vec) fit.Out { o := answer(v); o.Bits[1] = uint64(i); return o }, false},
		{"another form", []fit.Vec{zero, one}, func(i int, v fit.Vec) fit.Out { o := answer(v); o.Sig = strings.Repeat("x", i+1); return o }, false},
		{"what isn't known", []fit.Vec{zero, locked}, func(i int, v fit.Vec) fit.Out { o := answer(v); o.Sig = strings.Repeat("x", i+1); return o }, true},
		{"the last of six hundred", slices.Repeat([]fit.Vec{zero}, 600), func(i int, v fit.Vec) fit.Out { o := answer(v); o.Bits[1] = uint64(i / 599); return o }, false},
		{"behind six hundred", slices.Repeat([]fit.Vec{zero}, 601), func(i int, v fit.Vec) fit.Out { o := answer(v); o.Bits[1] = uint64(i / 600); return o }, true},
	} {
		got, err := agree(t.Context(), []*fit.Model{m}, func(_ context.Context, in []fit.Vec) (out []fit.Out, err error) {
			for i, v := range in {
				out = append(out, c.out(i, v))
			}
			return out, nil
		}, c.in)
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.what, got, err)
		}
	}
	fails := errors.New("fails")
	if same, err := agree(t.Context(), []*fit.Model{m}, func(context.Context, []fit.Vec) ([]fit.Out, error) { return nil, fails }, []fit.Vec{zero}); same || err != fails {
		t.Errorf("%v, %v", same, err)
	}
	// The first model that knows the input answers; where none does the last says why.
	if o, why := Predict([]*fit.Model{m, copies("y")}, locked); why != "" || o.Sig != "y" {
		t.Errorf("%+v, %s", o, why)
	}
	if _, why := Predict([]*fit.Model{m}, locked); why != "locked" {
		t.Errorf("%q", why)
	}
	if _, why := Predict(nil, zero); why != "form" {
		t.Errorf("%q", why)
	}
}

func record32(bits ...int) []byte {
	var v fit.Vec
	for _, b := range bits {
		v = v.Flip(b)
	}
	return v.Bytes(32)
}

// Bits that nothing depends on and that no tool sets are known with their value alone, but for those of numbers.
func TestLock(t *testing.T) {
	samples := []Sample{{Record: record32(50, 60)}, {Record: record32(50, 61)}}
	m := &fit.Model{Dead: []int{61, 191, 192, 50, 51, 60, 200}}
	lock([]*fit.Model{m}, samples)
	want := []fit.Lock{{At: 50, Value: 1}, {At: 51}, {At: 191}}
	if !slices.Equal(m.Locked, want) {
		t.Errorf("%v, want %v", m.Locked, want)
	}
}

// Learning begins with records of the SM, then others, each once, seven hundred at most.
func TestSeeds(t *testing.T) {
	samples := []Sample{{SM: 90, Record: record32(1)}, {SM: 100, Record: record32(2)}, {SM: 100, Record: record32(1)}, {SM: 90, Record: record32(3)}, {SM: 90, Record: record32(3)}}
	got := seeds(samples, 100)
	if len(got) != 3 || got[0].Bit(2) != 1 || got[1].Bit(1) != 1 || got[2].Bit(3) != 1 {
		t.Errorf("%x", got)
	}
	var many []Sample
	for k := range 800 {
		many = append(many, Sample{SM: 100, Record: fit.Vec{uint64(k)}.Bytes(32)})
	}
	if got := seeds(many, 100); len(got) != 700 || got[699][0] != 699 {
		t.Errorf("%d", len(got))
	}
}

// Registers of a sequence in which ptxas has other numbers are free; elsewhere, and of a single word, it is told.
func TestFreeBits(t *testing.T) {
	two := func(bits ...int) *fit.Model {
		m := copies("202 91d")
		m.Variants[0].Rules = []fit.Rule{{Kind: fit.Const, Dst: 1, Width: 1, Add: 1}, {Kind: fit.Const, Dst: 9, Width: 1, Add: 1}, {Kind: fit.Const, Dst: 255, Width: 1}}
		for _, at := range []int{128, 130, 131, 132, 136, 139} { // 0x91d
			m.Variants[0].Rules = append(m.Variants[0].Rules, fit.Rule{Kind: fit.Const, Dst: at, Width: 1, Add: 1})
		}
		return m
	}
	for _, c := range []struct {
		what  string
		words []byte
		sm    int
		free  []int
		told  string
	}{
		{"the same", words(word(0x202, 0), word(0x91d, 0)), 100, nil, ""},
		{"a register of the first", words(word(0x202|1<<17, 0), word(0x91d, 0)), 100, []int{16, 17, 18, 19, 20, 21, 22, 23}, "free in 202 91d: 8"},
		{"registers of the second", words(word(0x202, 0), word(0x91d|1<<39, 1<<7)), 100, []int{160, 161, 162, 163, 164, 165, 166, 167, 192, 193, 194, 195, 196, 197, 198, 199}, "free in 202 91d: 16"},
		{"of another SM", words(word(0x202|1<<17, 0), word(0x91d, 0)), 90, nil, ""},
		{"no register", words(word(0x202|1<<15, 0), word(0x91d, 1<<8)), 100, nil, "ptxas has bit 15 of 00 otherwise, ptxas has bit 200 of 00 otherwise"},
		{"behind a register", words(word(0x202|1<<40, 0), word(0x91d, 0)), 100, nil, "ptxas has bit 40 of 00 otherwise"},
		{"another form", words(word(0x203, 0), word(0x91d, 0)), 100, nil, "ptxas has 203 91d for 00, nvlink 202 91d"},
	} {
		var told []string
		free := freeBits([]*fit.Model{two()}, []Sample{{SM: c.sm, Record: make([]byte, 1), Words: c.words}}, []int{100, 103}, func(f string, args ...any) { told = append(told, fmt.Sprintf(f, args...)) })
		var got []int
		for bit := range free["202 91d"] {
			got = append(got, bit)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.free) || strings.Join(told, ", ") != c.told {
			t.Errorf("%s: %v, %q; want %v, %q", c.what, got, told, c.free, c.told)
		}
	}
	one := copies("202")
	one.Variants[0].Rules = []fit.Rule{{Kind: fit.Const, Dst: 1, Width: 1, Add: 1}, {Kind: fit.Const, Dst: 9, Width: 1, Add: 1}, {Kind: fit.Const, Dst: 127, Width: 1}}
	told := 0
	if free := freeBits([]*fit.Model{one}, []Sample{{SM: 100, Record: make([]byte, 1), Words: word(0x202|1<<17, 0)}}, []int{100}, func(string, ...any) { told++ }); len(free) != 0 || told != 1 {
		t.Errorf("of a single word %v is free, told %d times", free, told)
	}
}

// Of many words of an opcode those are taken first that differ in more than registers and schedule.
func TestSpread(t *testing.T) {
	var list [][]byte
	for k := range uint64(50) {
		list = append(list, word(0x202|k<<16, 5|k<<41)) // registers and a schedule
	}
	if got := spread(list[:perOpcode]); len(got) != perOpcode || !bytes.Equal(got[1], list[1]) {
		t.Errorf("%d of %d words", len(got), perOpcode)
	}
	list = append(list, word(0x202, 5|1<<8), word(0x1202, 5), word(0x202, 5|1<<40), word(0x202, 5|1<<62))
	got := spread(list)
	if len(got) != perOpcode {
		t.Fatalf("%d words", len(got))
	}
	for k, want := range [][]byte{list[0], list[50], list[51], list[52], list[53], list[1], list[2]} {
		if !bytes.Equal(got[k], want) {
			t.Errorf("word %d is % x, want % x", k, got[k], want)
		}
	}
}

func TestRecord(t *testing.T) {
	o := record([]byte{1, 2, 3, 0xa4, 5})
	if o.Sig != "010203a4" || o.Bits[0] != 0x05a4030201 || len(o.Bits) != 4 {
		t.Errorf("%+v", o)
	}
	if got := index(3); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("%v", got)
	}
}
