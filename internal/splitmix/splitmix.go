// Package splitmix draws numbers that a seed decides: they don't change with the
// Go release, so what a seed made once it makes again.
package splitmix

// Random is splitmix64; its value is the state.
type Random uint64

// New spreads small seeds that follow each other.
func New(seed uint64) *Random {
	return At(seed * 0x2545f4914f6cdd1d)
}

// At begins at a state.
func At(state uint64) *Random {
	r := Random(state)
	return &r
}

// Below returns a number in [0, n).
func (r *Random) Below(n int) int {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return int((z >> 11) % uint64(n))
}

// OneIn is true once in n times.
func (r *Random) OneIn(n int) bool { return r.Below(n) == 0 }

// Pick returns one of a list, which isn't empty.
func Pick[T any](r *Random, list []T) T { return list[r.Below(len(list))] }

// Shuffle permutes a list in place.
func Shuffle[T any](r *Random, list []T) {
	for i := range list {
		j := i + r.Below(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
}
