package parallel

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

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

// A part is so many sections, the last what is left.
func TestParts(t *testing.T) {
	for _, n := range []int{0, 1, partSize - 1, partSize, partSize + 1, 3 * partSize, 3*partSize + 5} {
		var mu sync.Mutex
		var parts [][2]int
		Do(n, func(from, to int) {
			mu.Lock()
			defer mu.Unlock()
			parts = append(parts, [2]int{from, to})
		})
		slices.SortFunc(parts, func(a, b [2]int) int { return a[0] - b[0] })
		var want [][2]int
		for from := 0; from < n; from += 1024 {
			want = append(want, [2]int{from, min(from+1024, n)})
		}
		if !slices.Equal(parts, want) {
			t.Errorf("%d: %v, want %v", n, parts, want)
		}
	}
}

// Each part is given once, to as many cores as there are and no more than there are parts; then there is none for any.
func TestRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for parts, cores := range map[int]int{0: 1, 1: 1, 2: 2, 3: 3, 10: 3} {
		var mu sync.Mutex
		var given []int
		var ended atomic.Int32
		began := 0
		all := make(chan struct{})
		Run(parts, func(next func() int) {
			mu.Lock()
			if began++; began == cores {
				close(all)
			}
			mu.Unlock()
			select {
			case <-all: // side by side
			case <-time.After(10 * time.Second):
				t.Errorf("%d parts: not %d cores at once", parts, cores)
			}
			for i := next(); i >= 0; i = next() {
				mu.Lock()
				given = append(given, i)
				mu.Unlock()
			}
			if next() != -1 {
				t.Errorf("%d parts: one more", parts)
			}
			time.Sleep(time.Millisecond)
			ended.Add(1)
		})
		if n := ended.Load(); int(n) != cores {
			t.Errorf("%d parts: back when %d of %d cores had ended", parts, n, cores)
		}
		slices.Sort(given)
		want := make([]int, parts)
		for i := range want {
			want[i] = i
		}
		if !slices.Equal(given, want) || began != cores {
			t.Errorf("%d parts: %v, by %d cores", parts, given, began)
		}
	}
}

// Work of its own for each core.
func TestDoWith(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var made atomic.Int32
	DoWith(5*partSize, func() func(from, to int) {
		made.Add(1)
		busy := false
		return func(from, to int) {
			if busy {
				t.Error("two cores have one's work")
			}
			busy = true
			runtime.Gosched()
			busy = false
		}
	})
	if n := made.Load(); n != 2 {
		t.Errorf("work of %d cores, want 2", n)
	}
}

// A panic on one core, and of the caller alone, is one of the caller; the other cores end.
func TestRunPanics(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, parts := range []int{1, 2, 8} {
		func() {
			defer func() {
				if r := recover(); r != "broken" {
					t.Errorf("%d parts: the panic is %v", parts, r)
				}
			}()
			Run(parts, func(next func() int) {
				for i := next(); i >= 0; i = next() {
					if i == parts-1 {
						panic("broken")
					}
				}
			})
			t.Errorf("%d parts: no panic", parts)
		}()
	}
}
