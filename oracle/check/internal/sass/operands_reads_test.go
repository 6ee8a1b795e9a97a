package sass

import (
	"encoding/binary"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What words read is just what nvdisasm says that they read, but for the second of two
// offsets of TEX.LL.AOFFI, which it omits and ptxas fills.
func TestReads(t *testing.T) {
	text, err := os.ReadFile("testdata/reads.tsv")
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for line := range strings.Lines(string(text)) {
		column := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(column) != 3 {
			continue
		}
		high, err := strconv.ParseUint(column[0][:16], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		low, err := strconv.ParseUint(column[0][16:], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		o := OperandsOf(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, low), high))
		if !o.Known || o.Rough {
			t.Errorf("%s is not known", column[1])
			continue
		}
		judged++
		var want RegSet
		for name := range strings.FieldsSeq(column[2]) {
			r, _, _ := listed(name)
			for i := range want {
				want[i] |= r[i]
			}
		}
		if strings.Contains(column[1], "AOFFI") {
			want.Add(low>>32%256+1, 1)
		}
		if !slices.Equal(numbers(&o.Reads), numbers(&want)) {
			t.Errorf("%s: reads %v, want %v", column[1], numbers(&o.Reads), numbers(&want))
		}
	}
	if judged < 40 {
		t.Errorf("only %d words", judged)
	}
}
