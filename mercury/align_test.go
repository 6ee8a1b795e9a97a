package mercury_test

import (
	"fmt"
	"testing"

	"github.com/twinlink/twinlink/mercury"
)

// What surroundings add to a record: the same record stands for these words in
// cubins of ptxas 13.5 and nvlink 13.0.88, or in answers of nvlink 13.5.37.
func TestSurroundings(t *testing.T) {
	const (
		fence   = "92790000000000000050000000ec0f00"
		errbar  = "ab790000000000000000000000c00f00"
		cgabar  = "ab750000000000000000000000ec0f00"
		exit    = "4d790000000000000000800300ea0f00"
		guarded = "92090000000000000050000000ec0f00"
		ahead   = "92790000000000000080000000ec0f00"
		gpu     = "92790000000000000020000000ec0f00"
		cctl    = "8f7900ff000000000000000200e20f00"
		sync    = "48890000000000000000800300ea0f00"
		nop     = "18890000000000000000000000e20f00"
		masked  = "48730004000000000000800300ea1f00"
		always  = "18790000000000000000000000e20f00"
		leave   = "42790100000000000001800300ea0f00"
	)
	for _, test := range []struct {
		record, words string
		want          mercury.Reason
	}{
		{"0111000af8000000000000f800000000", exit, mercury.Known},
		{"0111000af8000000000000f800000000", fence + errbar + cgabar + exit, mercury.Known},
		{"0111000af8000000000000f800000000", errbar + cgabar + exit, mercury.Known},
		{"0111000af8000000000000f800000000", guarded + errbar + cgabar + exit, mercury.Span},
		{"0111000af8000000000000f800000000", gpu + errbar + cgabar + exit, mercury.Span},
		{"0111000af8000000000000f800000000", cgabar + exit, mercury.Span},
		{"1192040af8000a000000000000000000", "c6730000000000000002000000e20f00", mercury.Known}, // cuBLAS 13.4.0.1
		{"0192040af8000a000000000000000000", "c6730000000000000002000000e20f00", mercury.NoForm},
		{"01476e0a01000c00000000f800000000", sync, mercury.Known}, // ptxas 12.9 from here on
		{"01476e0a01000c00000000f800000000", sync + nop, mercury.Known},
		{"01476e0a01000c00000000f800000000", sync + always, mercury.Span},
		{"01476e0a01000c00000000f800000000", sync + nop + nop, mercury.Span},
		{"0147700af8000c00000000f800010000", masked + always, mercury.Known},
		{"0147700af8000c00000000f800010000", masked + nop, mercury.Span},
		{"0105020af8000000000000f802000000", leave, mercury.Known},
		{"0105020af8000000000000f802000000", leave + always, mercury.Known},
		{"0105020af8000000000000f802000000", leave + nop, mercury.Span},
		{"0149100af8000c000000000000000000", gpu + errbar + cgabar + cctl, mercury.Known},
		{"0149100af8000c000000000000000000", ahead + gpu + errbar + cgabar + cctl, mercury.Known},
		{"0149100af8000c000000000000000000", gpu + gpu + errbar + cgabar + cctl, mercury.Span},
	} {
		why, same := decode(parseSample(t, fmt.Sprintf("100 %s %s", test.record, test.words)))
		if why != test.want || (why == mercury.Known) != same {
			t.Errorf("%s with %d words: %q, same %v, want %q", test.record, len(test.words)/32, why, same, test.want)
		}
	}
}

// Of the words that surroundings add no bit of the schedule is decided: those of a sample with another schedule are the
// record's too.
func TestSurroundingsSchedule(t *testing.T) {
	s := parseSample(t, "100 0111000af8000000000000f800000000 92790000000000000050000000ec0f00"+"ab790000000000000000000000c00f00"+
		"ab750000000000000000000000ec0f00"+"4d790000000000000000800300ea0f00")
	for i := range s.words[:3] {
		s.words[i].Hi ^= 1 << 45 // the stall count
	}
	want, mask := make([]mercury.Word, len(s.words)), make([]mercury.Word, len(s.words))
	if why := mercury.Decode(s.sm, s.record, s.words, want, mask); why != mercury.Known {
		t.Fatal(why)
	}
	for i := range s.words[:3] {
		if mask[i].Hi&mercury.Schedule != 0 || mask[i].Lo != 1<<64-1 {
			t.Errorf("word %d: mask %x %x", i, mask[i].Lo, mask[i].Hi)
		}
	}
}
