package shared

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/place"
)

// The set of what is in one of two is what sorting both gives, and what it knows of
// itself is what a look at each gives.
func TestJoined(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		ids := make([]link.Identity, 1+r.IntN(30))
		uses := make([]place.SharedUse, len(ids))
		for i := range ids {
			ids[i].Order = i
			start := r.Uint64N(200)
			uses[i] = place.SharedUse{ID: &ids[i], Start: start, End: start + r.Uint64N(1+r.Uint64N(12))}
		}
		var j joins
		var sets [2]*joined
		var list []place.SharedUse
		for i := range sets {
			for range r.IntN(20) {
				u := uses[r.IntN(len(uses))]
				sets[i] = j.join(sets[i], one(u))
				list = append(list, u)
			}
		}
		slices.SortFunc(list, place.SharedUse.Compare)
		list = slices.Compact(list)
		set := j.join(sets[0], sets[1])
		if got := set.all(); !slices.Equal(got, list) {
			t.Fatalf("joined %v, want %v", got, list)
		}
		if set == nil {
			continue
		}
		overlap, end := false, uint64(0)
		for i, u := range list {
			end = max(end, u.End)
			for _, v := range list[:i] {
				overlap = overlap || u.Start < v.End && v.Start < u.End && u.Start < u.End && v.Start < v.End
			}
		}
		if set.overlap != overlap || set.furthest.End != end || set.count != len(list) {
			t.Fatalf("%v: overlap %v, end %d, count %d", list, set.overlap, set.furthest.End, set.count)
		}
		if again := j.join(set, sets[1]); again != set {
			t.Fatal("joining what is there makes another set")
		}
	}
}

// A chain of functions, each with a shared variable of its own, costs little more than
// its length.
func TestJoinedGrowth(t *testing.T) {
	const n = 1 << 16
	ids := make([]link.Identity, n)
	var j joins
	var set *joined
	for i := range ids {
		ids[i].Order = i
		set = j.join(set, one(place.SharedUse{ID: &ids[i], Start: uint64(4 * i), End: uint64(4*i + 4)}))
	}
	if set.count != n || j.steps > 64*n {
		t.Errorf("%d objects, %d steps", set.count, j.steps)
	}
}

func TestGroups(t *testing.T) {
	g := image.NewGroups[string, int](4, 0)
	for i, key := range []string{"a", "b", "a", "a"} {
		g.Add(key, i)
	}
	g.Done()
	h := image.SameKeys[string, int](g, 0)
	for i, key := range []string{"b", "c", "b"} {
		h.Add(key, i)
	}
	h.Done()
	for _, c := range []struct {
		of   *image.Groups[string, int]
		key  string
		want []int
	}{{g, "a", []int{0, 2, 3}}, {g, "b", []int{1}}, {g, "c", nil}, {h, "a", nil}, {h, "b", []int{0, 2}}, {h, "c", nil}, {nil, "a", nil}} {
		if got := c.of.Of(c.key); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.key, got, c.want)
		}
	}
}
