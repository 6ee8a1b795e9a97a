package selfcheck

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
)

// Records returns the rules that package mercury has learned.
func Records() Rules { return recordTable{mercury.Default()} }

type recordTable struct{ table *mercury.Table }

// commonSpan is the number of words that nearly all records stay below.
const commonSpan = 16

// Predict implements Rules.
func (t recordTable) Predict(sm cuda.SM, record []byte, sass, want, mask []Word) string {
	var room [3][commonSpan]mercury.Word
	n := len(sass)
	a, b, c := room[0][:], room[1][:], room[2][:]
	if n > commonSpan {
		a, b, c = make([]mercury.Word, n), make([]mercury.Word, n), make([]mercury.Word, n)
	}
	a, b, c = a[:n], b[:n], c[:n]
	for i := range a {
		a[i] = mercury.Word(sass[i])
	}
	if why := t.table.Decode(sm, record, a, b, c); why != mercury.Known {
		return string(why)
	}
	for i := range a {
		want[i], mask[i] = Word(b[i]), Word(c[i])
	}
	return ""
}
