package defects

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/mercury"
)

// node picks a node of a kind, at random, and returns where its record and its
// first word are in the file.
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

// inRecord changes a byte of an explicit record.
func inRecord(change func(r []byte, rng *rand.Rand)) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn, n, at, _, ok := node(m, rng, kind(capsule.Full))
		if ok {
			change(data[at:at+uint64(len(fn.Cap.Record(n)))], rng)
		}
		return ok
	}
}

// recordBits inverts a bit of some of a record's that its rules ask for, so that the table
// makes other words of it; of what it doesn't ask for nvlink makes nothing.
func recordBits(from, to int) func(*capsule.Image, []byte, *rand.Rand) bool {
	return inverted(from, to, func(was, now []mercury.Word, known bool) bool { return known && !slices.Equal(was, now) })
}

// unknownBit inverts a bit of a record so that the table has no words for it.
func unknownBit(from, to int) func(*capsule.Image, []byte, *rand.Rand) bool {
	return inverted(from, to, func(_, _ []mercury.Word, known bool) bool { return !known })
}

func inverted(from, to int, want func(was, now []mercury.Word, known bool) bool) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn, n, at, _, ok := node(m, rng, kind(capsule.Full))
		if !ok {
			return false
		}
		r := fn.Cap.Record(n)
		_, unused, known := mercury.Default().Unused(m.File.Header.SM(), r)
		bit := from + rng.IntN(to-from)
		if !known || bit >= 8*len(r) || unused[bit>>6]>>(bit&63)&1 != 0 {
			return false
		}
		was, ok := words(m, r)
		data[at+uint64(bit/8)] ^= 1 << (bit % 8)
		now, known := words(m, data[at:at+uint64(len(r))])
		return ok && want(was, now, known)
	}
}

// words returns what the table makes of a record.
func words(m *capsule.Image, record []byte) ([]mercury.Word, bool) {
	k := mercury.Default().Words(m.File.Header.SM(), record)
	sass, want, mask := make([]mercury.Word, k), make([]mercury.Word, k), make([]mercury.Word, k)
	ok := k > 0 && mercury.Decode(m.File.Header.SM(), record, sass, want, mask) == mercury.Known
	return want, ok
}

// inRecordOfOther is inRecord where the record stands for other words then: some tags say the same.
func inRecordOfOther(change func(r []byte, rng *rand.Rand)) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn, n, at, _, ok := node(m, rng, kind(capsule.Full))
		if !ok {
			return false
		}
		r := data[at : at+uint64(len(fn.Cap.Record(n)))]
		was, _ := words(m, r)
		change(r, rng)
		now, ok := words(m, r)
		return !ok || !slices.Equal(now, was)
	}
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

// flip inverts one of a word's bits.
func flip(from, to int) func(w []byte, _ *capsule.Func, rng *rand.Rand) bool {
	return func(w []byte, _ *capsule.Func, rng *rand.Rand) bool {
		bit := from + rng.IntN(to-from)
		w[bit/8] ^= 1 << (bit % 8)
		return true
	}
}

// inOne is inWord for nodes of one word.
func inOne(k capsule.Kind, change func(w []byte, fn *capsule.Func, rng *rand.Rand) bool) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn, _, _, at, ok := node(m, rng, func(_ *capsule.Func, n *capsule.Node) bool { return n.Kind == k && n.Span == 1 })
		return ok && change(data[at:at+16], fn, rng)
	}
}

// decided inverts a bit of a record's word that the record decides.
func decided(from, to int) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn, n, _, at, ok := node(m, rng, func(_ *capsule.Func, n *capsule.Node) bool { return n.Kind == capsule.Full && n.Span == 1 })
		if !ok {
			return false
		}
		sass := []mercury.Word{mercury.GetWord(data[at:])}
		want, mask := make([]mercury.Word, 1), make([]mercury.Word, 1)
		if mercury.Decode(m.File.Header.SM(), fn.Cap.Record(n), sass, want, mask) != mercury.Known {
			return false
		}
		bit := from + rng.IntN(to-from)
		part := mask[0].Lo
		if bit >= 64 {
			part = mask[0].Hi
		}
		if part>>(bit&63)&1 == 0 {
			return false
		}
		data[at+uint64(bit/8)] ^= 1 << (bit % 8)
		return true
	}
}

