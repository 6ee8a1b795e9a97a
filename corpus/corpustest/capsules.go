// Package corpustest gives tests the files of the corpus one by one.
package corpustest

import (
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

// Capsules calls f with every cubin of the corpus that has capsules.
func Capsules(t testing.TB, f func(c *corpus.Capsule, data []byte)) {
	t.Helper()
	list, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		data, err := list[i].Data()
		if err != nil {
			t.Fatal(err)
		}
		f(&list[i], data)
	}
}
