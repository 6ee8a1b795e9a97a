package resources

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/layout"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/reach"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// drawn is a program of functions with records, each with an .nv.info; the first of them are kernels.
func drawn(rnd *rand.Rand, kernels, n int, r *release.Release) *Usage {
	table := names.New(8, nil)
	p := &model.Program{Set: &input.Set{Opt: &input.Options{}, Release: r, Dialect: &release.SASS}, Names: table}
	for f := range n {
		name := table.ID(string(rune('A' + f)))
		s := model.Symbol{Name: name, Info: uint8(cuda.STTFunc), Fun: model.FunID(f), Flags: model.SymDefined}
		if f < kernels {
			s.Other = cuda.STOEntry
		}
		text := p.NewSection(name, cuda.SHTProgbits, cuda.SectionFlags(rnd.IntN(3))<<cuda.SHFBarrierShift, 1)
		info := p.NewOwned(text, name, cuda.SHTCudaInfo, 0, 4)
		p.Secs[text].Fun = model.FunID(f)
		p.Secs[text].Regs = uint8(rnd.IntN(40))
		fun := model.Function{Sym: p.NewSymbol(s), Text: text, Info: info, Regs: uint32(rnd.IntN(60)), Frame: uint32(8 * rnd.IntN(9)), InfoAt: int32(f), InfoMade: int32(f), Taken: f >= kernels} // all lives
		for range rnd.IntN(3) {
			if f+1 < n {
				fun.Callees.List = append(fun.Callees.List, model.FunID(f+1+rnd.IntN(n-f-1)))
			}
		}
		if rnd.IntN(12) == 0 {
			fun.Callees.List = append(fun.Callees.List, model.FunID(kernels+rnd.IntN(n-kernels))) // perhaps a ring
		}
		fun.Callees.List = slices.DeleteFunc(fun.Callees.List, func(g model.FunID) bool { return int(g) < kernels })
		lists := p.InfoOf(info)
		if rnd.IntN(2) == 0 {
			lists.Read = append(lists.Read, model.Attribute{Format: cuda.FormatHalf, Attr: cuda.AttrSparseMmaMask, Value: 1 << rnd.IntN(4), Sym: model.Absent})
		}
		if rnd.IntN(3) == 0 {
			crs := model.Attribute{Format: cuda.FormatSized, Attr: cuda.AttrCrsStackSize, Sym: model.Absent}
			crs.SetData(make([]byte, 4))
			crs.SetWord(0, uint32(8*rnd.IntN(5)))
			lists.Read = append(lists.Read, crs)
		}
		if rnd.IntN(3) == 0 {
			lists.Read = append(lists.Read, model.Attribute{Format: cuda.FormatByte, Attr: cuda.AttrVrcCtaInitCount, Value: 1 << rnd.IntN(3), Sym: model.Absent})
		}
		p.Funs = append(p.Funs, fun)
	}
	return &Usage{Layout: &layout.Layout{Graph: reach.Find(p)}, Program: p}
}

// reached are the functions that a walk over calls comes to, and whether one of them is called around.
func reached(l *Usage, k model.FunID) (all []model.FunID, ring bool) {
	all = []model.FunID{k}
	for at := 0; at < len(all); at++ {
		for _, g := range l.Funs[all[at]].Callees.List {
			if !slices.Contains(all, g) {
				all = append(all, g)
			}
		}
	}
	for _, f := range all {
		ring = ring || around(l, f)
	}
	return all, ring
}

func around(l *Usage, f model.FunID) bool {
	var list []model.FunID
	list = append(list, l.Funs[f].Callees.List...)
	for at := 0; at < len(list); at++ {
		if list[at] == f {
			return true
		}
		for _, g := range l.Funs[list[at]].Callees.List {
			if !slices.Contains(list, g) {
				list = append(list, g)
			}
		}
	}
	return false
}

// deepest is the largest sum along calls, where no call leads around.
func deepest(l *Usage, f model.FunID, of func(model.FunID) uint64) uint64 {
	below := uint64(0)
	for _, g := range l.Funs[f].Callees.List {
		below = max(below, deepest(l, g, of))
	}
	return of(f) + below
}

// value is a record's value or first word, as an input gave it.
func value(records []model.Attribute, attr cuda.InfoAttr) uint64 {
	for i := range records {
		if r := &records[i]; r.Attr == attr {
			if r.Format == cuda.FormatSized {
				return uint64(r.Word(0))
			}
			return uint64(r.Value)
		}
	}
	return 0
}

