package parallel

import "testing"

// Every index is visited, and once.
func TestDo(t *testing.T) {
	for _, n := range []int{0, 1, partSize, partSize + 1, 7*partSize - 1} {
		seen := make([]int, n)
		Do(n, func(from, to int) {
			for i := from; i < to; i++ {
				seen[i]++
			}
		})
		for i, times := range seen {
			if times != 1 {
				t.Fatalf("of %d, %d is visited %d times", n, i, times)
			}
		}
	}
}
