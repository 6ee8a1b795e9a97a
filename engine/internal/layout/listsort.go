package layout

// listSort is the sort of linked lists that nvlink lays shared memory and
// texture slots out with. It splits a list by alternation, pushing elements
// to the front of two lists, sorts both and merges them; equal elements come
// out permuted, and their order shows in the image.
//
// less compares keys; of two equal heads the merge takes the second list's
// where secondOnTie is set, else the first's.
func listSort[T any](list []T, less func(a, b T) bool, secondOnTie bool) []T {
	if len(list) < 2 {
		return list
	}
	var a, b []T
	for i := len(list) - 1; i >= 0; i-- {
		if i%2 == 0 {
			a = append(a, list[i])
		} else {
			b = append(b, list[i])
		}
	}
	a = listSort(a, less, secondOnTie)
	b = listSort(b, less, secondOnTie)
	out := make([]T, 0, len(list))
	for len(a) > 0 && len(b) > 0 {
		if less(b[0], a[0]) || secondOnTie && !less(a[0], b[0]) {
			out = append(out, b[0])
			b = b[1:]
		} else {
			out = append(out, a[0])
			a = a[1:]
		}
	}
	return append(append(out, a...), b...)
}
