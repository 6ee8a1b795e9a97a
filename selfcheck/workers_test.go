package selfcheck_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/selfcheck"
)

// What is found doesn't depend on how many work at it, nor does what is kept.
func TestWorkers(t *testing.T) {
	largest, name := []byte(nil), ""
	capsules(t, func(c *corpus.Capsule, data []byte) {
		if len(data) > len(largest) {
			largest, name = data, c.Name
		}
	})
	broken := append([]byte(nil), largest...)
	for at := 4096; at < len(broken)-4096; at += 5000 {
		broken[at] ^= 0x10
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer selfcheck.ShareAbove(selfcheck.ShareAbove(100))
	defer selfcheck.BesideAbove(selfcheck.BesideAbove(0))
	for _, limit := range []int{0, 1, 7} {
		one, findings := "", 0
		for _, n := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(n)
			r := selfcheck.Check(name, broken, selfcheck.Options{Limit: limit})
			var text bytes.Buffer
			if err := r.Text(&text); err != nil {
				t.Fatal(err)
			}
			if one == "" {
				one, findings = text.String(), len(r.Findings)
			} else if diff := cmp.Diff(one, text.String()); diff != "" {
				t.Errorf("%d at once, limit %d: %s", n, limit, diff)
			}
		}
		if findings < min(5, limit) {
			t.Errorf("%d findings", findings)
		}
	}
}

// A part ends with the function that brings it to its share, not before and not after.
func TestShares(t *testing.T) {
	defer selfcheck.ShareAbove(selfcheck.ShareAbove(10))
	for _, tt := range []struct {
		words []int
		want  [][2]int
	}{
		{[]int{9}, [][2]int{{0, 1}}},
		{[]int{9, 1, 10}, [][2]int{{0, 2}, {2, 3}}},
		{[]int{9, 2, 9}, [][2]int{{0, 2}, {2, 3}}},
		{[]int{5, 5, 5, 5, 10}, [][2]int{{0, 2}, {2, 4}, {4, 5}}},
		{[]int{40, 1}, [][2]int{{0, 1}, {1, 2}}},
	} {
		if diff := cmp.Diff(tt.want, selfcheck.Shares(4, tt.words...)); diff != "" {
			t.Errorf("%v: %s", tt.words, diff)
		}
	}
}
