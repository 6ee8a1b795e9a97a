package probe_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

func TestMain(m *testing.M) { replay.Main(m) }

func find(t *testing.T) *nvidia.Toolset {
	t.Helper()
	tools, err := probe.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The node that comes back is the one that went in, with words for it, and one
// that nvlink crashes on spoils no other.
func TestOracle(t *testing.T) { replay.Both(t, "testdata/oracle.gz", []string{"13.5"}, oracle) }

func oracle(t *testing.T) {
	tools := find(t)
	o, err := probe.NewOracle(t.Context(), tools, "13.5", "sm_100")
	if err != nil {
		t.Fatal(err)
	}
	// ATOMG.E.ADD.64.STRONG.GPU PT, R4, desc[UR4][R6.64], R4
	good := unhex(t, "024e5232f80000460300000001f803010082010a000201020100000000000000")
	bad := bytes.Clone(good)
	bad[1], bad[2], bad[3] = 0xff, 0xff, 0xff
	answers, err := o.Ask(t.Context(), []probe.Node{{Record: good}, {Record: bad}, {Record: good}})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 2} {
		if a := answers[i]; a.Kind != 'R' || !bytes.Equal(a.Record, good) || len(a.Words) != 16 || a.Words[0] != 0xa8 || a.Words[1]&15 != 9 || a.Words[2] != 4 {
			t.Errorf("answer %d: %c %x %x", i, a.Kind, a.Record, a.Words)
		}
	}
	// 13.5 makes zeros of what it doesn't know, or says no.
	if a := answers[1]; len(a.Words) > 0 && !bytes.Equal(a.Words[:13], make([]byte, 13)) {
		t.Errorf("an instruction that isn't: %c %x", a.Kind, a.Words)
	}
}

// ptxas 13.0.88 and nvlink 13.5.37 agree on these: the words are the first's,
// the records what the second was made to show, as is each size.
func TestReader(t *testing.T) { replay.Both(t, "testdata/reader.gz", []string{"13.5"}, reader) }

func reader(t *testing.T) {
	tools := find(t)
	r, err := probe.NewReader(t.Context(), tools, "13.5", "sm_100")
	if err != nil {
		t.Fatal(err)
	}
	words := [][]byte{
		unhex(t, "01730500000000000000000000244e00"), // BREV R5, R0
		unhex(t, "0c7800030e0000007042f00300c60f00"), // ISETP.GT.AND P0, PT, R3, 0xe, PT
		unhex(t, "01730500000000000000000000244e00"),
	}
	got, err := r.Records(t.Context(), words, []int{16, 32, 16})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"0106000af80004000000410100000000", "02104406f800110000000100c0000a000000000000000000000000000e000000", "0106000af80004000000410100000000"} {
		if !bytes.Equal(got[i], unhex(t, want)) {
			t.Errorf("record %d: %x, want %s", i, got[i], want)
		}
	}
}

func TestHostileCubins(t *testing.T) {
	for _, b := range [][]byte{nil, []byte("\x7fELF"), make([]byte, 64), append([]byte("\x7fELF"), bytes.Repeat([]byte{0xff}, 200)...)} {
		if _, _, err := probe.Pairs(b); err == nil {
			t.Errorf("accepted %x", b)
		}
	}
}

// nvlink 13.5 takes a register of its own for the clock that some loads of special registers are made of: the record
// doesn't tell which, and where the first eight are read behind it, it is another one. Of the other record all is told.
func TestTwice(t *testing.T) { replay.Both(t, "testdata/twice.gz", []string{"13.5"}, twice) }

func twice(t *testing.T) {
	o, err := probe.NewOracle(t.Context(), find(t), "13.5", "sm_100")
	if err != nil {
		t.Fatal(err)
	}
	o.Twice = true
	answers, err := o.Ask(t.Context(), []probe.Node{{Record: unhex(t, "010b060afa0004000000410508040000")}, {Record: unhex(t, "010b060afa0004000000410522040000")}})
	if err != nil {
		t.Fatal(err)
	}
	const first, register = "057800", 2
	if a := answers[0]; !bytes.HasPrefix(a.Words, unhex(t, first)) || len(a.Other) != len(a.Words) || a.Other[register] != 8 {
		t.Errorf("a register of its own: %x and %x", a.Words, a.Other)
	}
	if a := answers[1]; a.Kind != 'R' || len(a.Words) != 16 || a.Other != nil {
		t.Errorf("none: %c %x and %x", a.Kind, a.Words, a.Other)
	}
}
