package main

import (
	"cmp"
	"context"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

func number(i int) string { return strconv.Itoa(i) }

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func hashOf(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// compareReleases orders "11.8" before "12.4".
func compareReleases(a, b string) int {
	split := func(s string) (int, int) {
		x, y, _ := strings.Cut(s, ".")
		i, _ := strconv.Atoi(x)
		j, _ := strconv.Atoi(y)
		return i, j
	}
	i, j := split(a)
	k, l := split(b)
	return cmp.Or(cmp.Compare(i, k), cmp.Compare(j, l))
}

// parallel does n things, some at a time, and returns the first error.
func (b *bed) parallel(ctx context.Context, n int, do func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var group sync.WaitGroup
	for range max(b.workers, 1) {
		group.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func sortByLength(list []string) {
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
}
