package schedule

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// scheduled is a word with a stall and scoreboards; 7 is none.
type scheduled struct {
	high, low                uint64
	stall, write, read, wait uint64
}

func (x scheduled) word() []byte {
	control := x.stall | 1<<4 | x.write<<5 | x.read<<8 | x.wait<<11
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, x.low), x.high&(1<<41-1)|control<<41)
}

// scheduleOf is a function in the input's schedule and in the output's.
func scheduleOf(in, out []scheduled) *schedule {
	w := &sass.WordMap{Identity: true}
	var code, was []byte
	for i := range in {
		was, code = append(was, in[i].word()...), append(code, out[i].word()...)
		w.To, w.From = append(w.To, int32(i)), append(w.From, int32(i))
	}
	b := &link.Body{Owner: &link.Identity{Name: "f"}, Section: &image.Section{Name: ".text.f", Body: was}, Mod: &link.Module{Image: &image.Image{Name: "f.cubin"}}}
	a := &link.Area{Name: ".text.f", Owner: b, Words: w, Out: &image.Section{Body: code}}
	c := &check{apply.New(link.New(0, verdict.Options{}))}
	c.Budget = image.NewBudget(1 << 20)
	return c.newSchedule(a)
}

// judged is what a check of a whole schedule says.
func (s *schedule) judged(t *testing.T) string {
	t.Helper()
	if err := s.c.compareSchedule(s.area, 1); err != nil {
		t.Fatal(err)
	}
	switch {
	case s.c.Verdict.Total > 0:
		return "rejected"
	case len(s.c.Verdict.Unjudged) > 0:
		return "not judged"
	}
	return "accepted"
}

// Words of a kernel of ptxas 13.0 for sm_100: a value for the function that is called, and
// the call. nvlink 13.5 moves the wait for the store to the call and keeps seven cycles.
func TestCalls(t *testing.T) {
	add := scheduled{0x087fe4ff, 0x00000005ff077c10, 7, 7, 7, 3} // IADD3.X R7, ...
	store := scheduled{0x00100800, 0x0000000201007387, 2, 7, 1, 0}
	call := scheduled{0x03c00000, 0x0000000000007943, 5, 7, 7, 0}
	exit := scheduled{0x03800000, 0x000000000000794d, 5, 7, 7, 0}
	for _, x := range []struct {
		stall, at, before uint64 // of the addition, the waits at the call and at the addition
		want              string
	}{
		{7, 0, 3, "accepted"},
		{7, 2, 1, "accepted"}, // the wait moved to the call
		{7, 0, 1, "rejected"}, // whoever is called may write over the store's operand
		{6, 0, 3, "rejected"}, // nearer than ptxas ever puts a result and a call
	} {
		out := []scheduled{store, add, call, exit}
		out[1].stall, out[1].wait, out[2].wait = x.stall, x.before, x.at
		if got := scheduleOf([]scheduled{store, add, call, exit}, out).judged(t); got != x.want {
			t.Errorf("%+v: %s", x, got)
		}
	}
}

// A store without a scoreboard, as nvlink 13.5 has it: its register is written over after
// what waits for a later access, or after a barrier.
func TestStoresInOrder(t *testing.T) {
	store := scheduled{0x00100800, 0x0000201501007387, 4, 7, 0, 0} // STL [R1+0x20], R21
	bare := store
	bare.read = sass.NoBoard
	load := scheduled{0x00000800, 0x0000000003107984, 2, 1, 7, 0}      // LDS R16, [R3]
	use := scheduled{0x03f06070, 0x000000631000780c, 13, 7, 7, 1 << 1} // ISETP on R16
	barrier := scheduled{0x00010000, 0x0000000000007b1d, 6, 7, 7, 0}   // BAR.SYNC
	over := scheduled{0x00000f00, 0x0000000000157802, 2, 7, 7, 1}      // MOV R21
	exit := scheduled{0x03800000, 0x000000000000794d, 5, 7, 7, 0}
	nop := scheduled{0, 0x0000000000007918, 4, 7, 7, 0}
	for i, x := range []struct {
		words []scheduled
		want  string
	}{
		{[]scheduled{store, load, use, over, exit}, "accepted"},
		{[]scheduled{store, barrier, nop, over, exit}, "accepted"},
		{[]scheduled{store, nop, nop, over, exit}, "rejected"},
		{[]scheduled{load, store, use, over, exit}, "rejected"}, // the load was before
	} {
		out := append([]scheduled(nil), x.words...)
		for k := range out {
			if out[k] == store {
				out[k] = bare
			}
			if out[k] == over {
				out[k].wait = 0
			}
		}
		if got := scheduleOf(x.words, out).judged(t); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}
	if fmt.Sprint(accessesInOrder(load.word()), storesInOrder(load.word())) != "true false" {
		t.Error("a load is no store")
	}
}

