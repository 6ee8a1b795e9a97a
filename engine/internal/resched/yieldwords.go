package resched

// Yields returns the words that let other lanes go on.
func Yields(text []byte) []int {
	var at []int
	for i := range len(text) / WordSize {
		if w := wordAt(text, i); w.op() == opYIELD {
			at = append(at, i)
		}
	}
	return at
}
