package documents

import (
	"math/rand/v2"
	"testing"
)

func randomMachine(r *rand.Rand) *machine {
	m := &machine{place: make([]byte, 32)}
	for i := range m.place {
		m.place[i] = byte(r.Uint32())
	}
	m.load()
	return m
}

// Both writers put the low bits of the value into the field and leave the
// rest; the extractor reads them back. True for every field of up to 64 bits.
func TestWritersAndExtractor(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for offset := int64(0); offset < 192; offset++ {
		for width := int64(1); width <= 64; width++ {
			value := r.Uint64()
			want := value << (64 - width) >> (64 - width)
			for _, inline := range []bool{false, true} {
				m := randomMachine(r)
				before := append([]uint64(nil), m.words...)
				if inline {
					m.writeInline(value, offset, width)
				} else {
					m.write(0, value, offset, width)
				}
				if got := uint64(m.extract(0, offset, width)); got != want || m.open {
					t.Fatalf("%d bits at %d, inline %v: read %#x, want %#x, open %v", width, offset, inline, got, want, m.open)
				}
				for n := int64(0); n < 256; n++ {
					inside := n >= offset && n < offset+width
					if !inside && (before[n/64]^m.words[n/64])>>(n%64)&1 != 0 {
						t.Fatalf("%d bits at %d, inline %v: bit %d changed", width, offset, inline, n)
					}
				}
			}
		}
	}
}

// The extractor drops the third word of a field that spans three.
func TestThirdWordIsDropped(t *testing.T) {
	m := &machine{words: []uint64{0xff << 56, 0x1122334455667788, 0xffff, 0}}
	if got := uint64(m.extract(0, 56, 80)); got != 0x22334455667788ff {
		t.Errorf("%#x", got)
	}
	m.words[2] = 0
	if got := uint64(m.extract(0, 56, 80)); got != 0x22334455667788ff {
		t.Errorf("%#x after clearing the third word", got)
	}
}
