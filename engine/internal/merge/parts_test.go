package merge

import (
	"errors"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// bench is a link that has a function and a module of nothing yet, which is a recorded object.
func bench(t *testing.T) (*merger, *module) {
	t.Helper()
	all, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("a.cubin", all[0].Inputs[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	table := names.New(8, nil)
	p := &model.Program{Set: &input.Set{Opt: &input.Options{}, Release: &release.Release{}, Dialect: &release.SASS}, Names: table}
	l := &merger{Program: p}
	text := l.NewSection(table.ID(".text.f"), cuda.SHTProgbits, 0, 1)
	sym := l.NewSymbol(model.Symbol{Name: table.ID("f"), Info: 0x12, Fun: 0})
	l.Funs = append(l.Funs, model.Function{Sym: sym, Text: text})
	l.Secs[text].Fun = 0
	data := l.NewSection(table.ID(".data"), cuda.SHTProgbits, 0, 1)
	l.Secs[data].Fun = model.Absent
	other := l.NewSymbol(model.Symbol{Name: table.ID("v"), Info: 0x11, Fun: model.Absent})
	m := &module{file: f, tab: f.Symtab(), sym: []model.SymID{model.Absent, sym, other, model.Absent}, sec: []model.SecID{model.Absent, text, data, lost, model.Absent}, syms: make([]cubin.Symbol, 4)}
	return l, m
}

func wantFault(t *testing.T, what string, err error, want cubin.Error) {
	t.Helper()
	var fault *cubin.Error
	if !errors.As(err, &fault) || fault.Kind != want.Kind || fault.Offset != want.Offset || fault.Value != want.Value || fault.File != "a.cubin" {
		t.Errorf("%s: %v, want %s at %#x, value %#x", what, err, want.Kind, want.Offset, want.Value)
	}
}

// What numbers of symbols and sections in an input stand for, and which are faults.
func TestNumbersOfInputs(t *testing.T) {
	l, m := bench(t)
	s := &cubin.Section{}
	for index, want := range map[uint32]model.SymID{0: model.Absent, 1: m.sym[1], 2: m.sym[2], 3: model.Absent} {
		if got, err := l.symbolOf(m, s, index); got != want || err != nil {
			t.Errorf("symbol %d: %d, %v", index, got, err)
		}
	}
	for _, index := range []uint32{4, 1 << 31} {
		_, err := l.symbolOf(m, s, index)
		wantFault(t, "symbol", err, cubin.Error{Kind: cubin.BadIndex, Value: uint64(index)})
	}
	// A section's symbol is that of the section here.
	m.syms[3].Info = uint8(cuda.STTSection)
	l.Secs[m.sec[2]].Sym = 77
	tab := *m.tab
	for shndx, want := range map[uint16]model.SymID{2: 77, 3: model.Absent, 4: model.Absent, 5: model.Absent, 0xfff1: model.Absent} {
		m.tab, m.syms[3].Shndx = &tab, shndx
		if got, err := l.symbolOf(m, s, 3); got != want || err != nil {
			t.Errorf("the symbol of section %d: %d, %v", shndx, got, err)
		}
	}

	if f, ok, err := l.functionOf(m, s, 8, 1); f != 0 || !ok || err != nil {
		t.Errorf("%d, %v, %v", f, ok, err)
	}
	m.lose(1)
	if f, ok, err := l.functionOf(m, s, 8, 1); f != 0 || ok || err != nil {
		t.Errorf("of a definition that lost: %d, %v, %v", f, ok, err)
	}
	for _, index := range []uint32{0, 2, 3, 4, 1 << 31} {
		_, _, err := l.functionOf(m, s, 24, index)
		wantFault(t, "function", err, cubin.Error{Kind: cubin.BadIndex, Offset: 24, Value: uint64(index)})
	}

	for owner, want := range map[uint32]model.SecID{1: m.sec[1], 3: lost} {
		if got, err := l.ownerOf(m, s, owner); got != want || err != nil {
			t.Errorf("owner %d: %d, %v", owner, got, err)
		}
	}
	for _, owner := range []uint32{0, 2, 4, 5, 1 << 31} {
		_, err := l.ownerOf(m, s, owner)
		wantFault(t, "owner", err, cubin.Error{Kind: cubin.BadIndex, Value: uint64(owner)})
	}

	_, err := l.prototype(m, s, 12, 1<<30)
	wantFault(t, "prototype", err, cubin.Error{Kind: cubin.BadName, Offset: 12, Value: 1 << 30})
	if id, err := l.prototype(m, s, 12, 0); err != nil || l.Names.Str(id) != "" || len(l.Protos) != 1 || l.Protos[0] != id {
		t.Errorf("%d, %v, %v", id, err, l.Protos)
	}

	l.Budget = 10
	if err := l.spend(m, s, 10); err != nil || l.Budget != 0 {
		t.Errorf("all that is left: %v", err)
	}
	wantFault(t, "one more", l.spend(m, s, 1), cubin.Error{Kind: cubin.OverBudget, Value: 1})
	l.Budget = -5
	wantFault(t, "of less than nothing", l.spend(m, s, 1), cubin.Error{Kind: cubin.OverBudget, Value: 1})
	if err := l.spend(m, s, 0); err != nil {
		t.Error(err)
	}
}

// Prototypes are one up to "|", after which newer compilers say what the calling convention uses.
func TestSameSignature(t *testing.T) {
	l, _ := bench(t)
	for _, c := range []struct {
		a, b string
		want bool
	}{{"f(i)", "f(i)", true}, {"f(i)", "f(j)", false}, {"f(i)|R4", "f(i)", true}, {"f(i)|R4", "f(i)|R5", true}, {"f(i)|R4", "f(j)|R4", false}, {"|a", "|b", true}, {"", "|b", true}, {"f", "", false}} {
		if l.sameSignature(l.Names.ID(c.a), l.Names.ID(c.b)) != c.want {
			t.Errorf("%q and %q", c.a, c.b)
		}
	}
}

// A bank is compared with what it comes to lie over as far as both go.
func TestOverlaps(t *testing.T) {
	l, m := bench(t)
	l.Budget = 1 << 20
	id := m.sec[2]
	var s cubin.Section
	for i := range m.file.NumSections() {
		if s = m.file.Section(i); s.Type == cuda.SHTStrtab && s.Size > 8 {
			break
		}
	}
	own := m.file.Content(&s)
	changed := append([]byte(nil), own[:8]...)
	changed[7]++
	for _, c := range []struct {
		what   string
		chunks []model.Chunk
		want   bool
	}{
		{"nothing", nil, false}, {"the same", []model.Chunk{{Data: own}}, false}, {"the same, shorter", []model.Chunk{{Data: own[:8]}}, false}, {"the same, longer", []model.Chunk{{Data: append(own[:len(own):len(own)], 9)}}, false},
		{"another byte", []model.Chunk{{Data: changed}}, true}, {"another byte behind", []model.Chunk{{Data: own}, {Data: changed}}, true}, {"another byte in front", []model.Chunk{{Data: changed}, {Data: own}}, false},
	} {
		for i := range c.chunks {
			c.chunks[i].Size = uint64(len(c.chunks[i].Data))
		}
		l.Parts[id].Chunks = c.chunks
		if err := l.refuseOverlap(m, &s, id); err != nil != c.want {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// Of a whole program it is said that its kernels may come out otherwise, where what nvlink counts in unknown ways is there.
func TestWarnOfWhole(t *testing.T) {
	all, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, section string
		attr          cuda.InfoAttr
		plain         bool // not -ewp
		dialect       *release.Dialect
		warned        bool
	}{
		{"nothing", ".text.k", 0, false, &release.SASS, false}, {"nothing, with a Mercury side", ".text.k", 0, false, &release.Mercury, true}, {"textures, with a Mercury side", ".nv.merc.nv.constant.entry_image_header_indices.k", 0, false, &release.Mercury, true},
		{"shared memory", ".nv.shared.k", 0, false, &release.SASS, true}, {"shared memory of an object", ".nv.shared.k", 0, true, &release.SASS, false},
		{"the driver's shared memory", ".nv.shared.reserved.0", 0, false, &release.SASS, false}, {"textures", ".rel.nv.constant0.k", 0, false, &release.SASS, true}, {"textures, with addends", ".rela.nv.constant0.k", 0, false, &release.SASS, true},
		{"another bank", ".rel.nv.constant3.k", 0, false, &release.SASS, false}, {"a stack", ".nv.info", cuda.AttrMinStackSize, false, &release.SASS, true}, {"a frame", ".nv.info", cuda.AttrFrameSize, false, &release.SASS, false},
		{"a stack of a function's", ".nv.info.k", cuda.AttrMinStackSize, false, &release.SASS, false}, {"shared memory of no kernel", ".nv_debug.shared", 0, false, &release.SASS, true},
	} {
		d, err := cubin.Decode("a.cubin", all[0].Inputs[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < d.NumSections(); i++ { // what the object has itself
			if err := d.Rename(i, ".x"); err != nil {
				t.Fatal(err)
			}
		}
		h := cubin.Section{Type: cuda.SHTCudaInfo, Align: 4}
		if err := d.Insert(d.NumSections(), c.section, h, nil); err != nil {
			t.Fatal(err)
		}
		if c.attr != 0 {
			rec := func(a cuda.InfoAttr) cubin.InfoRecord {
				return cubin.InfoRecord{Format: cuda.FormatSized, Attr: a, Data: make([]byte, 8)}
			}
			if err := d.SetInfo(d.NumSections()-1, []cubin.InfoRecord{rec(cuda.AttrRegcount), rec(c.attr)}); err != nil {
				t.Fatal(err)
			}
		}
		if !c.plain {
			d.Header.Type = cuda.ETEwp
		}
		if err := d.Layout(); err != nil {
			t.Fatal(err)
		}
		data, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		f, err := cubin.Open("a.cubin", data)
		if err != nil {
			t.Fatal(err)
		}
		want := diag.Diagnostic{Severity: diag.Warning, Kind: diag.Rescheduled, File: "a.cubin", Text: "'a.cubin' is a whole program (-ewp): its kernels may differ from nvlink's"}
		images := c.dialect == &release.Mercury && strings.Contains(c.section, "image_header")
		for _, o := range []struct {
			opt   input.Options
			shown bool
		}{{input.Options{Relocatable: true}, true}, {input.Options{Debug: true}, true}, {input.Options{}, false}} {
			l := &merger{Program: &model.Program{Set: &input.Set{Opt: &o.opt, Release: &release.Release{Relocatable: true}, Dialect: c.dialect}}}
			if err := l.warnOfWhole(&module{file: f, heads: f.AppendSections(nil)}); err != nil {
				t.Fatal(err)
			}
			warned := c.warned && (o.shown || images)
			if (len(l.Diags) == 1) != warned || warned && l.Diags[0] != want {
				t.Errorf("%s, %+v: %+v", c.what, o.opt, l.Diags)
			}
		}
	}
}

// Edges are there once, however long the list, in the order in which they came; of a definition that was replaced they
// don't count, but for links that make objects.
func TestEdgesOnce(t *testing.T) {
	for _, r := range []bool{false, true} {
		l, _ := bench(t)
		l.Opt.Relocatable = r
		l.Release.Relocatable = true
		for range 4 {
			l.Funs = append(l.Funs, model.Function{})
		}
		var want []model.FunID
		for _, pass := range []int{0, 1} {
			for k := range 300 {
				l.addCallee(1, model.FunID(k%290))
				l.addEdge(1, model.FunID(k%7))
				if pass == 0 && k < 290 {
					want = append(want, model.FunID(k))
				}
			}
		}
		l.addCallee(2, 5)
		if got := l.Funs[1].Callees.List; len(got) != 290 || got[0] != 0 || got[127] != 127 || got[128] != 128 || got[289] != 289 {
			t.Errorf("%d callees, want %d", len(got), len(want))
		}
		if got := l.Funs[1].Edges.List; len(got) != 7 {
			t.Errorf("%d edges", len(got))
		}
		f := &l.Funs[1]
		f.Replaced++
		f.Callees.Since, f.Edges.Since = len(f.Callees.List), len(f.Edges.List)
		for range 2 {
			l.addCallee(1, 3)
			l.addCallee(1, 200)
			l.addEdge(1, 3)
		}
		more := 2
		if l.IsRelocatable() {
			more = 0
		}
		if len(f.Callees.List) != 290+more || len(f.Edges.List) != 7+more/2 {
			t.Errorf("relocatable %v: %d callees and %d edges", l.IsRelocatable(), len(f.Callees.List), len(f.Edges.List))
		}
	}
}
