package resched

import "slices"

// UGETNEXTWORKID asks for the next cluster. ptxas 13.3 has it hold a scoreboard until its
// sources are read, and the finalizers of no other release do: of 13.3's code 13.4 and 13.5 give
// scoreboards out again. Source: kernels of our own by 13.0 to 13.5 put to nvlink 13.0 to 13.5.

func (w *word) holdsWorkID() bool { return w.op() == opUGETNEXTWORKID && w.rd() != noBoard }

// HoldsWorkID reports whether a UGETNEXTWORKID of the code holds a scoreboard.
func HoldsWorkID(text []byte) bool {
	return slices.ContainsFunc(split(text), func(w word) bool { return w.holdsWorkID() })
}

// FreeWorkID returns the code without those scoreboards.
func FreeWorkID(text []byte) []byte {
	words := split(text)
	for i := range words {
		if w := &words[i]; w.holdsWorkID() {
			w.setRd(noBoard)
		}
	}
	return join(words)
}
