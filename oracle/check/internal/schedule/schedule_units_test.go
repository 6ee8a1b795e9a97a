package schedule

import (
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// Words that nvlink 13.5.37 wrote in code for sm_103 that ptxas made for sm_100.
const (
	dfmaNone = "000fe20000000818400000000c0ca82b" // @!P2 DFMA R12, R12, 2, -R24: no scoreboard
	dfma0    = "001e2400000008043ff000000e18742b" // DFMA R24, R14, -R4, 1: scoreboard 0
	dsetp2   = "000ea20003f0e000000000101e00722a" // DSETP.GEU.AND P0, PT, R30, R16, PT: scoreboard 2
	dfma43   = "000722000000002e000000162c1e722b" // DFMA R30, R44, R22, R46: scoreboard 4, 3 of its operands
	imma1    = "0e6e62000040540c00000000040c7237" // IMMA R12, R4, R12: scoreboard 1, none of its operands
	imma32   = "0084e400004054080000000004087237" // IMMA R8, R4, R8: scoreboard 3, 2 of its operands
)

// Stores to surfaces that nvlink 13.5.37 rescheduled for sm_100.
const (
	sustNone = "001fe2000810a90070ff060404007f9d" // SUST.D.BA.2D.STRONG.SM.TRAP [R4], R4, UR6: no scoreboard
	sust0    = "0001ec000810a90008ff060404007f9d" // SUST.D.BA.1D.STRONG.SM [R4], R4, UR6: 0 of its operands
)

// TestTells wants a word's result, or that its operands were read, told by the scoreboards of
// later words of its unit, and of no other.
func TestTells(t *testing.T) {
	for _, x := range []struct {
		earlier, later string
		result         bool
		want           uint64
	}{
		{dfmaNone, dfma0, true, 1 << 0},
		{dfmaNone, dfma0, false, 1 << 0},
		{dsetp2, dfma43, false, 1<<3 | 1<<4},
		{dsetp2, dfma43, true, 1 << 4},
		{dfma0, dsetp2, true, 1 << 2},
		{imma1, imma32, false, 1<<2 | 1<<3},
		{imma1, imma32, true, 0},
		{imma1, dfma0, false, 0},
		{dfmaNone, imma32, true, 0},
		{sustNone, sust0, false, 1 << 0},
		{sustNone, dsetp2, false, 0},
	} {
		if got := wordsInRow(t, x.earlier, x.later).tells(0, 1, x.result); got != x.want {
			t.Errorf("%s, %s, result %v: scoreboards %06b", x.earlier, x.later, x.result, got)
		}
	}
}

// Two conversions of doubles to integers write one register in their order; another word does not.
func TestConversionsInOrder(t *testing.T) {
	const (
		first  = "0044e2000030d1000000001200029311" // @!P1 F2I.F64.TRUNC R2, R18
		second = "000422000030d1000000001200020311" // @P0 F2I.F64.TRUNC R2, R18
		mov    = "000fe20000000f0000000008ff027202" // MOV R2, R8
	)
	for by, want := range map[string]sass.Soundness{second: sass.Sound, mov: sass.Unsound} {
		x, y := sass.OperandsOf(wordOf(t, first)), sass.OperandsOf(wordOf(t, by))
		if got := sass.Touches(&x, &y, true); got != want {
			t.Errorf("%s: %d", by, got)
		}
	}
}

// On every path each scoreboard of a later word of the unit says that an earlier one is done: the nearest
// and the one after it. nvlink 13.5 waits for either. Without a wait for one of them there is none.
func TestFollowUnits(t *testing.T) {
	const (
		first  = "000fe20000000818400000000c0ca82b" // @!P2 DFMA R12, R12, 2, -R24
		waits1 = "002fc800078e33ff0000000cff12a212" // LOP3, which reads R12 and waits for 1
		waits0 = "001fc800078e33ff0000000cff12a212" // for 0
		waits3 = "008fc800078e33ff0000000cff12a212" // for 3, which nobody has taken
		second = "000e6200000000180000000e0e1e7229" // DADD: scoreboard 1
	)
	for use, want := range map[string]sass.Soundness{waits1: sass.Sound, waits0: sass.Sound, waits3: sass.Unsound} {
		s := wordsInRow(t, first, dfma0, second, use, "000fea000380000000000000"+"0000794d")
		s.in, s.seen = make([]sass.Control, len(s.words)), make([]visited, 2*len(s.words))
		for i := range s.in {
			s.in[i] = sass.Control{Write: sass.NoBoard, Read: sass.NoBoard, Stall: 15}
		}
		if _, got := s.follow(token{word: 0, result: true, in: sass.NoBoard, out: sass.NoBoard}); got != want {
			t.Errorf("%s: %d", use, got)
		}
	}
}
