package selfcheck_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
	"github.com/twinlink/twinlink/selfcheck"
)

// planting is a kind of defect: it changes a copy of a file, or returns false
// where the file has no place for it.
type planting struct {
	name string
	// found is the least share, in percent, that must be findings; none of the
	// rest may pass. Of a record that isn't known any more, or a word unlike all
	// known ones, it can't be said that it is wrong.
	found int
	plant func(m *capsule.Image, data []byte, rng *rand.Rand) bool
}

// node picks a node of a kind, at random, and returns where its record and its
// first word stand in the file.
func node(m *capsule.Image, rng *rand.Rand, want func(fn *capsule.Func, n *capsule.Node) bool) (fn *capsule.Func, n *capsule.Node, record, word uint64, ok bool) {
	for range 200 {
		if len(m.Funcs) == 0 {
			break
		}
		fn = &m.Funcs[rng.IntN(len(m.Funcs))]
		n = &fn.Cap.Nodes[rng.IntN(len(fn.Cap.Nodes))]
		if !want(fn, n) {
			continue
		}
		word = m.Sections[fn.Text].Off + uint64(n.SASS)
		if r := fn.Cap.Record(n); r != nil {
			c := m.Sections[fn.Capsule].Content
			record = m.Sections[fn.Capsule].Off + uint64(len(c)-cap2(c, r))
		}
		return fn, n, record, word, true
	}
	return nil, nil, 0, 0, false
}

// cap2 returns how far a view's beginning is from the end of what it is a view of.
func cap2(whole, view []byte) int {
	for at := range whole {
		if &whole[at] == &view[0] {
			return len(whole) - at
		}
	}
	return 0
}

func kind(k capsule.Kind) func(*capsule.Func, *capsule.Node) bool {
	return func(_ *capsule.Func, n *capsule.Node) bool { return n.Kind == k && n.Span > 0 }
}

// inRecord changes a byte of a full record.
func inRecord(change func(r []byte, rng *rand.Rand)) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn, n, at, _, ok := node(m, rng, kind(capsule.Full))
		if ok {
			change(data[at:at+uint64(len(fn.Cap.Record(n)))], rng)
		}
		return ok
	}
}

// usedBit inverts a bit of some bytes of a record that a rule asks for; of the
// others nvlink makes nothing.
func usedBit(from, to int) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn, n, at, _, ok := node(m, rng, kind(capsule.Full))
		if !ok {
			return false
		}
		r := fn.Cap.Record(n)
		_, unused, known := mercury.Default().Unused(m.File.Header.SM(), r)
		bit := 8*from + rng.IntN(8*(min(to, len(r))-min(from, len(r)-1)))
		if !known || bit >= 8*len(r) || unused[bit>>6]>>(bit&63)&1 != 0 {
			return false
		}
		was, ok := words(m, r)
		data[at+uint64(bit/8)] ^= 1 << (bit % 8)
		now, same := words(m, data[at:at+uint64(len(r))])
		return !(ok && same && slices.Equal(was, now))
	}
}

// words returns what the table makes of a record.
func words(m *capsule.Image, record []byte) ([]mercury.Word, bool) {
	k := mercury.Default().Words(m.File.Header.SM(), record)
	sass, want, mask := make([]mercury.Word, k), make([]mercury.Word, k), make([]mercury.Word, k)
	ok := k > 0 && mercury.Decode(m.File.Header.SM(), record, sass, want, mask) == mercury.Known
	return want, ok
}

// inWord changes the first word of a node of a kind.
func inWord(k capsule.Kind, change func(w []byte, fn *capsule.Func, rng *rand.Rand) bool) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn, _, _, at, ok := node(m, rng, kind(k))
		return ok && change(data[at:at+16], fn, rng)
	}
}

func scoreboard(first int) func(w []byte, _ *capsule.Func, _ *rand.Rand) bool {
	return func(w []byte, _ *capsule.Func, _ *rand.Rand) bool {
		hi := binary.LittleEndian.Uint64(w[8:])
		binary.LittleEndian.PutUint64(w[8:], hi&^(7<<(first-64))|6<<(first-64))
		return true
	}
}

func noise(w []byte, _ *capsule.Func, rng *rand.Rand) bool {
	binary.LittleEndian.PutUint64(w, rng.Uint64())
	binary.LittleEndian.PutUint64(w[8:], rng.Uint64())
	return true
}

// without makes a section one that isn't there.
func without(prefix string) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		var list []int
		for i := range m.Sections {
			if strings.HasPrefix(m.Sections[i].Name, prefix) {
				list = append(list, i)
			}
		}
		if len(list) == 0 {
			return false
		}
		at := m.File.Header.ShOff + uint64(list[rng.IntN(len(list))])*cubin.SectionSize
		clear(data[at : at+cubin.SectionSize])
		return true
	}
}

