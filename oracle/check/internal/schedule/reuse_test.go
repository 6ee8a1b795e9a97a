package schedule

import (
	"bytes"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// A register is kept for the next word where neither writes it; what the input keeps is right.
func TestStaleReuse(t *testing.T) {
	const (
		lop  = "000fc800078e33ff00000021ff12a212" // @!P2 LOP3.LUT R18, RZ, R33, RZ, 0x33, !PT
		self = "000fc800078e33ff00000012ff12a212" // @!P2 LOP3.LUT R18, RZ, R18, RZ, 0x33, !PT
		next = "000fc800078e33ff00000011ff21a212" // @!P2 LOP3.LUT R33, RZ, R17, RZ, 0x33, !PT
		none = "000fc800078e33ff000000ffff12a212" // @!P2 LOP3.LUT R18, RZ, RZ, RZ, 0x33, !PT
	)
	const second = 1 << (123 % 8) // bit of the register at 32, in the last byte
	for i, x := range []struct {
		words  []string
		marked int  // the word whose bit is set
		added  bool // not in the input
		want   int
	}{
		{[]string{lop, lop}, 0, true, -1},
		{[]string{self, lop}, 0, true, 0},
		{[]string{self, lop}, 0, false, -1},
		{[]string{lop, next}, 0, true, 0},
		{[]string{lop, next}, 0, false, -1},
		{[]string{lop, lop, next}, 0, true, -1},
		{[]string{lop, lop, next}, 1, true, 1},
		{[]string{next, lop}, 0, true, -1},
		{[]string{lop, self}, 1, true, 1},
		{[]string{lop}, 0, true, -1},
		{[]string{none, lop}, 0, true, -1},
	} {
		s := wordsInRow(t, x.words...)
		in := bytes.Join(s.words, nil)
		s.words[x.marked] = slices.Clone(s.words[x.marked])
		s.words[x.marked][15] |= second
		if !x.added {
			in = bytes.Join(s.words, nil)
		}
		s.area = &link.Area{Owner: &link.Body{Section: &image.Section{Body: in}}, Words: &sass.WordMap{}}
		for j := range s.words {
			s.area.Words.From = append(s.area.Words.From, int32(j))
		}
		if got := s.staleReuse(); got != x.want {
			t.Errorf("%d: %d, want %d", i, got, x.want)
		}
		for j := range s.words {
			s.area.Words.From[j] = -1
		}
		if got := s.staleReuse(); got != -1 {
			t.Errorf("%d: words that were put in: %d", i, got)
		}
	}
}
