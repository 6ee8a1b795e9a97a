package ptxgen

import "github.com/twinlink/twinlink/internal/splitmix"

// chooser makes every decision of a program.
type chooser interface {
	// below returns a number in [0, n). Zero must always be the smallest or plainest choice, because a source
	// that has run out gives nothing else.
	below(n int) int
}

// random draws from a seed.
type random struct{ *splitmix.Random }

func (r random) below(n int) int { return r.Below(n) }

// byteSource reads decisions from bytes a fuzzer supplies.
type byteSource struct{ data []byte }

func (t *byteSource) below(n int) int {
	v := 0
	for m := n - 1; m > 0; m >>= 8 {
		if len(t.data) == 0 {
			return 0
		}
		v = v<<8 | int(t.data[0])
		t.data = t.data[1:]
	}
	return v % n
}

// oneIn is true once in n times, never when the source has run out.
func oneIn(c chooser, n int) bool { return c.below(n) == n-1 }

// between returns a number from lo to hi.
func between(c chooser, lo, hi int) int { return lo + c.below(hi-lo+1) }

func pick[T any](c chooser, list []T) T { return list[c.below(len(list))] }

// shuffle permutes list in place; with an exhausted source it leaves the order alone.
func shuffle[T any](c chooser, list []T) {
	for i := range list {
		j := i + c.below(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
}
