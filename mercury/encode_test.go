package mercury_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/mercury"
)

// PLAIN words are encoded as nvlink 13.5.37 has them.
func TestEncode(t *testing.T) {
	text, err := os.ReadFile("testdata/plain.txt")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		s := parseSample(t, line)
		asked++
		if got, why := mercury.Encode(s.sm, s.words[0]); why != mercury.Known || !bytes.Equal(got, s.record) {
			t.Errorf("%x: %x (%s), nvlink has %x", s.words[0], got, why, s.record)
		}
		if n := mercury.Default().PlainSize(s.sm, s.words[0]); n != len(s.record) {
			t.Errorf("%x: %d bytes, nvlink has %d", s.words[0], n, len(s.record))
		}
		// There is no such SM.
		if got, why := mercury.Encode(1, s.words[0]); why != mercury.NoForm || got != nil {
			t.Errorf("%x of sm_1: %x (%s)", s.words[0], got, why)
		}
	}
	if asked < 500 {
		t.Errorf("%d words", asked)
	}
}
