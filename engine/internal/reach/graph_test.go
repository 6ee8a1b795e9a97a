package reach

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// drawn is a program of n functions that call others, and prototypes that others have whose address is taken. Some are
// kernels.
func drawn(rnd *rand.Rand, n int) *Graph {
	table := names.New(8, nil)
	p := &model.Program{Set: &input.Set{Opt: &input.Options{}, Release: &release.Release{}}, Names: table}
	protos := []names.ID{table.ID("p"), table.ID("q"), table.ID("r")}
	for f := range n {
		s := model.Symbol{Name: table.ID(string(rune('A' + f))), Info: uint8(cuda.STTFunc), Fun: model.FunID(f), Flags: model.SymDefined}
		if rnd.IntN(4) == 0 {
			s.Other = uint8(cuda.STOEntry)
		}
		fun := model.Function{Sym: p.NewSymbol(s), Text: model.Absent, Live: true}
		for range rnd.IntN(3) {
			fun.Callees.List = append(fun.Callees.List, model.FunID(rnd.IntN(n)))
		}
		if rnd.IntN(4) == 0 {
			fun.Taken, fun.Proto = true, protos[rnd.IntN(2)]
		}
		for range rnd.IntN(3) - 1 {
			fun.Icalls = append(fun.Icalls, protos[rnd.IntN(3)])
		}
		p.Funs = append(p.Funs, fun)
	}
	l := &Graph{Program: p}
	l.closeGraph()
	return l
}

// calls are what a function may call at once, put plainly.
func calls(l *Graph, f model.FunID) (list []model.FunID) {
	for _, p := range l.Funs[f].Icalls {
		var of []model.FunID
		for g := range l.Funs {
			if l.Funs[g].Taken && l.Funs[g].Proto == p {
				of = append(of, model.FunID(g))
			}
		}
		slices.Reverse(of)
		list = append(list, of...)
	}
	own := slices.Clone(l.Funs[f].Callees.List)
	slices.Reverse(own)
	return append(list, own...)
}

// reaches marks what each function reaches by one call or more.
func reaches(l *Graph) [][]bool {
	n := len(l.Funs)
	all := make([][]bool, n)
	for f := range all {
		all[f] = make([]bool, n)
		queue := calls(l, model.FunID(f))
		for ; len(queue) > 0; queue = queue[1:] {
			if g := queue[0]; !all[f][g] {
				all[f][g] = true
				queue = append(queue, calls(l, g)...)
			}
		}
	}
	return all
}