// calls counts the calls by offset of a text.
func calls(code []byte) (n int) {
	for at := 0; at+16 <= len(code); at += 16 {
		if binary.LittleEndian.Uint16(code[at:])&0xfff == 0x944 {
			n++
		}
	}
	return n
}

// withoutReloc takes the place of a Mercury relocation of a type from it.
func withoutReloc(typ uint32) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, _ *rand.Rand) bool {
		for i := range m.Sections {
			s := &m.Sections[i]
			if s.Type != cuda.SHTMercRela || !strings.HasPrefix(s.Name, ".nv.merc.rela.text.") {
				continue
			}
			fn := m.FuncOf(s.Info)
			if typ == cuda.R_MERCURY_PROG_REL32 && (fn == nil || calls(fn.Code) < bytes.Count(s.Content, []byte{8, 0, 1, 0})) {
				continue // some are of other places than return addresses
			}
			for k := uint64(0); k+24 <= uint64(len(s.Content)); k += 24 {
				if binary.LittleEndian.Uint32(s.Content[k+8:]) == typ {
					// The last takes its place, and the table is one shorter.
					last := s.Off + uint64(len(s.Content)) - 24
					copy(data[s.Off+k:last], data[s.Off+k+24:last+24])
					at := m.File.Header.ShOff + uint64(i)*cubin.SectionSize + 32
					binary.LittleEndian.PutUint64(data[at:], uint64(len(s.Content))-24)
					clear(data[last : last+24])
					return true
				}
			}
		}
		return false
	}
}

var plantings = []planting{
	{"family in a record's tag", 0, inRecord(func(r []byte, rng *rand.Rand) { r[1] ^= 1 << rng.IntN(7) })},
	{"member in a record's tag", 0, inRecord(func(r []byte, rng *rand.Rand) { r[2] ^= 1 << rng.IntN(8) })},
	{"format in a record's tag", 0, inRecord(func(r []byte, rng *rand.Rand) { r[3] ^= 1 << rng.IntN(8) })},
	{"size in a record's tag", 99, inRecord(func(r []byte, _ *rand.Rand) { r[0] ^= 3 })},
	{"guard of a record that isn't one", 99, inRecord(func(r []byte, _ *rand.Rand) { r[4] = r[4]&7 | 29<<3 })},
	{"guard of a record", 95, inRecord(func(r []byte, rng *rand.Rand) { r[4] = r[4]&7 | (r[4]>>3+1+byte(rng.IntN(5)))%7<<3 })},
	{"negation of a record's guard", 90, inRecord(func(r []byte, _ *rand.Rand) { r[4] ^= 1 })},
	{"modifier of a record", 0, usedBit(5, 10)},
	{"first operand of a record", 0, usedBit(10, 12)},
	{"operand of a record", 0, usedBit(12, 24)},
	{"immediate of a record", 0, usedBit(24, 32)},
	{"opcode of a record's word", 50, inWord(capsule.Full, func(w []byte, _ *capsule.Func, rng *rand.Rand) bool { w[0] ^= 1 << rng.IntN(8); return true })},
	{"word of a record: noise", 90, inWord(capsule.Full, noise)},
	{"word of a PLAIN node: noise", 60, inWord(capsule.Plain, noise)},
	{"word of a tag-only node: noise", 90, inWord(capsule.Mini, noise)},
	{"word of a SKIP: noise", 99, inWord(capsule.Skip, noise)},
	{"opcode of a tag-only node's word", 90, inWord(capsule.Mini, func(w []byte, _ *capsule.Func, rng *rand.Rand) bool { w[1] ^= 1 << rng.IntN(4); return true })},
	{"write scoreboard 6", 99, inWord(capsule.Plain, scoreboard(110))},
	{"read scoreboard 6", 99, inWord(capsule.Full, scoreboard(113))},
	{"bit 127 of a word", 99, inWord(capsule.Plain, func(w []byte, _ *capsule.Func, _ *rand.Rand) bool { w[15] |= 0x80; return true })},
	{"register over the limit", 99, inWord(capsule.Plain, func(w []byte, _ *capsule.Func, _ *rand.Rand) bool {
		if op := binary.LittleEndian.Uint16(w) & 0xfff; op != 0x224 && op != 0x210 && op != 0x202 {
			return false
		}
		w[2] = 0xfe
		return true
	})},
	{"target of a branch", 95, inWord(capsule.Plain, func(w []byte, _ *capsule.Func, _ *rand.Rand) bool {
		if binary.LittleEndian.Uint16(w)&0xfff != 0x947 {
			return false
		}
		w[2] ^= 2 // eight bytes on
		return true
	})},
	{"branch out of the function", 99, inWord(capsule.Plain, func(w []byte, _ *capsule.Func, _ *rand.Rand) bool {
		if binary.LittleEndian.Uint16(w)&0xfff != 0x947 {
			return false
		}
		w[6] ^= 0x40
		return true
	})},
	{"tag of a tag-only node", 0, func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		_, _, at, _, ok := node(m, rng, kind(capsule.Mini))
		if ok {
			data[at+1+uint64(rng.IntN(3))] ^= 1 << rng.IntN(6)
		}
		return ok
	}},
	{"bit of the bitmap", 90, func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn := &m.Funcs[rng.IntN(len(m.Funcs))]
		k := rng.IntN(len(fn.Cap.Nodes))
		data[m.Sections[fn.Capsule].Off+12+uint64(k/8)] ^= 1 << (k % 8)
		return true
	}},
	{"relocation of a return address removed", 99, withoutReloc(cuda.R_MERCURY_PROG_REL32)},
	{"relocation of an address removed", 99, withoutReloc(cuda.R_MERCURY_ABS32_LO)},
	{"byte behind everything", 99, nil},
	{"byte between sections", 99, func(m *capsule.Image, data []byte, _ *rand.Rand) bool {
		for i := 1; i+1 < len(m.Sections); i++ {
			s, next := &m.Sections[i], &m.Sections[i+1]
			if end := s.Off + uint64(len(s.Content)); len(s.Content) > 0 && len(next.Content) > 0 && end < next.Off {
				data[end] ^= 0x55
				return true
			}
		}
		return false
	}},
	{"byte of constant bank 0", 99, func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		for i := range m.Sections {
			if s := &m.Sections[i]; strings.HasPrefix(s.Name, ".nv.constant0.") && len(s.Content) > 0 {
				data[s.Off+uint64(rng.IntN(len(s.Content)))] ^= 1
				return true
			}
		}
		return false
	}},
	{".nv.info.F lacks", 99, without(".nv.info.")},
	{".nv.merc.nv.info.F lacks", 99, without(".nv.merc.nv.info.")},
	{".nv.info lacks", 99, without(".nv.info")},
	{".rela.text.F lacks", 99, without(".rela.text.")},
	{".nv.merc.rela.text.F lacks", 99, without(".nv.merc.rela.text.")},
	{".debug_frame lacks", 99, without(".debug_frame")},
	{".nv.merc.debug_frame lacks", 99, without(".nv.merc.debug_frame")},
	{".nv.compat lacks", 99, without(".nv.compat")},
	{".note.nv.tkinfo lacks", 99, without(".note.nv.tkinfo")},
	{".nv.capmerc.text.F lacks", 99, without(".nv.capmerc.text.")},
	{".nv.callgraph lacks", 99, without(".nv.callgraph")},
}