// A scoreboard is taken a cycle after its word: who waits for it stands two cycles after.
func TestWaitsTooSoon(t *testing.T) {
	load := scheduled{0x08000a00, 0x00006b00ff0477ac, 2, 0, 7, 0} // LDCU.64 UR4
	use := scheduled{0x0c101900, 0x0000080404057980, 2, 2, 7, 1}  // LD.E R5, desc[UR4][R4.64]
	exit := scheduled{0x03800000, 0x000000000000794d, 5, 7, 7, 1 << 2}
	for stall, want := range map[uint64]string{1: "rejected", 2: "accepted", 3: "accepted"} {
		out := []scheduled{load, use, exit}
		out[0].stall = stall
		if got := scheduleOf([]scheduled{load, use, exit}, out).judged(t); got != want {
			t.Errorf("%d cycles: %s, want %s", stall, got, want)
		}
	}
}

// A value that is written over is no longer what is read: what is left of the LOP3 that made R0
// first does not meet the LDC that reads it, when an IADD has written it between.
func TestResultsWrittenOver(t *testing.T) {
	first := scheduled{0x078ec0ff, 0x0000000116007812, 1, 7, 7, 0} // LOP3 R0, ...
	over := scheduled{0x0fffe0ff, 0x0000000400007c10, 1, 7, 7, 0}  // IADD3 R0, R0, UR4
	load := scheduled{0x00000200, 0x00c0000000007b82, 8, 1, 7, 0}  // LDC.U8 R0, c[0x3][R0]
	words := []scheduled{first, over, load}
	s := scheduleOf(words, words)
	mine := s.ops[0]
	if s.soonAfter(0, 2, &mine, 2, false, false) == sass.Sound {
		t.Error("two cycles from LOP3 to LDC are enough")
	}
	mine.Writes.Lose(&s.ops[1].Writes)
	if s.soonAfter(0, 2, &mine, 2, false, false) != sass.Sound {
		t.Error("what IADD3 wrote over is still there")
	}
}

// The predicate that guards a word is read when the word is issued, so the next may write it
// over: in a kernel by nvlink 13.5 for sm_103, as in its input, an ISETP does so after a store.
func TestGuardsAreReadAtIssue(t *testing.T) {
	store := scheduled{0x0c101b04, 0x0000080402008985, 3, 7, 1, 0}  // @!P0 ST.E.64 [R2.64+0x8], R4
	test := scheduled{0x03f05070, 0x000030390700780c, 13, 7, 7, 0}  // ISETP P0, PT, R7, ...
	other := scheduled{0x078e0204, 0x0000000107047824, 2, 7, 7, 0}  // IMAD.IADD R4, R7, ...
	branch := scheduled{0x00000000, 0x0000000000007918, 5, 7, 7, 3} // a word that waits
	exit := scheduled{0x03800000, 0x000000000000794d, 5, 7, 7, 1}
	for _, x := range []struct {
		over scheduled
		want string
	}{{test, "accepted"}, {other, "rejected"}} {
		in := []scheduled{store, branch, x.over, exit}
		out := append([]scheduled(nil), in...)
		out[0].read, out[1].wait = 0, 0
		if got := scheduleOf(in, out).judged(t); got != x.want {
			t.Errorf("%x: %s, want %s", x.over.low, got, x.want)
		}
	}
}

