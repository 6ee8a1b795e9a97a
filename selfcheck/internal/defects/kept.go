package defects

import (
	"math/rand/v2"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/mercury"
)

// Defects of nodes that their words have alike.

// tooHigh puts a register beyond those of its function at a bit of a record, and into
// the word that represents it, where that has one of a field's.
func tooHigh(bit, field int) func(*capsule.Image, []byte, *rand.Rand) bool {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn, n, at, word, ok := node(m, rng, func(_ *capsule.Func, n *capsule.Node) bool { return n.Kind == capsule.Full && n.Span == 1 })
		if !ok || freesRegisters(fn) {
			return false
		}
		r := data[at : at+uint64(len(fn.Cap.Record(n)))]
		was, ok := words(m, r)
		if !ok {
			return false
		}
		const register = 0xfd
		for i := range 10 {
			b := bit + i
			r[b/8] = r[b/8]&^(1<<(b%8)) | register>>i&1<<(b%8)
		}
		now, ok := words(m, r)
		if !ok || len(now) != 1 || now[0] == was[0] || mercury.Registers(uint16(now[0].Lo&0xfff))>>field&1 == 0 {
			return false
		}
		schedule := mercury.GetWord(data[word:]).Hi & mercury.Schedule
		now[0].Hi = now[0].Hi&^mercury.Schedule | schedule
		now[0].Put(data[word:])
		return true
	}
}

// intoWide lets a BRA that is a PLAIN node go to the second word of a node of several.
func intoWide(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	fn, n, _, at, ok := node(m, rng, func(fn *capsule.Func, n *capsule.Node) bool {
		return n.Kind == capsule.Plain && len(fn.Cap.Wide()) > 0 && le.Uint16(fn.Code[n.SASS:])&0xfff == 0x947
	})
	if !ok {
		return false
	}
	wide := fn.Cap.Wide()[rng.IntN(len(fn.Cap.Wide()))]
	off := uint64((int64(wide.SASS) - int64(n.SASS)) / 4)
	w := mercury.GetWord(data[at:])
	w.Lo = w.Lo&^(0xff<<16)&(1<<34-1) | off&0xff<<16 | off>>8<<34
	w.Hi = w.Hi&^(1<<18-1) | off>>38&(1<<18-1)
	w.Put(data[at:])
	return true
}