// perKind is how often each kind is planted.
const perKind = 60

// Of every kind of planted defect so many are found; none of the rest passes.
// What lacks a section has code 18.
func TestPlantings(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	type file struct {
		name string
		data []byte
		m    *capsule.Image
	}
	var files []file
	capsules(t, func(c *corpus.Capsule, data []byte) {
		f, err := cubin.Open(c.Name, data)
		if err != nil {
			t.Fatal(err)
		}
		if m := capsule.Open(f); len(m.Funcs) > 0 && selfcheck.Check(c.Name, data, selfcheck.Options{}).Verdict == selfcheck.Pass {
			files = append(files, file{c.Name, data, m})
		}
	})
	if len(files) < 50 {
		t.Fatalf("%d files pass", len(files))
	}
	total, all := 0, 0
	for _, p := range plantings {
		count := map[selfcheck.Verdict]int{}
		for try, n := 0, 0; n < perKind && try < 20*perKind; try++ {
			f := &files[rng.IntN(len(files))]
			bad := bytes.Clone(f.data)
			if p.plant == nil {
				bad = append(bad, 0)
			} else if !p.plant(f.m, bad, rng) || bytes.Equal(bad, f.data) {
				continue
			}
			n++
			r := selfcheck.Check(f.name, bad, selfcheck.Options{})
			count[r.Verdict]++
			if r.Verdict == selfcheck.Pass {
				t.Errorf("%s: %s passes", p.name, f.name)
			}
			if strings.HasSuffix(p.name, " lacks") && r.Verdict == selfcheck.Fail && r.Code() != 18 {
				t.Errorf("%s in %s: code %d, %s", p.name, f.name, r.Code(), first(r))
			}
		}
		planted := count[selfcheck.Fail] + count[selfcheck.Incomplete] + count[selfcheck.Pass] + count[selfcheck.Refused]
		found := count[selfcheck.Fail] + count[selfcheck.Refused]
		t.Logf("%-40s %3d planted, %3d found, %3d incomplete, %d pass", p.name, planted, found, count[selfcheck.Incomplete], count[selfcheck.Pass])
		if planted < 3 {
			t.Errorf("%s: planted %d times", p.name, planted)
		}
		if 100*found < p.found*planted {
			t.Errorf("%s: %d of %d found", p.name, found, planted)
		}
		if p.found >= 99 {
			total, all = total+found, all+planted
		}
	}
	if 100*total < 99*all {
		t.Errorf("%d of %d found", total, all)
	}
}