// The DEPBAR before a UTCATOMSWS counts in that one's scoreboard: SB1 by ptxas 13.0.88, SB3 by
// nvlink 13.5.37. It says nothing where the two differ.
func TestThrottle(t *testing.T) {
	depbar := func(board uint64) scheduled { return scheduled{0, 0x00008d800000791a | board<<44, 4, 7, 7, 0} }
	search := func(board uint64) scheduled { return scheduled{0x08200800, 0x00000004000475e3, 2, board, 7, 0} }
	code := func(list ...scheduled) (words []byte) {
		for _, x := range list {
			words = append(words, x.word()...)
		}
		return words
	}
	w := &sass.WordMap{To: []int32{0, 1}, From: []int32{0, 1}}
	for _, x := range []struct {
		named, taken uint64
		want         bool
	}{{3, 3, true}, {3, 1, false}, {1, 3, false}} {
		in, out := code(depbar(1), search(1)), code(depbar(x.named), search(x.taken))
		if got := w.Throttles(in, out, 0); got != x.want {
			t.Errorf("names %d, takes %d: %v", x.named, x.taken, got)
		}
	}
}

// SYNCS.PHASECHK has read its uniform address when it is issued.
func TestPhaseCheckAtIssue(t *testing.T) {
	check := scheduled{0x08021104, 0x00000000ff0005a7, 1, 3, 2, 0} // @P0 SYNCS.PHASECHK P1, [UR4], R0
	over := scheduled{0x0fffe0ff, 0x000000f01f047890, 1, 7, 7, 0}  // UIADD3 UR4, UPT, UPT, UR31, 0xf0, URZ
	data := scheduled{0x03f00000, 0x00000000ff007424, 1, 7, 7, 0}  // IMAD.MOV R0
	exit := scheduled{0x03800000, 0x000000000000794d, 5, 7, 7, 0}
	for over, want := range map[scheduled]string{over: "accepted", data: "rejected"} {
		in := over
		in.wait = 1 << 2
		if got := scheduleOf([]scheduled{check, in, exit}, []scheduled{check, over, exit}).judged(t); got != want {
			t.Errorf("%x: %s", over.low, got)
		}
	}
}

// ptxas 13.5.37 lets a DMUL write over the result of a DADD without waiting; nothing else may.
func TestDoublesInOrder(t *testing.T) {
	add := scheduled{0, 0x7ff00000ccca7429, 12, 1, 7, 0}    // DADD R202, R204, +INF
	double := scheduled{0, 0x000000ccdcca8228, 2, 0, 7, 2}  // @!P0 DMUL R202, R220, R204
	single := scheduled{0, 0x000000ccdcca8220, 2, 7, 7, 2}  // @!P0 FMUL R202, R220, R204
	chained := scheduled{0, 0x000000cccaca8228, 2, 0, 7, 2} // @!P0 DMUL R202, R202, R204
	exit := scheduled{0x03800000, 0x000000000000794d, 5, 7, 7, 3}
	for over, want := range map[scheduled]string{double: "accepted", single: "rejected", chained: "rejected"} {
		out := over
		out.wait = 0
		if got := scheduleOf([]scheduled{add, over, exit}, []scheduled{add, out, exit}).judged(t); got != want {
			t.Errorf("%x: %s", over.low, got)
		}
	}
}