// A kernel gets what all code that it reaches asks for: of registers and barriers the most, of stacks the deepest, of
// masks all bits; where a call leads around the stack is unknown, and it is said once for each call that leads there.
func TestPropagate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	rings, plain := 0, 0
	for range 400 {
		raise, attr := rnd.IntN(2) == 0, rnd.IntN(2) == 0
		l := drawn(rnd, 2+rnd.IntN(2), 5+rnd.IntN(6), &release.Release{RaiseRegs: raise, BarrierAttr: attr})
		was := make([][]model.Attribute, len(l.Funs))
		regs, flags := make([]uint8, len(l.Funs)), make([]uint32, len(l.Funs))
		for f := range l.Funs {
			was[f] = slices.Clone(l.Parts[l.Funs[f].Info].Records())
			regs[f], flags[f] = l.Secs[l.Funs[f].Text].Regs, l.flagBarriers(model.FunID(f))
		}
		l.propagate()
		live := l.LiveKernels()
		if len(l.Stacks) != len(live) {
			t.Fatalf("%d stacks of %d kernels", len(l.Stacks), len(live))
		}
		said := 0
		for i, k := range live {
			code, ring := reached(l, k)
			most, barriers, sparse, inits := uint32(0), uint32(0), uint16(0), uint16(0)
			for _, f := range code {
				most = max(most, l.Funs[f].Regs)
				barriers = max(barriers, flags[f])
				sparse |= uint16(value(was[f], cuda.AttrSparseMmaMask))
				inits |= uint16(value(was[f], cuda.AttrVrcCtaInitCount))
			}
			if l.needs[k] != most {
				t.Fatalf("kernel %d needs %d registers, want %d", k, l.needs[k], most)
			}
			text := l.Funs[k].Text
			want := regs[k]
			if raise && most > l.Funs[k].Regs && most > uint32(want) {
				want = uint8(most)
			}
			if l.Secs[text].Regs != want {
				t.Fatalf("kernel %d of %d registers has %d in its code, want %d", k, l.Funs[k].Regs, l.Secs[text].Regs, want)
			}
			info := l.Funs[k].Info
			all := append(slices.Clone(l.Parts[info].Records()), l.Parts[info].Added()...)
			stack, crs := uint32(unknownStack), uint64(0xffffffff)
			if ring {
				rings++
			} else {
				plain++
				stack = uint32(deepest(l, k, func(f model.FunID) uint64 { return uint64(l.Funs[f].Frame) }))
				crs = deepest(l, k, func(f model.FunID) uint64 { return value(was[f], cuda.AttrCrsStackSize) })
			}
			if l.Stacks[i] != (kernelStack{k, stack}) || value(all, cuda.AttrCrsStackSize) != crs {
				t.Fatalf("kernel %d: stack %+v, want %d; call stack %d, want %d", k, l.Stacks[i], int32(stack), value(all, cuda.AttrCrsStackSize), int32(crs))
			}
			if got := uint16(value(all, cuda.AttrSparseMmaMask)); value(was[k], cuda.AttrSparseMmaMask) != 0 && got != sparse {
				t.Fatalf("kernel %d: mask %#x, want %#x", k, got, sparse)
			}
			if got := uint16(value(all, cuda.AttrVrcCtaInitCount)); got != inits {
				t.Fatalf("kernel %d: inits %#x, want %#x", k, got, inits)
			}
			got := l.flagBarriers(k)
			if attr {
				got = uint32(value(all, cuda.AttrNumBarriers)) + 100*l.flagBarriers(k)
			}
			if got != barriers {
				t.Fatalf("kernel %d: %d barriers, want %d", k, got, barriers)
			}
			for _, g := range l.Funs[k].Callees.List {
				if _, ring := reached(l, g); ring {
					said++
				}
			}
		}
		if len(l.Diags) != said {
			t.Fatalf("%d warnings, want %d", len(l.Diags), said)
		}
	}
	if rings < 50 || plain < 300 {
		t.Errorf("%d kernels with a ring, %d without", rings, plain)
	}
}

