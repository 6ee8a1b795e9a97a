package oracle

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

const (
	bank3  = cuda.SHTCudaConstant0 + 3
	shared = cuda.SHTCudaShared
)

// Places that nvlink 12.4.131 wrote for sm_75 in one-record links: the symbol
// cvar is a constant at offset 0x38 of bank 3, svar a shared variable at 0
// with alignment 8.
var written = []struct {
	number uint32
	rela   bool
	s      uint64
	a      int64
	kind   cuda.SectionType
	slot   uint32
	before string
	after  string
}{
	{1, true, 0x38, 0x0123456789abcdef, bank3, 0, "00", "27ceab8900000000"},
	{2, true, 0x38, 0x0123456789abcdef, bank3, 0, "00", "27ceab8967452301"},
	{5, true, 0x38, 0x0123456789abcdef, bank3, 0, "00", "0000009c38af2602"},
	{11, true, 0x38, 0x0123456789abcdef, bank3, 0, "00", "0000009c158d0400"},
	{14, true, 0x38, 0x0123456789abcdef, bank3, 0, "00", "000080b3a2910000"},
	{19, true, 0x38, 0x0123456789abcdef, bank3, 0, "00", "00000000ef000000"},
	{19, true, 0, 0x0123456789abcdef, shared, 8, "00", "00000000f7000000"},
	{20, true, 0x38, 0x0123456789abcdef, bank3, 0, "00", "00000000000f0000"},
	{20, true, 0, 0x0123456789abcdef, shared, 8, "00", "0000000000170000"},
	{28, true, 0x38, 0x0123456789abcdef, bank3, 0, "00", "0000000000800100"},
	{24, true, 0x38, 0, bank3 + 5, 0, "00", "000000e000200000"},
	{24, true, 0x38, 0, bank3 + 13, 0, "00", "000000e400000000"},
	{21, true, 0, 0x0123456789abcdef, shared, 8, "00", "000000dc00000000"},
	{24, true, 0x38, 0x0123456789abcdef, bank3, 0, "00", "00000090380f0000"},
	{24, true, 0, 0x0123456789abcdef, shared, 8, "00", "000000b0371b0000"},
	{24, true, 0, 0x1230, cuda.SHTProgbits, 0, "11", "111111c548341111"},
	{25, false, 0x38, 0, bank3, 0, "11", "1111111871111111"},
	{24, false, 0x38, 0, bank3, 0, "11", "111111f1111d1111"},
	{24, false, 0xfedcba9876543210, 0, bank3, 0, "ff", "ffffff3fc8c8ffff"},
	{115, false, 0xfedcba9876543210, 0, bank3, 0, "ff", "ffffffffff4186f8"},
	{2, false, 0xfedcba9876543210, 0, bank3, 0, "ff", "0f32547698badcfe"},
	{11, false, 0xfedcba9876543210, 0, bank3, 0, "ff", "ffffff5fea72fbff"},
	{77, false, 0x38, 0, bank3, 0, "11", "0011111111111111"},
	{83, false, 0xfedcba9876543210, 0, bank3, 0, "ff", "feffffffffffffff"},
	{83, false, 0x8000000000000000, 0, bank3, 0, "ff", "80ffffffffffffff"},
	{72, false, 0, 0, shared, 8, "11", "0000000011111111"},
	{1, false, 0xffffffffffffffff, 0, shared, 8, "11", "1011111111111111"},
	{112, true, 0x38, 0x0123456789abcdef, bank3, 0, "00", "0000000027ceab89"},
	{111, true, 0x38, 0x0123456789abcdef, bank3, 0, "00", "0100000000000000"},
	{68, false, 0x38, 0x155, bank3, 0, "ff", "37feffffffffffff"},
	{68, true, 0x38, 0x155, bank3, 0, "ff", "8dffffffffffffff"},
	// 13.0.88, sm_100, a record of .nv.merc.rela.nv.global.init
	{0x10003, true, 0x38, 0x0123456789abcdef, bank3, 0, "a5", "27ceab89a5a5a5a5"},
	{0x10004, true, 0x38, 0x0123456789abcdef, bank3, 0, "a5", "27cea5a5a5a5a5a5"},
	{0x10032, true, 0x38, 0x0123456789abcdef, bank3, 0, "a5", "27ceab8967452301"},
	{0x10033, true, 0x38, 0x0123456789abcdef, bank3, 0, "a5", "27ceab89a5a5a5a5"},
	{0x1000e, true, 0, 0, shared, 0, "a5", "0000000000000000"},
}