// Functions that call each other are one component, callees come first, and a component is cyclic where a call leads
// around, in it or after it. Questions about what a function reaches are answered as a walk does.
func TestGraph(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for range 400 {
		n := 1 + rnd.IntN(12)
		l := drawn(rnd, n)
		to := reaches(l)
		property := make([]bool, n)
		for f := range property {
			property[f] = rnd.IntN(6) == 0
		}
		has := func(f model.FunID) bool { return property[f] }
		some, answers := l.ReachesAny(has), l.AnswersForAny(has)
		live := l.LiveKernels()
		for f := range n {
			id := model.FunID(f)
			if got, want := l.CalledBy(id), calls(l, id); !slices.Equal(got, want) {
				t.Fatalf("%d calls %v, want %v", f, got, want)
			}
			cyclic, any := false, property[f]
			for g := range n {
				together := f == g || to[f][g] && to[g][f]
				if (l.Calls.Comp[f] == l.Calls.Comp[g]) != together || to[f][g] && !to[g][f] && f != g && l.Calls.Comp[g] >= l.Calls.Comp[f] {
					t.Fatalf("%d and %d are in components %d and %d", f, g, l.Calls.Comp[f], l.Calls.Comp[g])
				}
				cyclic = cyclic || (to[f][g] || f == g) && to[g][g]
				any = any || to[f][g] && property[g]
			}
			if l.Calls.Cyclic[l.Calls.Comp[f]] != cyclic || l.callsItself(id) != to[f][f] {
				t.Fatalf("%d: cyclic %v, calls itself %v, want %v, %v", f, !cyclic, !to[f][f], cyclic, to[f][f])
			}
			wanted := any
			if len(live) == 1 {
				wanted = slices.Contains(property, true)
			}
			if some(id) != any || answers(id) != wanted {
				t.Fatalf("%d reaches one: %v, want %v; answers %v, want %v", f, some(id), any, answers(id), wanted)
			}
			var seen []model.FunID
			l.Reach(id, func(g model.FunID) { seen = append(seen, g) })
			if seen[0] != id {
				t.Fatalf("the first that %d reaches is %d", f, seen[0])
			}
			slices.Sort(seen)
			var want []model.FunID
			for g := range n {
				if g == f || to[f][g] {
					want = append(want, model.FunID(g))
				}
			}
			if !slices.Equal(seen, want) {
				t.Fatalf("%d reaches %v, want %v", f, seen, want)
			}
		}
		components := int32(len(l.Calls.Cyclic))
		for c := range components {
			for node, of := range l.Calls.Comp {
				if slices.Contains(l.Members(c), int32(node)) != (of == c) {
					t.Fatalf("node %d of component %d is a member of %d", node, of, c)
				}
				for i := 0; ; i++ {
					w := l.Successor(int32(node), i)
					if w < 0 {
						break
					}
					if to := l.Calls.Comp[w]; to == c && of != c && !slices.Contains(l.callersOf(c), of) {
						t.Fatalf("component %d calls %d, unseen", of, c)
					}
				}
			}
			for _, from := range l.callersOf(c) {
				calls := false
				for _, node := range l.Members(from) {
					for i := 0; l.Successor(node, i) >= 0; i++ {
						calls = calls || l.Calls.Comp[l.Successor(node, i)] == c
					}
				}
				if !calls || from == c {
					t.Fatalf("component %d is said to call %d", from, c)
				}
			}
		}
	}
}

// What is told of functions whose address is taken, and that no kernel can be seen to call.
func TestWarnUncalled(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	told := 0
	for range 600 {
		l := drawn(rnd, 1+rnd.IntN(10))
		l.Opt = &input.Options{ExtraWarnings: rnd.IntN(4) > 0, Debug: rnd.IntN(6) == 0, PreserveRelocs: rnd.IntN(6) == 0, Relocatable: rnd.IntN(4) == 0}
		l.Release = &release.Release{Relocatable: rnd.IntN(2) == 0, Toolkit: 129 + uint32(rnd.IntN(3))}
		to := reaches(l)
		var want []diag.Diagnostic
		for f := range l.Funs {
			called := false
			for k := range l.Funs {
				called = called || l.Syms[l.Funs[k].Sym].Other != 0 && to[k][f]
			}
			if l.Funs[f].Taken && !called && l.Syms[l.Funs[f].Sym].Other == 0 {
				name := string(rune('A' + f))
				want = append(want, diag.Diagnostic{Severity: diag.Warning, Kind: diag.Uncalled, Symbol: name, Text: "Function '" + name + "' has address taken but no calls to it found"})
			}
		}
		if o := l.Opt; !o.ExtraWarnings || o.Debug || o.PreserveRelocs || o.Relocatable && l.Release.Relocatable && l.Release.Toolkit >= 130 {
			want = nil
		}
		l.WarnUncalled()
		told += len(want)
		if !slices.Equal(l.Diags, want) {
			t.Fatalf("%+v: %v, want %v", l.Opt, l.Diags, want)
		}
	}
	if told < 50 {
		t.Errorf("only %d warnings", told)
	}
}