// ptxas 13.5 writes code for sm_103a with -O0 without any schedule, but for words that are never executed. So may a
// link, but not where the input's code has one.
func TestNoScheduleAsBefore(t *testing.T) {
	never := scheduled{0, 0x00000000ff00f984, 1, 7, 7, 0} // @!PT LDS
	load := scheduled{0x00000a00, 0x00000000ff047b82, 0, 7, 7, 0}
	move := scheduled{0, 0x0000000400057202, 0, 7, 7, 0}
	code := []scheduled{load, never, move}
	if got := scheduleOf(code, code).judged(t); got != "accepted" {
		t.Error(got)
	}
	in := slices.Clone(code)
	in[0].stall, in[0].write, in[2].stall, in[2].wait = 1, 0, 5, 1
	if got := scheduleOf(in, code).judged(t); got != "rejected" {
		t.Errorf("the input waits: %s", got)
	}
}

// A comparison of doubles makes the guard of fences that nvlink puts in with -g, MEMBAR, ERRBAR and
// CGAERRBAR: 13.5 lets the second wait. Without any wait it is wrong.
func TestFencesWait(t *testing.T) {
	compare := scheduled{0x03f06000, 0x000000041000722a, 2, 2, 7, 0} // DSETP.GE.AND P0, PT, R16, R4, PT
	fences := []scheduled{{0x5000, 0x0000000000000992, 0, 7, 7, 0}, {0, 0x00000000000009ab, 0, 7, 7, 0}, {0, 0x00000000000005ab, 6, 7, 7, 0}}
	exit := scheduled{0x03800000, 0x000000000000094d, 5, 7, 7, 0} // @P0 EXIT
	for at, want := range map[int]string{0: "accepted", 1: "not judged", 3: "rejected"} {
		in, out := []scheduled{compare, fences[0], fences[1], fences[2], exit}, []scheduled{compare, fences[0], fences[1], fences[2], exit}
		in[0].stall, in[0].write = 15, sass.NoBoard
		out[1+at].wait = 4
		s := scheduleOf(in, out)
		for i := 1; i < 4; i++ {
			s.area.Words.From[i] = -1
		}
		if got := s.judged(t); got != want {
			t.Errorf("the wait at %d: %s", at, got)
		}
	}
}

// Words of a kernel of ptxas 13.0 for sm_100, as nvlink 13.1 schedules them: the last of three
// S2UR has a scoreboard alone, which a word before it waits for, as an LDC had it then. That
// wait is none for the first.
func TestCoverFromBehind(t *testing.T) {
	const high, low = 0x2500, 0x00000000000979c3 // S2UR UR9, SR_CTAID.X
	for _, x := range []struct {
		waits uint64 // at the EXIT
		want  string
	}{{1, "accepted"}, {0, "rejected"}} {
		schedules := func(ldc, first, second, before, third, exit uint64) []scheduled {
			return []scheduled{
				{0xa00, 0x0000f200ff027b82, 1, ldc, 7, 0},        // LDC.64 R2
				{high, low, 8, first, 7, 0},                      // S2UR UR9
				{0x2600, 0x00000000000a79c3, 1, second, 7, 0},    // S2UR UR10
				{0x3f06070, 0x000000010200780c, 7, 7, 7, before}, // ISETP P0, R2
				{0x2700, 0x00000000000579c3, 13, third, 7, 0},    // S2UR UR5
				{0x3800000, 0x000000000000894d, 5, 7, 7, exit},   // @!P0 EXIT
				{0x80006ff, 0x0000000a09047899, 5, 7, 7, 0},      // USHF UR4, UR9
				{0x3800000, 0x000000000000794d, 5, 7, 7, 0},      // EXIT
			}
		}
		if got := scheduleOf(schedules(1, 3, 4, 2, 1, 31), schedules(0, 7, 7, 1, 0, x.waits)).judged(t); got != x.want {
			t.Errorf("waits %d: %s", x.waits, got)
		}
	}
}

