package layout

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/reach"
)

// Kernels that use a class are stepped over, as far as an end and after its last word.
func TestMissing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n := 1 + rnd.IntN(200)
		uses := make([]bool, n)
		var c class
		for range rnd.IntN(5) {
			from := rnd.IntN(n)
			to := from + 1 + rnd.IntN(n-from)
			c.add(0, &model.Symbol{}, reach.Kernels{{From: int32(from), To: int32(to)}})
			for k := from; k < to; k++ {
				uses[k] = true
			}
		}
		for from := range n {
			end := from + rnd.IntN(n-from+1)
			want := from
			for want < end && uses[want] {
				want++
			}
			if got := c.missing(from, end); got != want {
				t.Fatalf("from %d to %d of %v: %d, want %d", from, end, uses, got, want)
			}
			to := min(from+1+rnd.IntN(70), n)
			if free := !slices.Contains(uses[from:to], true); c.fits(reach.Kernels{{From: int32(from), To: int32(to)}}) != free {
				t.Fatalf("%d to %d of %v: fits %v", from, to, uses, !free)
			}
		}
	}
	var c class
	for _, s := range []model.Symbol{{Size: 4, Value: 8}, {Size: 12, Value: 2}} {
		c.add(3, &s, nil)
	}
	if c.size != 12 || c.align != 8 || !slices.Equal(c.members, []model.SymID{3, 3}) || c.users != nil {
		t.Errorf("%+v", c)
	}
}

// Runs of levels: what a run begins with, what comes next, and no two neighbours that agree after they are joined.
func TestRuns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		n := 1 + rnd.IntN(200)
		l := newLevels(n)
		plain := make([]int32, n) // by kernel
		for range rnd.IntN(12) {
			from := rnd.IntN(n)
			to := from + 1 + rnd.IntN(n-from)
			l.split(from)
			l.split(to)
			up := int32(rnd.IntN(3))
			for k := from; k < to; k = l.next(k) {
				l.level[k] += up
			}
			for k := from; k < to; k++ {
				plain[k] += up
			}
			for k := range n + 1 {
				l.join(k)
			}
			for k := range n {
				begin, behind := k, k+1
				for begin > 0 && plain[begin-1] == plain[k] {
					begin--
				}
				for behind < n && plain[behind] == plain[k] {
					behind++
				}
				if l.runOf(k) != begin || l.next(k) != behind || l.level[begin] != plain[k] {
					t.Fatalf("kernel %d of %v: run from %d to %d, level %d", k, plain, l.runOf(k), l.next(k), l.level[l.runOf(k)])
				}
			}
			a, b := rnd.IntN(n), rnd.IntN(n)
			users := reach.Kernels{{From: int32(min(a, b)), To: int32(max(a, b) + 1)}}
			if got, want := l.highest(users), slices.Max(plain[min(a, b):max(a, b)+1]); got != int(want) {
				t.Fatalf("highest of %v in %v: %d", users, plain, got)
			}
		}
	}
	if newLevels(3).highest(nil) != 0 {
		t.Error("the highest of none")
	}
}

// The levels say how many classes a kernel uses before the first that it doesn't: of the first of some users exactly, of
// the others at most, since their run has one number.
func TestRaiseLevels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for range 100 {
		n := 1 + rnd.IntN(150)
		l := newLevels(n)
		var list []*class
		for range 1 + rnd.IntN(10) {
			c := &class{}
			if len(list) > 0 && rnd.IntN(2) == 0 {
				c = list[rnd.IntN(len(list))]
			} else {
				list = append(list, c)
			}
			from := rnd.IntN(n)
			users := reach.Kernels{{From: int32(from), To: int32(from + 1 + rnd.IntN(n-from))}}
			c.add(0, &model.Symbol{}, users)
			l.raise(users, list)
			for k := int(users[0].From); k < int(users[0].To); k++ {
				want := 0
				for want < len(list) && list[want].missing(k, k+1) != k {
					want++
				}
				if got := int(l.level[l.runOf(k)]); got > want || k == from && got != want {
					t.Fatalf("kernel %d uses %d classes, counted %d", k, want, got)
				}
			}
			for k := l.next(0); k < n; k = l.next(k) {
				if l.level[k] == l.level[l.runOf(k-1)] {
					t.Fatalf("runs that agree meet at %d", k)
				}
			}
		}
	}
}

// skips finds the next kernel that is open.
func TestSkips(t *testing.T) {
	s := newSkips(5)
	for _, c := range []struct{ close, from, want int32 }{{2, 2, 3}, {3, 2, 4}, {0, 0, 1}, {4, 3, 5}, {1, 0, 5}} {
		s.close(c.close)
		if got := s.from(c.from); got != c.want {
			t.Errorf("from %d on: %d, want %d", c.from, got, c.want)
		}
	}
}
