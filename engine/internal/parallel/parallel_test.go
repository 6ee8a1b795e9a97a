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

// A panic in a part is one of the caller, not the end of the process.
func TestDoPanics(t *testing.T) {
	defer func() {
		if r := recover(); r != "broken" {
			t.Errorf("the panic is %v", r)
		}
	}()
	Do(3*partSize, func(from, to int) {
		if from > 0 {
			panic("broken")
		}
	})
}
