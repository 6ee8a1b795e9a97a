package mercury

import (
	"bytes"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/engine/internal/resched"
)

// TestMovedWord wants a place in code that was rescheduled where its word is now, and that of a word which went at the
// one after it.
func TestMovedWord(t *testing.T) {
	fn := &code{result: &resched.Result{Moves: []int{0, -1, 3, 4}, Starts: []int{0, 1, 1, 4, 5}}}
	for off, want := range map[uint32]uint32{0: 0, 16: 16, 32: 48, 48: 64} {
		if got := fn.moved(off); got != want {
			t.Errorf("%d is at %d, want %d", off, got, want)
		}
	}
	if got := new(code).moved(32); got != 32 {
		t.Errorf("%d in code that is as it was", got)
	}
}

// TestLostMap translates places of a definition that lost by way of Mercury, as nvlink 13.0.88 and 13.5.37 do: what
// begins no instruction there, or none of the code that is kept, has no place.
func TestLostMap(t *testing.T) {
	m := lostMap{
		from: &capsule.Capsule{Nodes: []capsule.Node{{SASS: 0}, {SASS: 16, Merc: 32}, {SASS: 48, Merc: 48}}},
		to:   &code{words: []capsule.Node{{SASS: 0}, {SASS: 16, Merc: 16}, {SASS: 32, Merc: 32}}},
	}
	for off, want := range map[uint32]int{0: 0, 16: 32, 32: -1, 48: -1} {
		to, ok := m.at(off)
		if ok != (want >= 0) || ok && int(to) != want {
			t.Errorf("%d is at %d, %v; want %d", off, to, ok, want)
		}
	}
}

// TestRangeEnds wants ranges of a lost definition that end where the code that is kept ends to be without a place, and those that end
// nowhere to begin there too, as nvlink 13.5.37 has them where what it didn't set was 0.
func TestRangeEnds(t *testing.T) {
	m := lostMap{
		from: &capsule.Capsule{Nodes: []capsule.Node{{SASS: 0}, {SASS: 16, Merc: 16}, {SASS: 32, Merc: 32}}},
		to:   &code{words: []capsule.Node{{SASS: 0}, {SASS: 16, Merc: 16}, {SASS: 32, Merc: 32, Kind: capsule.Skip}}},
	}
	if _, ok := m.at(32); !ok {
		t.Error("no place where the code ends")
	}
	b := []byte{16, 0, 0, 0, 32, 0, 0, 0}
	moveRange(b, true, func(off uint32) uint32 { to, _ := m.inside(off); return to })
	if !bytes.Equal(b, make([]byte, 8)) {
		t.Errorf("the range % x", b)
	}
	b = []byte{0, 0, 0, 0, 16, 0, 0, 0}
	moveRange(b, true, func(off uint32) uint32 { to, _ := m.inside(off); return to })
	if !bytes.Equal(b, []byte{0, 0, 0, 0, 16, 0, 0, 0}) {
		t.Errorf("the range % x", b)
	}
}

// TestMoveLines wants extended opcodes to come through whole, whatever bytes they have: ptxas -lineinfo writes some of
// its own for inlined functions.
func TestMoveLines(t *testing.T) {
	s := lineShape{base: -5, width: 14, opcode: 10, operands: []byte{0, 1, 1, 1, 1, 0, 0, 0, 1}}
	extended := []byte{lineExtended, 5, 0x90, lineAdvanceAddr, 0x20, lineCopy, 0x40}
	in := append([]byte{lineAdvanceAddr, 16}, extended...)
	in = append(in, lineCopy, lineExtended, 1, 1)
	want := append(bytes.Clone(extended), lineAdvanceAddr, 32, lineCopy, lineExtended, 1, 1)
	got, ok := s.moveLines(in, func(at uint64) uint64 { return 2 * at })
	if !ok || !bytes.Equal(got, want) {
		t.Errorf("% x, %v, want % x", got, ok, want)
	}
}

// TestCallerValues follows the caller's values through moves of 64 bits as ptxas 13.5.37 and nvlink 13.5.37 write them.
func TestCallerValues(t *testing.T) {
	v := callerValues{copyOf: make(map[byte]byte), kept: make(map[byte]byte)}
	for i, m := range []struct {
		to   byte
		from int
		said string
	}{
		{4, 6, "\x07\x84\x80\x80\x28"}, // R4 is lost, and holds what R6 had
		{4, 6, ""},                     // as before
		{6, 8, "\x09\x86\x80\x80\x28\x84\x80\x80\x28"}, // R6 is in R4
		{4, 0, "\x07\x86\x80\x80\x28"},                 // and now lost
		{5, 3, "\x07\x85\x80\x80\x28"},
		{5, 1, "\x08\x83\x80\x80\x28"}, // R3 is where it was
		{9, 9, ""},
		{11, noCopy, "\x07\x8b\x80\x80\x28"}, // R11 is lost, and holds a value that no register had
		{11, noCopy, ""},
	} {
		if said := v.move(m.to, m.from, nil); string(said) != m.said {
			t.Errorf("move %d says % x, want % x", i, said, m.said)
		}
	}
}
