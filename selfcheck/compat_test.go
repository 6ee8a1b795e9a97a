package selfcheck_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/selfcheck"
)

// nvlink 13.5 gives a link of objects of 13.0 the attributes 12 and 13 with values of their own, which no object has.
func TestUnsaidCompat(t *testing.T) {
	tried := 0
	capsules(t, func(c *corpus.Capsule, data []byte) {
		f, err := cubin.Open(c.Name, data)
		if err != nil || tried == 3 || !strings.Contains(c.Name, "-13.5-") {
			return
		}
		for i := range f.OfType(cuda.SHTCudaCompat) {
			s := f.Section(i)
			at := slices.Index(f.Content(&s), 12)
			if at < 1 || f.Content(&s)[at-1] != byte(cuda.FormatByte) {
				continue
			}
			tried++
			for value, want := range map[byte]bool{1: true, 2: true, 3: false} {
				changed := slices.Clone(data)
				changed[s.Off+uint64(at)+1] = value
				r := selfcheck.Check(c.Name, changed, selfcheck.Options{AllowUnknown: true})
				if got := r.Verdict == selfcheck.Pass; got != want {
					t.Errorf("%s: attribute 12 is %d: %s", c.Name, value, r.Verdict)
				}
			}
		}
	})
	if tried == 0 {
		t.Error("no object has the attribute")
	}
}
