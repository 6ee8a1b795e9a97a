package check

// sorted puts a list into the order in which nvlink lays out shared memory and
// image slots. The sort is not stable, and equal elements come out in an order
// of their own that shows in the output: the list is dealt into two halves by
// turns, each half reversed and sorted, and the halves are merged.
//
//	0 1 2 3 4 5  ->  4 2 0 | 5 3 1  ->  3 5 1 2 4 0   (all equal, second half first)
//
// secondFirst says which half goes first where two are equal.
//
// Source: 233 links of random shared variables by nvlink 12.4.131, 85 by
// 11.8.89 and 13.0.88; 44 of images.
func sorted[T any](list []T, before func(a, b T) bool, secondFirst bool) []T {
	if len(list) < 2 {
		return list
	}
	var halves [2][]T
	for i := len(list) - 1; i >= 0; i-- {
		halves[i%2] = append(halves[i%2], list[i])
	}
	a, b := sorted(halves[0], before, secondFirst), sorted(halves[1], before, secondFirst)
	merged := make([]T, 0, len(list))
	for len(a) > 0 && len(b) > 0 {
		if before(b[0], a[0]) || secondFirst && !before(a[0], b[0]) {
			merged, b = append(merged, b[0]), b[1:]
		} else {
			merged, a = append(merged, a[0]), a[1:]
		}
	}
	return append(append(merged, a...), b...)
}
