package layout

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// What is said of where a kernel's dynamic variables lie.
func TestWarnDynamic(t *testing.T) {
	const several = "Dynamic shared memory of 'k' has several alignments; its offset may differ from nvlink's"
	const odd = "Dynamic shared memory of 'k' is at 48, not a multiple of the alignment 32 of one of its variables, as with nvlink 13.0"
	for _, c := range []struct {
		at    int64
		mixed bool
		kind  diag.Kind
		text  string
	}{
		{64, false, 0, ""}, {48, false, diag.Displaced, odd}, {64, true, diag.Rescheduled, several}, {48, true, diag.Rescheduled, several},
	} {
		l := emptyLayout()
		l.Funs = []model.Function{{Sym: l.NewSymbol(model.Symbol{Name: l.Names.ID("k"), Info: uint8(cuda.STTFunc)})}}
		l.warnDynamic(&sharedLayout{Kernels: []model.FunID{0}, extern: []int64{c.at}, dynAlign: []uint64{32}}, 0, c.mixed)
		var got diag.Diagnostic
		if len(l.Diags) == 1 {
			got = l.Diags[0]
		}
		want := diag.Diagnostic{}
		if c.text != "" {
			want = diag.Diagnostic{Severity: diag.Warning, Kind: c.kind, Symbol: "k", Value: uint64(c.at), Text: c.text}
		}
		if got != want || len(l.Diags) > 1 {
			t.Errorf("at %d, mixed %v: %+v, want %+v", c.at, c.mixed, l.Diags, want)
		}
	}
}

// The alignment that undefined dynamic memory asks for by its value, 16 at least.
func TestDynamicAlign(t *testing.T) {
	for _, c := range []struct {
		s       model.Symbol
		ignored bool
		want    uint64
	}{
		{model.Symbol{Value: 0}, false, 16}, {model.Symbol{Value: 8}, false, 16}, {model.Symbol{Value: 128}, false, 128}, {model.Symbol{Value: 128}, true, 16},
		{model.Symbol{Value: 128, Flags: model.SymDefined}, false, 16}, {model.Symbol{Value: model.Unplaced}, false, 16}, {model.Symbol{Value: 48}, false, 48},
	} {
		l := emptyLayout()
		l.Release.IgnoresDynamicAlign = c.ignored
		if got := l.dynamicAlign(&c.s); got != c.want {
			t.Errorf("%+v: %d, want %d", c, got, c.want)
		}
	}
}

// A list comes out in order, with all that was in it. Which of equal ones comes first is held by recorded links.
func TestListSort(t *testing.T) {
	less := func(a, b int) bool { return a/10 < b/10 }
	for n := range 40 {
		list := make([]int, n)
		for i := range list {
			list[i] = (n-i)*7%5*10 + i%10
		}
		for _, second := range []bool{false, true} {
			out := listSort(list, less, second)
			if len(out) != n {
				t.Fatalf("%d of %d", len(out), n)
			}
			count := map[int]int{}
			for i, v := range out {
				count[v]++
				if i > 0 && less(v, out[i-1]) {
					t.Fatalf("%v isn't in order", out)
				}
			}
			for _, v := range list {
				count[v]--
			}
			for v, left := range count {
				if left != 0 {
					t.Fatalf("%d is there %d times more", v, left)
				}
			}
		}
	}
}