func TestPlacesThatNvlinkWrote(t *testing.T) {
	for _, c := range written {
		fill, _ := hex.DecodeString(c.before)
		out, err := Apply(c.number, bytes.Repeat(fill, 8), Inputs{Rela: c.rela, S: c.s, A: c.a, SectionType: c.kind, Slot: c.slot})
		if err != nil {
			t.Errorf("%d: %v", c.number, err)
			continue
		}
		if got := hex.EncodeToString(out.Bytes); got != c.after {
			t.Errorf("%d rela %v S %#x A %#x over %s: %s, nvlink wrote %s", c.number, c.rela, c.s, c.a, c.before, got, c.after)
		}
	}
}

// What --preserve-relocs wrote into .nv.resolvedrela for REL records over the
// bytes 91 92 ... a0 (12.4.131, sm_75).
func TestImplicitAddends(t *testing.T) {
	place := make([]byte, 16)
	for i := range place {
		place[i] = byte(0x91 + i)
	}
	for number, want := range map[uint32]uint64{
		1: 0x94939291, 2: 0x9897969594939291, 10: 0x25e5a565, 11: 0x25e5a565, 15: 0xe5a565, 19: 0x95, 20: 0x16,
		22: 0x1695, 24: 0x2959, 25: 0x2b29, 36: 0xa565, 66: 0x5e5a, 77: 0x91, 83: 0x91, 100: 0x98979, 115: 0xbcb4,
	} {
		out, err := Apply(number, place, Inputs{S: 0x38, A: 77, SectionType: bank3})
		if err != nil || out.Implicit != want {
			t.Errorf("%d: implicit %#x, %v, want %#x", number, out.Implicit, err, want)
		}
		out, _ = Apply(number, place, Inputs{Rela: true, S: 0x38, A: 77, SectionType: bank3})
		if out.Implicit != 0 {
			t.Errorf("%d: a RELA record has the implicit addend %#x", number, out.Implicit)
		}
	}
}

// A RELA record takes no notice of what its fields held.
func TestRelaIgnoresOldContent(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, recipe := range Recipes() {
		if recipe.Sentinel {
			continue
		}
		in := Inputs{Rela: true, S: r.Uint64(), A: int64(r.Uint64()), P: r.Uint64(), SectionType: bank3, Slot: 5}
		a, err := Apply(recipe.Number, make([]byte, 16), in)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := Apply(recipe.Number, bytes.Repeat([]byte{0xff}, 16), in)
		inside := make([]bool, maxBit+1)
		for _, f := range a.Written() {
			for n := f.Start; n <= f.Last(); n++ {
				inside[n] = true
			}
		}
		for n := uint(0); n <= maxBit; n++ {
			was, is := getBit(a.Bytes, n), getBit(b.Bytes, n)
			if inside[n] && was != is {
				t.Errorf("%s: bit %d depends on the old content", recipe.Name, n)
			}
			if !inside[n] && (was != 0 || is != 1) {
				t.Errorf("%s: bit %d is outside the fields and changed", recipe.Name, n)
			}
		}
	}
}

// S + A is a whole number and not a machine word, and that can't be seen: no
// recipe but the 128-bit one looks at a bit above 63.
func TestSumNeedsOnly64Bits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		for _, recipe := range Recipes() {
			if recipe.Sentinel || recipe.Number == cuda.R_CUDA_INSTRUCTION128 {
				continue
			}
			s, a := r.Uint64(), int64(r.Uint64())
			exact, _ := Apply(recipe.Number, make([]byte, 16), Inputs{Rela: true, S: s, A: a, P: 16, SectionType: bank3})
			word, _ := Apply(recipe.Number, make([]byte, 16), Inputs{Rela: true, S: s + uint64(a), P: 16, SectionType: bank3})
			if recipe.Steps() != nil && recipe.Steps()[0].Expr.uses(Slot) {
				continue
			}
			if !bytes.Equal(exact.Bytes, word.Bytes) {
				t.Fatalf("%s: S %#x A %#x: %x against %x", recipe.Name, s, a, exact.Bytes, word.Bytes)
			}
		}
	}
}

