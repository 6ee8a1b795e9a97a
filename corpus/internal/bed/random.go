package main

// random is splitmix64: its numbers don't change with the Go release.
type random struct{ state uint64 }

func newRandom(seed uint64) *random { return &random{seed * 0x2545f4914f6cdd1d} }

func (r *random) below(n int) int {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return int((z >> 11) % uint64(n))
}

func (r *random) oneIn(n int) bool { return r.below(n) == 0 }

func pick[T any](r *random, list []T) T { return list[r.below(len(list))] }

func shuffle[T any](r *random, list []T) {
	for i := range list {
		j := i + r.below(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
}