// Sets of kernels.
func TestKernels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	set := func() (Kernels, []bool) {
		in := make([]bool, 20)
		for k := range in {
			in[k] = rnd.IntN(3) == 0
		}
		var s Kernels
		for k := 0; k < len(in); k++ {
			if from := k; in[k] {
				for k < len(in) && in[k] {
					k++
				}
				s = append(s, Run{int32(from), int32(k)})
			}
		}
		return s, in
	}
	list := func(in []bool) (all []int) {
		for k, is := range in {
			if is {
				all = append(all, k)
			}
		}
		return all
	}
	for range 500 {
		a, inA := set()
		b, inB := set()
		c, inC := set()
		all, both, rest := make([]bool, 20), make([]bool, 20), slices.Clone(inA)
		k := rnd.IntN(20)
		rest[k] = false
		for i := range all {
			all[i], both[i] = inA[i] || inB[i] || inC[i], inA[i] && inB[i]
		}
		union := Union(a, b, c)
		for i := 1; i < len(union); i++ {
			if union[i].From <= union[i-1].To {
				t.Fatalf("runs that meet in %v", union)
			}
		}
		for name, p := range map[string]struct {
			got  Kernels
			want []bool
		}{"any of three": {union, all}, "in both": {intersect(a, b), both}, "without one": {without(a, int32(k)), rest}, "one twice": {Union(a, a), inA}, "with none": {Union(nil, a, Kernels{}), inA}} {
			if got := slices.Collect(p.got.All()); !slices.Equal(got, list(p.want)) {
				t.Fatalf("%s: %v, want %v", name, got, list(p.want))
			}
		}
		if again := Union(a, b, c, union); len(union) > 0 && !again.same(union) && !again.same(a) && !again.same(b) && !again.same(c) {
			t.Fatal("a set is made that is there")
		}
		only, ok := a.Only()
		if one := len(list(inA)) == 1; ok != one || one && !inA[only] || !ok && only != 0 {
			t.Fatalf("the only one of %v: %d, %v", a, only, ok)
		}
		if slices.Clone(a).hash() != a.hash() || !slices.Equal(inA, inB) && a.hash() == b.hash() || a.same(b) && len(a) > 0 {
			t.Fatalf("%v and %v by their numbers", a, b)
		}
		for range a.All() {
			break // may be left
		}
	}
	if !Kernels(nil).same(Kernels{}) || (Kernels{{1, 2}}).same(Kernels{{1, 2}}) {
		t.Error("sets that are one in memory")
	}
}

// What is dead goes with all that it has; of a hidden kernel the name of its shared variables stays.
func TestRemoveDead(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		l := drawn(rand.New(rand.NewPCG(1, 1)), 2)
		l.Opt = &input.Options{}
		var texts, shared, infos, rels []model.SecID
		for f := range l.Funs {
			fun := &l.Funs[f]
			fun.Callees.List, fun.Icalls, fun.Taken, fun.Live = nil, nil, false, f == 1
			l.Syms[fun.Sym].Other = uint8(cuda.STOEntry)
			fun.Text = l.NewSection(l.Names.ID(".text"), cuda.SHTProgbits, 0, 1)
			l.Secs[fun.Text].Fun = model.FunID(f)
			texts = append(texts, fun.Text)
			infos = append(infos, l.NewOwned(fun.Text, l.Names.ID(".i"), cuda.SHTCudaInfo, 0, 1))
			shared = append(shared, l.NewOwned(fun.Text, l.Names.ID(".s"), cuda.SHTCudaShared, 0, 1))
			rels = append(rels, l.NewRelocSection(l.Names.ID(".r"), cuda.SHTRela, 0, fun.Text))
			l.Secs[shared[f]].Size = 8
			l.Parts[shared[f]].Chunks = []model.Chunk{{}}
		}
		if hidden {
			l.Opt.KernelsUsed = []string{"B"}
		}
		l.removeDead()
		for _, list := range [][]model.SecID{texts, infos, rels} {
			if !l.Secs[list[0]].Deleted || l.Secs[list[1]].Deleted {
				t.Errorf("hidden %v: deleted %v and %v", hidden, l.Secs[list[0]].Deleted, l.Secs[list[1]].Deleted)
			}
		}
		s := &l.Secs[shared[0]]
		if s.Deleted == hidden || hidden && (s.Size != 0 || l.Parts[shared[0]].Chunks != nil) || l.Secs[shared[1]].Size != 8 || l.Secs[shared[1]].Deleted {
			t.Errorf("hidden %v: %+v", hidden, s)
		}
		if !l.Syms[l.Funs[0].Sym].Is(model.SymDead) || l.Syms[l.Funs[1].Sym].Is(model.SymDead) {
			t.Error("symbols of the dead")
		}
	}
}
