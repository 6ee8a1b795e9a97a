package sass

import (
	encoding "encoding/hex"
	"testing"
)

// A function's call of itself has no record. Of ptxas 13.0 for sm_120 it is at 0x360, in the link
// by nvlink 13.5, which leaves NOPs out, at 0x2e0.
func TestCallOfItself(t *testing.T) {
	var words [2][]byte
	for i, x := range []struct {
		word string
		at   int64
	}{{"44792400fcffffffffffc30300000000", 0x360}, {"44794400fcffffffffffc30300000000", 0x2e0}} {
		word, err := encoding.DecodeString(x.word)
		if err != nil {
			t.Fatal(err)
		}
		if to := x.at + Instruction + Distance(word); !Branches(word) || to != 0 {
			t.Errorf("%s goes to %#x", x.word, to)
		}
		BlankDistance(word)
		words[i] = word
	}
	if string(words[0]) != string(words[1]) {
		t.Errorf("%x and %x differ in more than the distance", words[0], words[1])
	}
}