// caredBit inverts a bit of a PLAIN word that has one value in all that are known.
func caredBit(w []byte, _ *capsule.Func, rng *rand.Rand) bool {
	care, ok := mercury.Care(100, 0, binary.LittleEndian.Uint16(w)&0xfff)
	other, ok2 := mercury.Care(120, 0, binary.LittleEndian.Uint16(w)&0xfff)
	bit := 16 + rng.IntN(89)
	part := care.Lo & other.Lo
	if bit >= 64 {
		part = care.Hi & other.Hi
	}
	if !ok || !ok2 || part>>(bit&63)&1 == 0 {
		return false
	}
	w[bit/8] ^= 1 << (bit % 8)
	return true
}

// anotherRegister gives an instruction another register that its function has.
func anotherRegister(w []byte, _ *capsule.Func, _ *rand.Rand) bool {
	if op := binary.LittleEndian.Uint16(w) & 0xfff; op != 0x224 && op != 0x210 && op != 0x202 || w[2] == 0 || w[2] == 255 {
		return false
	}
	w[2]--
	return true
}

func exitToNOP(w []byte, _ *capsule.Func, _ *rand.Rand) bool {
	const exit, nop = 0x94d, 0x918
	if le.Uint16(w)&0xfff != exit {
		return false
	}
	le.PutUint64(w, nop|7<<12)
	le.PutUint64(w[8:], 0x000fc00000000000)
	return true
}

// freesRegisters reports whether a function gives warps another number of registers.
func freesRegisters(fn *capsule.Func) bool {
	for at := 0; at+16 <= len(fn.Code); at += 16 {
		if binary.LittleEndian.Uint16(fn.Code[at:])&0xfff == 0x9c8 {
			return true
		}
	}
	return false
}

// branch changes a BRA that is a PLAIN node.
func branch(change func(w []byte)) func(*capsule.Image, []byte, *rand.Rand) bool {
	return inWord(capsule.Plain, func(w []byte, _ *capsule.Func, _ *rand.Rand) bool {
		if binary.LittleEndian.Uint16(w)&0xfff != 0x947 {
			return false
		}
		change(w)
		return true
	})
}

// swapRecords swaps the records of two nodes of a function that stand for other words.
func swapRecords(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	fn, n, at, _, ok := node(m, rng, kind(capsule.Full))
	if !ok {
		return false
	}
	r := fn.Cap.Record(n)
	was, ok := words(m, r)
	if !ok {
		return false
	}
	for i := range fn.Cap.Nodes {
		o := &fn.Cap.Nodes[i]
		s := fn.Cap.Record(o)
		if o.Kind != capsule.Full || len(s) != len(r) || o.Span != n.Span {
			continue
		}
		now, ok := words(m, s)
		if !ok || slices.Equal(was, now) || len(was) != len(now) {
			continue
		}
		c := m.Sections[fn.Capsule].Content
		from := m.Sections[fn.Capsule].Off + uint64(len(c)-cap2(c, s))
		a, b := data[at:at+uint64(len(r))], data[from:from+uint64(len(r))]
		for k := range a {
			a[k], b[k] = b[k], a[k]
		}
		return true
	}
	return false
}

// swapWords swaps the words of two nodes of a kind, the second after the first.
func swapWords(k capsule.Kind) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn, n, _, at, ok := node(m, rng, func(_ *capsule.Func, n *capsule.Node) bool { return n.Kind == k && n.Span == 1 })
		if !ok {
			return false
		}
		for i := range fn.Cap.Nodes {
			o := &fn.Cap.Nodes[i]
			if o.Kind != k || o.Span != 1 || o.SASS <= n.SASS {
				continue
			}
			from := m.Sections[fn.Text].Off + uint64(o.SASS)
			a, b := data[at:at+16], data[from:from+16]
			// What isn't the schedule has to be another instruction: of tag-only nodes one of
			// another opcode, since any operands go with a tag.
			if k == capsule.TagOnly && binary.LittleEndian.Uint16(a)&0xfff == binary.LittleEndian.Uint16(b)&0xfff ||
				k == capsule.Full && string(a[:12]) == string(b[:12]) {
				continue
			}
			for j := range a {
				a[j], b[j] = b[j], a[j]
			}
			return true
		}
		return false
	}
}

func noise(w []byte, _ *capsule.Func, rng *rand.Rand) bool {
	binary.LittleEndian.PutUint64(w, rng.Uint64())
	binary.LittleEndian.PutUint64(w[8:], rng.Uint64())
	return true
}
