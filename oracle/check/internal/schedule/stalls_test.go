package schedule

import (
	"slices"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// wordsInRow is a schedule of some words, nothing else.
func wordsInRow(t *testing.T, words ...string) *schedule {
	t.Helper()
	s := &schedule{targets: map[int][]int{}}
	for _, digits := range words {
		word := wordOf(t, digits)
		s.words = append(s.words, word)
		s.ops = append(s.ops, sass.OperandsOf(word))
		s.out = append(s.out, sass.ControlOf(word))
	}
	return s
}

// Two words with opposite guards are never both executed, unless the predicate is written
// between them: nvlink 13.5 puts @P0 IADD R172, R172, 0x2080 one cycle before @!P0 IADD
// R172, R176, -0x2080.
func TestSoonExclusive(t *testing.T) {
	const (
		yes   = "002fe200078e000000002080acac0835"
		no    = "000fe200078e0000ffffdf80b0ac8835"
		isetp = "000fe20003f05270000000ff3500720c" // ISETP.NE.AND P0, PT, R53, RZ, PT
		uses  = "000fe200078e0000ffffdf80acb08835" // @!P0 IADD R176, R172, -0x2080
	)
	if got := wordsInRow(t, yes, no).soon(0, 1, 1, false); got != sass.Sound {
		t.Errorf("opposite guards: %d", got)
	}
	if got := wordsInRow(t, yes, uses).soon(0, 1, 1, false); got != sass.Sound {
		t.Errorf("opposite guards, used: %d", got)
	}
	if got := wordsInRow(t, yes, isetp, uses).soon(0, 2, 2, false); got != sass.Unsound {
		t.Errorf("a predicate written between: %d", got)
	}
}

// Of a result that nothing uses ptxas writes over IADD's by LOP3 one cycle later; it
// uses it four cycles later at the least.
func TestSoonOver(t *testing.T) {
	const (
		iadd = "000fe200078e01000000001221120235" // @P0 IADD R18, -R33, R18
		over = "000fc800078e33ff00000021ff12a212" // @!P2 LOP3.LUT R18, RZ, R33, RZ, 0x33, !PT
		uses = "000fc800078e33ff00000012ff12a212" // @!P2 LOP3.LUT R18, RZ, R18, RZ, 0x33, !PT
	)
	if got := wordsInRow(t, iadd, over).soon(0, 1, 1, false); got != sass.Sound {
		t.Errorf("written over: %d", got)
	}
	if got := wordsInRow(t, iadd, uses).soon(0, 1, 1, false); got != sass.Unsound {
		t.Errorf("used: %d", got)
	}
}

// What a word has read when it is issued nobody need wait for: its predicates; uniform
// registers of ATOM and others; of loads and stores what a load after writes over. Its
// registers otherwise.
func TestTouchesWhenIssued(t *testing.T) {
	const (
		load  = "00416c000c1e19000000000802360981" // @P0 LDG.E R54, desc[UR8][R2.64]
		stage = "0005e20008181a240cc000001ef07fae" // LDGSTS [R240+0xcc00], desc[UR36][R30.64], P0
		isetp = "000fda0003f05270000000ff3500720c" // ISETP.NE.AND P0, PT, R53, RZ, PT
		atom  = "0003ea000b1ef1048000002b30ff798a" // ATOM.E.OR PT, RZ, desc[UR4][R48.64], R43
		umov  = "000fe200080000000000001f04047c82" // UMOV UR4, UR4
		store = "0001e80000000800000c000d0c007388" // STS [R12+0xc00], R13
		lds   = "000e64000000080000000000160d7984" // LDS R13, [R22]
		mov   = "000fe20000000f00000000ff000d7202" // MOV R13, RZ
	)
	for _, x := range []struct {
		name, from, by string
		want           sass.Soundness
	}{
		{"a guard", load, isetp, sass.Sound},
		{"a predicate", stage, isetp, sass.Sound},
		{"a uniform register of ATOM", atom, umov, sass.Sound},
		{"a store's data, by a load", store, lds, sass.Sound},
		{"a store's data, by MOV", store, mov, sass.Unsound},
	} {
		from, by := sass.OperandsOf(wordOf(t, x.from)), sass.OperandsOf(wordOf(t, x.by))
		if got := sass.Touches(&from, &by, false); got != x.want || !from.Known || !by.Known {
			t.Errorf("%s: %d", x.name, got)
		}
	}
}

// Results of SHFL come in order: nvlink 13.5 gives a scoreboard to the second of two, and
// who waits for that has both. Without the second, or after an end, there is nothing.
func TestCover(t *testing.T) {
	const (
		first  = "00efe800000e00090820000012027989" // SHFL.DOWN PT, R2, R18, 0x1, R9: no scoreboard
		second = "000e6200000e00090820000013037989" // SHFL.DOWN PT, R3, R19, 0x1, R9: scoreboard 1
		isetp  = "041fe20003f06270000000090a00720c"
		waits  = "002e2400000000120000000002027229" // DADD R2, R2, R18, which waits for 1
		exit   = "000fea0003800000000000000000794d" // EXIT
	)
	if !wordsInRow(t, first, second, isetp, waits).covered(0) {
		t.Error("the second does not tell of the first")
	}
	for _, words := range [][]string{{first, isetp, waits}, {first, exit, second, waits}, {second, second}} {
		if wordsInRow(t, words...).covered(0) {
			t.Errorf("%v is covered", words)
		}
	}
}

// What is nearer than a pair that was seldom seen may be right: nvlink 13.5 puts DADD two cycles after
// UMOV.64, which ptxas puts three after, and HFMA2 five after PRMT. What is far enough without a wait is
// far enough after one: I2F four cycles after LOP3. Nearer than a pair that was often seen is too near,
// and so is what is nearer than any use of such a result.
func TestSoonSeldom(t *testing.T) {
	const (
		mov   = "000fcc0000000f000000000b000d2202" // @P2 MOV R13, R11
		dsetp = "010e240003f2e0000000000c0e00722a" // DSETP P1, R14, R12
		umov  = "000fe400083f1a36e2e0000000047482" // UMOV.64 UR4, 0x3f1a36e2e0000000
		dadd  = "001062000800000080000004100e7e29" // DADD R14, R16, -UR4
		prmt  = "020fe200000000210000541020217816" // PRMT R33, R32, 0x5410, R33
		hfma2 = "000fe200000000213c003c000a0a7831" // HFMA2 R10, R10, 1, 1, R33
		lop3  = "010fc800078e3cff0000000304208212" // @!P0 LOP3.LUT R32, R4, R3, RZ, 0x3c, !PT
		i2f   = "004ea400002018000000002000067312" // I2F.F64.U32 R6, R32
		uses  = "000fc800078e33ff00000020ff12a212" // @!P2 LOP3.LUT R18, RZ, R32, RZ, 0x33, !PT
	)
	for _, x := range []struct {
		from, to string
		cycles   uint64
		wait     bool
		want     sass.Soundness
	}{
		{mov, dsetp, 5, true, sass.Unknown}, {mov, dsetp, 6, true, sass.Sound}, {mov, dsetp, 15, true, sass.Sound},
		{umov, dadd, 1, true, sass.Unsound}, {umov, dadd, 2, true, sass.Unknown}, {umov, dadd, 3, true, sass.Sound},
		{prmt, hfma2, 4, false, sass.Unknown}, {prmt, hfma2, 5, false, sass.Sound}, {prmt, hfma2, 1, false, sass.Unsound},
		{lop3, i2f, 4, true, sass.Sound}, {lop3, i2f, 3, true, sass.Unknown},
		{lop3, uses, 3, false, sass.Unsound}, {lop3, uses, 4, false, sass.Sound},
	} {
		if got := wordsInRow(t, x.from, x.to).soon(0, 1, x.cycles, x.wait); got != x.want {
			t.Errorf("%s, %s after %d cycles: %d", x.from, x.to, x.cycles, got)
		}
	}
}

// BRA, EXIT and others stall for five cycles at least in all code of ptxas.
func TestLeastStall(t *testing.T) {
	const exit = "000fea000380000000000000" + "0000794d" // stalls for 5
	for stall := range uint64(6) {
		s := wordsInRow(t, exit)
		s.in, s.known, s.c, s.area = slices.Clone(s.out), []bool{true}, &check{apply.New(&link.Link{Budget: image.NewBudget(0)})}, &link.Area{Name: ".text.k", Owner: &link.Body{Owner: &link.Identity{Name: "k"}, Mod: &link.Module{Image: &image.Image{}}}}
		s.out[0].Stall = stall
		if ok, err := s.stalls(); ok != (stall == 5) || err != nil {
			t.Errorf("%d cycles: %v", stall, ok)
		}
	}
}