// Every record given an addend by REL means what the RELA record with that
// addend means, where the addend fits the field and the recipe adds after the
// shift or does not shift.
func TestRelOverZeroIsRelaWithZero(t *testing.T) {
	for _, recipe := range Recipes() {
		if recipe.Sentinel {
			continue
		}
		in := Inputs{S: 0x123456789abcdef0, P: 48, SectionType: bank3, Slot: 9}
		rel, _ := Apply(recipe.Number, make([]byte, 16), in)
		in.Rela = true
		rela, _ := Apply(recipe.Number, make([]byte, 16), in)
		if !bytes.Equal(rel.Bytes, rela.Bytes) {
			t.Errorf("%s: REL %x, RELA %x", recipe.Name, rel.Bytes, rela.Bytes)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		number uint32
		place  int
		kind   Kind
		text   string
	}{
		{117, 16, UnknownType, "oracle: relocation 0x75: unknown relocation type"},
		{0xffff, 16, UnknownType, ""},
		{0x10040, 16, UnknownType, "oracle: relocation 0x10040: unknown relocation type"},
		{math.MaxUint32, 16, UnknownType, ""},
		{116, 16, SentinelType, "oracle: R_CUDA_NONE_LAST: sentinel, not a relocation type"},
		{2, 7, PlaceTooShort, "oracle: R_CUDA_64: place too short: byte 7 is needed, there are 7"},
		{69, 11, PlaceTooShort, "oracle: R_CUDA_YIELD_CLEAR_PRED4_87: place too short: byte 11 is needed, there are 11"},
		{76, 0, PlaceTooShort, ""},
		{67, 15, PlaceTooShort, ""},
	} {
		_, err := Apply(c.number, make([]byte, c.place), Inputs{})
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Kind != c.kind || refusal.Number != c.number {
			t.Errorf("%d on %d bytes: %v, want %s", c.number, c.place, err, c.kind)
			continue
		}
		if c.text != "" && err.Error() != c.text {
			t.Errorf("%q, want %q", err, c.text)
		}
		if _, err := Trace(c.number, make([]byte, c.place), Inputs{}); !errors.As(err, &refusal) {
			t.Errorf("%d: Trace: %v", c.number, err)
		}
	}
	if out, err := Apply(0, nil, Inputs{}); err != nil || len(out.Bytes) != 0 || len(out.Written()) != 0 {
		t.Errorf("R_CUDA_NONE on no place: %+v, %v", out, err)
	}
}

// Apply must not change what it was given.
func TestPlaceIsCopied(t *testing.T) {
	place := make([]byte, 8)
	if _, err := Apply(2, place, Inputs{S: ^uint64(0)}); err != nil || !bytes.Equal(place, make([]byte, 8)) {
		t.Errorf("place %x, %v", place, err)
	}
}

// Hostile numbers: whatever comes in, the outcome has the length of the place,
// or there is a refusal.
func TestHostileInputs(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	edge := []uint64{0, 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1}
	pick := func() uint64 {
		if r.Uint32()%2 == 0 {
			return edge[r.IntN(len(edge))]
		}
		return r.Uint64()
	}
	for range 200000 {
		number := uint32(pick() % 140)
		if r.Uint32()%3 == 0 {
			number += cuda.MercuryBase
		}
		place := make([]byte, r.IntN(24))
		in := Inputs{Rela: r.Uint32()%2 == 0, S: pick(), A: int64(pick()), P: pick(),
			SectionType: cuda.SectionType(pick()), Slot: uint32(pick())}
		out, err := Apply(number, place, in)
		if err == nil && len(out.Bytes) != len(place) {
			t.Fatalf("%d: %d bytes of %d", number, len(out.Bytes), len(place))
		}
		traced, traceErr := Trace(number, place, in)
		if (err == nil) != (traceErr == nil) || !bytes.Equal(out.Bytes, traced.Outcome.Bytes) {
			t.Fatalf("%d: Trace differs: %v, %v", number, err, traceErr)
		}
	}
}

func TestTraceText(t *testing.T) {
	traced, err := Trace(cuda.R_CUDA_CONST_FIELD19_28, bytes.Repeat([]byte{0x11}, 8), Inputs{S: 0x38, SectionType: bank3})
	if err != nil {
		t.Fatal(err)
	}
	want := "REL R_CUDA_CONST_FIELD19_28: S 0x38, A 0, P 0x0, section type 0x70000067, slot 0x0\n" +
		"  bits[28..41] = (ADDR >> 2) + OLD: old 0x1111, value 0x111f, new 0x111f\n" +
		"  bits[42..45] = BANK + OLD: old 0x4, value 0x7, new 0x7\n" +
		"  bits[26] = (BANK >> 4) + OLD: old 0x0, value 0x0, new 0x0\n" +
		"  1111111111111111 -> 111111f1111d1111\n"
	if traced.String() != want {
		t.Errorf("got\n%swant\n%s", traced, want)
	}
	if traced.Steps[0].New.Cmp(big.NewInt(0x111f)) != 0 {
		t.Error("steps share their numbers")
	}
}
