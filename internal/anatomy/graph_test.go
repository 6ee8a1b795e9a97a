package anatomy

import (
	"fmt"
	"slices"
	"testing"
)

// measured is a call graph with the frames 1, 2, 4 … of its functions.
func measured(calls [][]int, indirect ...int) []Function {
	g := &graph{calls: calls, indirect: make([]bool, len(calls))}
	for _, i := range indirect {
		g.indirect[i] = true
	}
	list := make([]Function, len(calls))
	for i := range list {
		list[i] = Function{Name: string(rune('a' + i)), Frame: 1 << i}
	}
	g.measure(list)
	return list
}

// A function's stack is its frame and the largest of those it calls; what recurses, or calls through a pointer to nobody, has none, and
// nor has who calls it.
func TestMeasure(t *testing.T) {
	const pointer = "a call through a pointer to which no function is known"
	for _, c := range []struct {
		calls    [][]int
		indirect []int
		want     string
	}{
		{[][]int{{}}, nil, "a 1 -1 "},
		{[][]int{{1, 2}, {}, {}}, nil, "a 5 2 , b 2 -1 , c 4 -1 "},
		{[][]int{{1, 2}, {3}, {}, {}}, nil, "a 11 1 , b 10 3 , c 4 -1 , d 8 -1 "},
		{[][]int{{2}, {0}, {}}, nil, "a 5 2 , b 7 0 , c 4 -1 "},
		{[][]int{{0}}, nil, "a ? -1 recursion through a"},
		{[][]int{{1}, {2}, {1}}, nil, "a ? 1 recursion through b, b ? 2 recursion through b, c ? 1 recursion through b"},
		{[][]int{{1}, {}}, []int{0}, "a 3 1 , b 2 -1 "},
		{[][]int{{1}, {}}, []int{1}, "a ? 1 " + pointer + ", b ? -1 " + pointer},
		{[][]int{{1, 2}, {}, {2}}, nil, "a ? 2 recursion through c, b 2 -1 , c ? -1 recursion through c"},
		{[][]int{{1, 2}, {}, {}}, []int{1}, "a ? 1 " + pointer + ", b ? -1 " + pointer + ", c 4 -1 "},
	} {
		got := ""
		for i, f := range measured(c.calls, c.indirect...) {
			if i > 0 {
				got += ", "
			}
			stack := fmt.Sprint(f.Stack)
			if f.Unbounded != "" {
				stack = "?"
			}
			got += fmt.Sprintf("%s %s %d %s", f.Name, stack, f.Deepest, f.Unbounded)
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.calls, got, c.want)
		}
	}
	// A chain of any length is no danger.
	const long = 100_000
	calls := make([][]int, long)
	for i := range long - 1 {
		calls[i] = []int{i + 1}
	}
	g := &graph{calls: calls, indirect: make([]bool, long)}
	list := make([]Function, long)
	for i := range list {
		list[i].Frame = 1
	}
	if g.measure(list); list[0].Stack != long {
		t.Errorf("%d", list[0].Stack)
	}
}

// A path follows the deepest calls, and ends where it comes back.
func TestPath(t *testing.T) {
	f := File{Functions: []Function{{Deepest: 2}, {Deepest: -1}, {Deepest: 1}, {Deepest: 4}, {Deepest: 3}}}
	for at, want := range map[int][]int{0: {0, 2, 1}, 1: {1}, 3: {3, 4}, -1: nil} {
		if got := f.Path(at); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", at, got, want)
		}
	}
}

func TestIsMemory(t *testing.T) {
	for name, want := range map[string]bool{
		".nv.global": true, ".nv.global.init": true, ".nv.global.x": false, ".nv.shared.k": true, ".nv.shared": false, ".nv.local.k": true, ".nv.constant3": true, ".nv.constant0.k": true, ".text.k": false, "": false,
	} {
		if got := isMemory(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
