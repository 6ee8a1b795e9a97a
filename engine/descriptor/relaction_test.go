package descriptor

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// The sections of nvlink 11.8.89, and of 12.4.131 and 13.0.88, byte for byte.
func TestRelAction(t *testing.T) {
	for _, c := range []struct {
		first, last int
		want        string
	}{
		{cuda.R_CUDA_ABS55_16_34, cuda.R_CUDA_SAMP_HEADER_INDEX_0, "4b00000000000000" + "00020208100a2f22" + "0000000800000000" + "0000080800000000" + "0000100800000000" + "0000180800000000" +
			"0000200800000000" + "0000280800000000" + "0000300800000000" + "0000380800000000" + "0100000800000000" + "0100080800000000" + "0100100800000000" + "0100180800000000" +
			"0100200800000000" + "0100280800000000" + "0100300800000000" + "0100380800000000" + "0200000800000000" + "0200080800000000" + "0200100800000000" + "0200180800000000" +
			"0200200800000000" + "0200280800000000" + "0200300800000000" + "0200380800000000" + "000000142c000000" + "0300000c00000000"},
		{cuda.R_CUDA_CONST_FIELD22_37, cuda.R_CUDA_CONST_FIELD22_37, "7300000000000000" + "0000001125000536"},
	} {
		if got := hex.EncodeToString(RelAction(c.first, c.last)); got != c.want {
			t.Errorf("types %d to %d: %s, want %s", c.first, c.last, got, c.want)
		}
	}
}

// A type asks for a function's descriptor where its name says so, but for those of single bytes.
func TestAsksFunction(t *testing.T) {
	for typ := range uint32(0x10200) {
		info, known := cuda.LookupReloc(typ)
		want := known && strings.Contains(info.Name, "FUNC_DESC") && !strings.Contains(info.Name, "FUNC_DESC_8_")
		if got := AsksFunction(typ); got != want {
			t.Errorf("%d %s: %v", typ, info.Name, got)
		}
	}
}
