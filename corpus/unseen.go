package corpus

import (
	"fmt"
	"slices"
	"strings"
)

// Unseen changes the bytes of a file one by one, each step-th alone, and returns the places of those that seen doesn't
// tell: "40-47 1c0". Three changes take turns: the lowest bit, the highest, all.
func Unseen(file []byte, step int, seen func(changed []byte) bool) string {
	changes := [...]byte{0x01, 0x80, 0xff}
	var b strings.Builder
	changed := slices.Clone(file)
	from, last := -1, -1
	end := func() {
		switch {
		case from < 0:
		case from == last:
			fmt.Fprintf(&b, " %x", from)
		default:
			fmt.Fprintf(&b, " %x-%x", from, last)
		}
		from = -1
	}
	for at := 0; at < len(file); at += step {
		changed[at] ^= changes[at/step%len(changes)]
		if seen(changed) {
			end()
		} else {
			if from < 0 {
				from = at
			}
			last = at
		}
		changed[at] = file[at]
	}
	end()
	return strings.TrimSpace(b.String())
}
