package capsules

import (
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/twinlink/twinlink/oracle/internal/capsule"
)

// Records and the words of SASS before which they stand, by ptxas and nvlink 13.5.37 for sm_100
// and sm_120.
func TestRecordOf(t *testing.T) {
	for _, x := range []struct {
		high, low, size uint64
		want            string
	}{
		{0x078e0006, 0x0000000305047235, 16, "410c4004"}, // IADD R4, R5, R3
		{0x078e0206, 0x0000000305047c35, 16, "410c5404"}, // IADD.64 with a uniform source
		{0x078e0006, 0x0000000305047c35, 16, "410c4404"},
		{0x078e0006, 0x0000001005047835, 32, "420c4206"},                         // IADD R4, R5, 0x10
		{0x07800000, 0x80007fff1c097835, 32, "420c4206"},                         // IADD R9, P0, R28, -0x7fff8001
		{0x000e0400, 0x80007fff1d1b7835, 32, "420c3206"},                         // IADD.X R27, R29, -0x7fff8001, P0
		{0x000e0400, 0x0000000903037235, 32, "420c3014"},                         // IADD.X R3, R3, R9, P0
		{0x03800200, 0x0000000000067941, 16, "0109020af800010000000c0000000000"}, // BSYNC B6
		{0x03800200, 0x0000000000017941, 16, "0109020af80001000000020000000000"},
		{0x03800100, 0x0000000000027941, 16, "0109040af80000000000040000000000"}, // BSYNC.RELIABLE B2
		{0x03800000, 0x000000000000794d, 16, "0111000af8000000000000f800000000"}, // EXIT
		{0x03800000, 0x000000000000094d, 16, "0111"},                             // @P0 EXIT
		{0x03800000, 0x000000000000f94d, 16, "0111"},
		{0x03800200, 0x0000000000060941, 16, "0109"}, // @P0 BSYNC B6
		{0x03800100, 0x0000000000060941, 16, "0109"},
		{0x03800500, 0x0000000000027941, 16, "0109040af80000000000040000000000"},
		{0x03800000, 0x0000000000027941, 16, "0109020af80001000000040000000000"},
		{0x03800300, 0x0000000000027941, 16, "0109020af80001000000040000000000"},
		{0x03800000, 0x0000000000007943, 32, "420a020e"},
		{0x03800000, 0x0000000000000943, 32, "420a020e"},
		{0x03800000, 0x0000000000007950, 32, "4233000e"},
		{0x078e0206, 0x0000000305047235, 16, "410c5004"}, // IADD.64
		{0x078e0206, 0x0000001005047835, 32, "420c"},
		{0x078e0206, 0x0000001005047835, 16, "410c"},
		{0x078e0006, 0x0000001005047835, 16, "410c"},
		{0x078e0006, 0x0000000305047c35, 32, "420c"},
		{0x078e0206, 0x0000000305047c35, 32, "420c"},
		{0x078e0006, 0x0000000305047e35, 16, "410c"},
		{0x078e0006, 0x0000000305047e35, 32, "420c"},
		{0x078e0206, 0x0000000305047235, 32, "420c"},
		{0x078e0006, 0x0000000305047235, 32, "420c"},
		{0x000e0400, 0x0000000903037235, 16, "410c4004"},
		{0x000e0400, 0x0000000903037c35, 32, "420c"},
		{0x078e0106, 0x0000000305047235, 16, "410c4004"},
		{0x000e0600, 0x0000000903037235, 32, "420c"}, // both bits
		{0x000e0600, 0x0000001005047835, 32, "420c"},
		{0x000e0400, 0x0000001005047835, 16, "410c"},
	} {
		word := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, x.low), x.high)
		if got, known := recordOf(word, capsule.Node{Kind: capsule.Record, Size: x.size}); !known || got != x.want {
			t.Errorf("%x: %s, want %s", x.low, got, x.want)
		}
	}
	for _, op := range []uint64{0x7918, 0x7942, 0x7236, 0x7136 - 2, 0x794e} {
		word := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, op), 0)
		if begin, known := recordOf(word, capsule.Node{Size: 32}); known || begin != "" {
			t.Errorf("a record for 0x%x is known", op)
		}
	}
}

// TestShortProduct: a record of IMMA may be its tag alone, as nvlink 13.5.37 makes it of that of ptxas 13.0.88;
// one of HMMA and another tag may not.
func TestShortProduct(t *testing.T) {
	for _, x := range []struct {
		long, short string
		want        bool
	}{
		{"025a0826f80005444000000007020602000202c0ff00f8000000000000000000", "425a0826", true},
		{"025a1026f80005444000000007020602000202c0ff00f8000000000000000000", "425a1026", true},
		{"025a0826f80005444000000007020602000202c0ff00f8000000000000000000", "425a1026", false},
		{"025a0826f80005444000000007020602000202c0ff00f8000000000000000000", "025a0826", false},
		{"02590826f80005444000000007020602000202c0ff00f8000000000000000000", "42590826", false},
		{"425a0826", "425a0826", false},
	} {
		long, short := fromHex(t, x.long), fromHex(t, x.short)
		if got := isShort(long, short) && multipliesIntegers(long); got != x.want {
			t.Errorf("%s for %s: %t", x.short, x.long, got)
		}
	}
}

func fromHex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