// What one record asks for.
func TestDemand(t *testing.T) {
	for _, c := range []struct {
		what           string
		attr           cuda.InfoAttr
		value          uint16
		barrier, count bool // the release's
		keeps          bool
		want           demands
	}{
		{"barriers", cuda.AttrNumBarriers, 0x103, true, false, false, demands{noted: 3, recorded: true, barriers: 3, marks: markBarriers}},
		{"barriers that count as others", cuda.AttrNumBarriers, 0x103, false, true, false, demands{mbarriers: 3, marks: markMbarriers}},
		{"barriers that nobody asks for", cuda.AttrNumBarriers, 3, false, false, false, demands{}},
		{"barriers in memory", cuda.AttrNumMbarriers, 5, true, false, false, demands{mbarriers: 5, marks: markMbarriers}},
		{"a mask", cuda.AttrSparseMmaMask, 9, true, false, false, demands{sparse: 9}},
		{"a count of inits", cuda.AttrVrcCtaInitCount, 2, true, false, false, demands{inits: 2}},
		{"a language, which is kept", attrLanguage, 1, true, false, true, demands{marks: markLanguage}},
		{"a language, which isn't", attrLanguage, 1, true, false, false, demands{}},
		{"shared memory of the driver", cuda.AttrReservedSmemUsed, 0, true, false, false, demands{marks: markReservedSmem}},
		{"a number of the grid", cuda.AttrCtaidzUsed, 0, true, false, false, demands{marks: markCtaidz}},
		{"no fragments", cuda.AttrAtEntryFragements, 0, true, false, false, demands{}},
		{"something else", cuda.AttrMaxThreads, 7, true, false, false, demands{}},
	} {
		l := drawn(rand.New(rand.NewPCG(1, 1)), 1, 2, &release.Release{BarrierAttr: c.barrier})
		l.Release.Compat.Keeps, l.countsBarriers = c.keeps, c.count
		var own demands
		l.demand(&own, &model.Attribute{Attr: c.attr, Value: c.value})
		if own != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, own, c.want)
		}
	}
	l := drawn(rand.New(rand.NewPCG(1, 1)), 1, 2, &release.Release{})
	list := model.Attribute{Format: cuda.FormatSized, Attr: cuda.AttrAtEntryFragements}
	list.SetData([]byte{1, 0, 0, 0, 63, 0, 0, 0, 64, 0, 0, 0, 3, 0, 0})
	var own demands
	if l.demand(&own, &list); own.fragments != 1<<1|1<<63 || own.marks != markFragments {
		t.Errorf("%+v", own)
	}
}

// The only kernel of a link answers for every live function. Its own mask alone counts where nothing was dead, all code has
// one and, by releases that have barriers in flags, it was read last (nvlink 12.4.131, 13.0.88).
func TestAnswerForAll(t *testing.T) {
	for _, c := range []struct {
		what                string
		dead, last, barrier bool
		masks               []uint16 // of the kernel, then of functions
		want                uint16
	}{
		{"read last", false, true, false, []uint16{1, 2, 4}, 1}, {"not read last", false, false, false, []uint16{1, 2, 4}, 7}, {"not read last, barriers in records", false, false, true, []uint16{1, 2, 4}, 1},
		{"something dead", true, true, true, []uint16{1, 2, 4}, 3}, {"code that says nothing", false, true, true, []uint16{1, 2, sparseUnknown}, 3 | sparseUnknown},
	} {
		l := drawn(rand.New(rand.NewPCG(1, 1)), 1, 3, &release.Release{BarrierAttr: c.barrier})
		l.asks = make([]demands, 3)
		for f, m := range c.masks {
			l.asks[f].sparse = m
			l.Funs[f].Live, l.Funs[f].InfoAt = true, int32(f)
		}
		if l.Funs[0].InfoAt = 3; !c.last {
			l.Funs[0].InfoAt = 1
		}
		l.Funs[2].Live = !c.dead
		l.asks[1].marks, l.asks[1].barriers, l.asks[1].fragments = markCtaidz|markBarriers, 4, 8
		l.asks[1].noted, l.asks[1].recorded = 5, c.barrier
		need := l.asks[0]
		l.answerForAll(0, &need)
		want := demands{sparse: c.want, marks: markCtaidz, fragments: 8}
		if c.barrier {
			want.marks, want.barriers, want.noted, want.recorded = markCtaidz|markBarriers, 5, 5, true
		}
		if need != want {
			t.Errorf("%s: %+v, want %+v", c.what, need, want)
		}
	}
}
