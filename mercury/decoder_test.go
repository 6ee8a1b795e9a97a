package mercury_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
)

// What a Decoder says of a record is what Decode says, whatever it was asked before.
func TestDecoder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	all := heldBack(t)
	decoders := map[cuda.SM]*mercury.Decoder{}
	met, left, reasons, several := map[[2]bool]int{}, 0, map[mercury.Reason]int{}, map[bool]int{}
	for range 100_000 {
		s := all[rng.IntN(len(all))]
		d := decoders[s.sm]
		if d == nil {
			d = mercury.Default().Decoder(s.sm)
			decoders[s.sm] = d
		}
		s.record = append([]byte(nil), s.record...)
		for range rng.IntN(3) {
			k := rng.IntN(8 * len(s.record))
			s.record[k/8] ^= 1 << (k % 8)
		}
		w := s.words[0]
		if rng.IntN(3) == 0 {
			w.Lo ^= 1 << rng.IntN(64)
		}
		words := append([]mercury.Word{w}, s.words[1:]...)
		why, wantSame := decode(sample{s.sm, s.record, words})
		want, mask := make([][]mercury.Word, 2), make([][]mercury.Word, 2)
		for k := range want {
			want[k], mask[k] = make([]mercury.Word, len(words)), make([]mercury.Word, len(words))
		}
		if reason := mercury.Decode(s.sm, s.record, words, want[0], mask[0]); reason != why {
			t.Fatalf("sm_%d %x: Decode says %q and %q", s.sm, s.record, reason, why)
		}
		reason := d.Decode(s.record, words, want[1], mask[1])
		if reason != why || !slices.Equal(want[0], want[1]) || !slices.Equal(mask[0], mask[1]) {
			t.Fatalf("sm_%d %x: %q %v; Decode of the table says %q %v", s.sm, s.record, reason, want[1], why, want[0])
		}
		reasons[reason]++
		if len(words) != 1 {
			several[why == mercury.Known]++
			continue
		}
		same, known := d.Same(s.record, w)
		if !known && why == mercury.Known {
			left++ // to Decode
			continue
		}
		if known != (why == mercury.Known) || same != wantSame {
			t.Fatalf("sm_%d %x %v: same %v, known %v; Decode says %v, %q", s.sm, s.record, w, same, known, wantSame, why)
		}
		met[[2]bool{same, known}]++
	}
	if met[[2]bool{true, true}] < 1000 || met[[2]bool{false, true}] < 1000 || met[[2]bool{false, false}] < 1000 {
		t.Errorf("%v", met)
	}
	if reasons[mercury.NoForm] == 0 || reasons[mercury.Unseen] == 0 || several[true] < 100 || several[false] < 100 {
		t.Errorf("reasons: %v, of several words %v", reasons, several)
	}
	if 100*left > met[[2]bool{true, true}] {
		t.Errorf("%d left to Decode, %v", left, met)
	}
}

// What is no record has no word, whatever a decoder remembers.
func TestDecoderOfNone(t *testing.T) {
	d := mercury.Default().Decoder(100)
	for _, n := range []int{0, 3, 15, 16, 32} {
		if same, known := d.Same(make([]byte, n), mercury.Word{}); same || known {
			t.Errorf("%d zeros: same %v, known %v", n, same, known)
		}
	}
}

func TestDecoderLikeness(t *testing.T) {
	d := mercury.Default().Decoder(100)
	nop := mercury.Word{Lo: 0x7918}
	for op := uint64(0); op < 4096; op++ {
		w := mercury.Word{Lo: nop.Lo&^0xfff | op}
		if a, b := d.LikePlain(w), mercury.LikePlain(100, w); a != b {
			t.Errorf("PLAIN %03x: %v, want %v", op, a, b)
		}
		if a, b := d.LikeTag(0x4123020a, w), mercury.LikeTag(100, 0x4123020a, w); a != b {
			t.Errorf("tag with %03x: %v, want %v", op, a, b)
		}
	}
}

func BenchmarkDecoder(b *testing.B) {
	all := heldBack(b)
	decoders := map[cuda.SM]*mercury.Decoder{}
	for i := range all {
		if decoders[all[i].sm] == nil {
			decoders[all[i].sm] = mercury.Default().Decoder(all[i].sm)
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s := &all[i%len(all)]
		decoders[s.sm].Same(s.record, s.words[0])
	}
}