// nvlink 13.1 and later put a UTMACMDFLUSH after each UTMACCTL of code of ptxas 13.0, in that one's scoreboard, and 13.5 a
// MEMBAR before a stronger one: it may count in no DEPBAR, and nothing else may take its place.
func TestFlushPutIn(t *testing.T) {
	control := scheduled{0x08000000, 0x00000000040079b9, 15, 7, 1, 0}   // UTMACCTL.PF [UR4]
	flush := scheduled{0, 0x00000000000079b7, 15, 7, 1, 0}              // UTMACMDFLUSH
	depbar := scheduled{0, 0x000080000000791a | 1<<44, 15, 7, 7, 0}     // DEPBAR.LE SB1, 0
	other := scheduled{0, 0x00009d800000791a, 15, 7, 7, 0}              // DEPBAR.LE SB1, 0x36
	fence := scheduled{0x8000, 0x0000000000007992, 6, 7, 1, 0}          // MEMBAR.ALL.CTA
	test := scheduled{0x03f0f070, 0x000000000008781c, 15, 7, 7, 1 << 1} // PLOP3, which waits for SB1
	exit := scheduled{0x03800000, 0x000000000000794d, 5, 7, 7, 0}       // EXIT
	rest := []scheduled{test, exit}
	for _, x := range []struct {
		before, put []scheduled
		want        string
	}{
		{[]scheduled{control}, []scheduled{flush}, "accepted"},
		{[]scheduled{depbar, control}, []scheduled{flush}, "rejected"},
		{[]scheduled{control}, []scheduled{fence}, "unlike"},
		{[]scheduled{control}, []scheduled{fence, membar}, "accepted"},
		{[]scheduled{control}, []scheduled{never, never, fence, membar}, "accepted"},
		{[]scheduled{depbar, control}, []scheduled{fence, membar}, "rejected"},
		{[]scheduled{control}, []scheduled{fence.results(2), membar}, "rejected"},
		{[]scheduled{control}, []scheduled{never.operands(1)}, "rejected"},
		{[]scheduled{control}, []scheduled{other}, "unlike"},
	} {
		var in, out []byte
		for _, w := range append(slices.Clone(x.before), rest...) {
			in = append(in, w.word()...)
		}
		for _, w := range slices.Concat(x.before, x.put, rest) {
			out = append(out, w.word()...)
		}
		b := &link.Body{Owner: &link.Identity{Name: "f"}, Section: &image.Section{Name: ".text.f", Body: in}, Mod: &link.Module{Image: &image.Image{Name: "f.cubin"}}}
		words, unlike := b.MapCode(out)
		got := "unlike"
		if unlike == 0 {
			c := &check{apply.New(link.New(0, verdict.Options{}))}
			c.Budget = image.NewBudget(1 << 20)
			got = c.newSchedule(&link.Area{Name: ".text.f", Owner: b, Words: words, Out: &image.Section{Body: out}}).judged(t)
		}
		if got != x.want {
			t.Errorf("%d words before: %s, want %s", len(x.before), got, x.want)
		}
	}
}

// UGETNEXTWORKID has read its registers when it is issued, so that a function may return without a wait for it. After a
// store, which reads a register later, it may not.
func TestNextWorkAtIssue(t *testing.T) {
	next := scheduled{0x08000000, 0x00000000040073ca, 12, 7, 1, 0}    // UGETNEXTWORKID.SELFCAST [UR4]
	store := scheduled{0x00100800, 0x0000000201007387, 2, 7, 1, 0}    // STL
	ret := scheduled{0x03e00000, 0x0000000014007950, 5, 7, 7, 1 << 1} // RET
	for first, want := range map[scheduled]string{next: "accepted", store: "rejected"} {
		out, end := first, ret
		out.read, end.wait = sass.NoBoard, 0
		if got := scheduleOf([]scheduled{first, ret}, []scheduled{out, end}).judged(t); got != want {
			t.Errorf("%x: %s, want %s", first.low, got, want)
		}
	}
}

// wordOf is a word from its 32 digits, the upper half first.
func wordOf(t *testing.T, digits string) []byte {
	t.Helper()
	word, err := hex.DecodeString(digits)
	if err != nil || len(word) != sass.Instruction {
		t.Fatal(digits, err)
	}
	slices.Reverse(word)
	return word
}
