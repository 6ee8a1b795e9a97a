package check

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The set of what is in one of two is what sorting both gives, and what it knows of
// itself is what a look at each gives.
func TestJoined(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		ids := make([]identity, 1+r.IntN(30))
		uses := make([]sharedUse, len(ids))
		for i := range ids {
			ids[i].order = i
			start := r.Uint64N(200)
			uses[i] = sharedUse{&ids[i], start, start + r.Uint64N(1+r.Uint64N(12))}
		}
		var j joins
		var sets [2]*joined
		var list []sharedUse
		for i := range sets {
			for range r.IntN(20) {
				u := uses[r.IntN(len(uses))]
				sets[i] = j.join(sets[i], one(u))
				list = append(list, u)
			}
		}
		slices.SortFunc(list, sharedUse.compare)
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
			end = max(end, u.end)
			for _, v := range list[:i] {
				overlap = overlap || u.start < v.end && v.start < u.end && u.start < u.end && v.start < v.end
			}
		}
		if set.overlap != overlap || set.furthest.end != end || set.count != len(list) {
			t.Fatalf("%v: overlap %v, end %d, count %d", list, set.overlap, set.furthest.end, set.count)
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
	ids := make([]identity, n)
	var j joins
	var set *joined
	for i := range ids {
		ids[i].order = i
		set = j.join(set, one(sharedUse{&ids[i], uint64(4 * i), uint64(4*i + 4)}))
	}
	if set.count != n || j.steps > 64*n {
		t.Errorf("%d objects, %d steps", set.count, j.steps)
	}
}

func TestGroups(t *testing.T) {
	g := newGroups[string, int](4, 0)
	for i, key := range []string{"a", "b", "a", "a"} {
		g.add(key, i)
	}
	g.done()
	h := sameKeys[string, int](g, 0)
	for i, key := range []string{"b", "c", "b"} {
		h.add(key, i)
	}
	h.done()
	for _, c := range []struct {
		of   *groups[string, int]
		key  string
		want []int
	}{{g, "a", []int{0, 2, 3}}, {g, "b", []int{1}}, {g, "c", nil}, {h, "a", nil}, {h, "b", []int{0, 2}}, {h, "c", nil}, {nil, "a", nil}} {
		if got := c.of.of(c.key); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.key, got, c.want)
		}
	}
}
