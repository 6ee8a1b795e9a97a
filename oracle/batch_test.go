package oracle

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// records draws 64 records with edges in them.
func records(rng *rand.Rand) (places [Lanes][PlaceBytes]byte, in [Lanes]Inputs) {
	draw := func() uint64 {
		switch rng.IntN(4) {
		case 0:
			return rng.Uint64() >> rng.IntN(64)
		case 1:
			return ^(rng.Uint64() >> rng.IntN(64))
		case 2:
			return 1<<rng.IntN(64) - uint64(rng.IntN(2))
		}
		return rng.Uint64()
	}
	for i := range in {
		in[i] = Inputs{S: draw(), A: int64(draw()), P: draw(), Slot: uint32(draw()), SectionType: cuda.SectionType(bankBase + uint32(rng.IntN(64)) - 32)}
		binary.LittleEndian.PutUint64(places[i][:], draw())
		binary.LittleEndian.PutUint64(places[i][8:], draw())
	}
	return places, in
}

// Every recipe gives the same by planes and by numbers of any size.
func TestBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b Batch
	var got Applied
	for range 20 {
		places, in := records(rng)
		b.Set(&places, &in)
		for _, r := range Recipes() {
			for _, rela := range []bool{false, true} {
				err := b.Apply(r.Number, rela, &got)
				for lane := range in {
					in[lane].Rela = rela
					want, wantErr := Apply(r.Number, places[lane][:], in[lane])
					if fmt.Sprint(err) != fmt.Sprint(wantErr) {
						t.Fatalf("%s: %v, want %v", r.Name, err, wantErr)
					}
					if err != nil {
						break
					}
					var bytes [PlaceBytes]byte
					for word := range got.Places {
						binary.LittleEndian.PutUint64(bytes[8*word:], got.Places[word][lane])
					}
					if string(bytes[:]) != string(want.Bytes) || got.Implicit[lane] != want.Implicit {
						t.Fatalf("%s rela %v, %+v: %x, %#x, want %x, %#x", r.Name, rela, in[lane], bytes, got.Implicit[lane], want.Bytes, want.Implicit)
					}
				}
			}
		}
	}
}

// A type that isn't known is refused as Apply refuses it.
func TestBatchRefuses(t *testing.T) {
	var b Batch
	var out Applied
	for _, number := range []uint32{cuda.RelocCount, cuda.MercuryBase - 1, ^uint32(0)} {
		if err := b.Apply(number, true, &out); err == nil {
			t.Errorf("%#x: no refusal", number)
		}
	}
}

func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var m [Lanes]uint64
	for i := range m {
		m[i] = rng.Uint64()
	}
	was := m
	transpose(&m)
	for i := range m {
		for j := range m {
			if m[i]>>j&1 != was[j]>>i&1 {
				t.Fatalf("bit %d of row %d", j, i)
			}
		}
	}
}

func BenchmarkBatch(b *testing.B) {
	places, in := records(rand.New(rand.NewPCG(1, 2)))
	var batch Batch
	var out Applied
	batch.Set(&places, &in)
	b.ResetTimer()
	n := 0
	for b.Loop() {
		for number := range uint32(cuda.RelocCount) {
			if batch.Apply(number, n&1 == 0, &out) == nil {
				n += Lanes
			}
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
}
