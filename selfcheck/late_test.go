package selfcheck_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"github.com/twinlink/twinlink/selfcheck"
)

// An object of ptxas 12.9 (of late.ptx, -g -O0, for sm_100) in which %r6 starts at the WARPSYNC after the load
// that makes it. It may start at the load too, as others do there; at no other word.
func TestLateRange(t *testing.T) {
	data, err := os.ReadFile("testdata/late-12.9.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const late, end = 0x1c0, 0x1f0
	edges := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, late), end)
	at := bytes.Index(data, edges)
	if at < 0 || bytes.Contains(data[at+1:], edges) {
		t.Fatal("no range, or several")
	}
	for start, want := range map[uint32]selfcheck.Verdict{late: selfcheck.Pass, late - 0x10: selfcheck.Pass, late + 0x10: selfcheck.Fail, late - 0x20: selfcheck.Fail} {
		binary.LittleEndian.PutUint32(data[at:], start)
		if r := selfcheck.Check("late", data, selfcheck.Options{}); r.Verdict != want {
			t.Errorf("start %#x: %v, want %v: %v", start, r.Verdict, want, r.Findings)
		}
	}
}

// An object of ptxas 12.9 (of alone/fenced.ptx, -g -O0, for sm_120) in which %r7 starts at the fence after the
// addition that makes it.
func TestLateRangeAtFence(t *testing.T) {
	data, err := os.ReadFile("testdata/alone/fenced-12.9.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const late, end = 0x1d0, 0x310
	edges := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, late), end)
	at := bytes.Index(data, edges)
	if at < 0 || bytes.Contains(data[at+1:], edges) {
		t.Fatal("no range, or several")
	}
	for start, want := range map[uint32]selfcheck.Verdict{late: selfcheck.Pass, late - 0x10: selfcheck.Pass, late + 0x10: selfcheck.Fail, late + 0x20: selfcheck.Fail} {
		binary.LittleEndian.PutUint32(data[at:], start)
		if r := selfcheck.Check("fenced", data, selfcheck.Options{}); r.Verdict != want {
			t.Errorf("start %#x: %v, want %v: %v", start, r.Verdict, want, r.Findings)
		}
	}
}

// An object of ptxas 12.9 (of alone/red.ptx, -g -O0, for sm_100) in which %r1 ends after the B2R.RESULT of the barrier that reads it.
func TestLateEnd(t *testing.T) {
	data, err := os.ReadFile("testdata/alone/red-12.9.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const start, late = 0xe0, 0x1b0
	edges := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, start), late)
	at := bytes.Index(data, edges)
	if at < 0 || bytes.Contains(data[at+1:], edges) {
		t.Fatal("no range, or several")
	}
	for end, want := range map[uint32]selfcheck.Verdict{late: selfcheck.Pass, late - 0x10: selfcheck.Pass, late + 0x10: selfcheck.Fail} {
		binary.LittleEndian.PutUint32(data[at+4:], end)
		if r := selfcheck.Check("red", data, selfcheck.Options{AllowUnknown: true}); r.Verdict != want {
			t.Errorf("end %#x: %v, want %v: %v", end, r.Verdict, want, r.Findings)
		}
	}
}
