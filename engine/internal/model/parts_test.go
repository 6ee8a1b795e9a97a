package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// Names in which * stands for any characters.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"k", "k", true}, {"k", "kk", false}, {"k", "", false}, {"*", "", true}, {"*", "k", true}, {"k*", "k", true}, {"k*", "k1", true}, {"k*", "1k", false},
		{"*k", "1k", true}, {"*k", "k1", false}, {"a*b", "ab", true}, {"a*b", "a1b", true}, {"a*b", "a1b2", false}, {"aa*a", "aa", false}, {"ab*b", "ab", false},
		{"a*b*c", "a1b2c", true}, {"a*b*c", "a1c2b", false}, {"a*b*c", "abc", true}, {"a*b*b", "ab", false}, {"a*b*b", "abb", true}, {"a**c", "ac", true},
	} {
		if got := matches(c.pattern, c.name); got != c.want {
			t.Errorf("%q is %q: %v", c.name, c.pattern, got)
		}
	}
}

// Which kernels a filter leaves: of host code by patterns, of options by a part of the name.
func TestFilters(t *testing.T) {
	all := []string{"k1", "k2", "s1", "f"} // s1 is static, f a device function
	host := func(kernels, internal []string) *input.HostUse {
		return &input.HostUse{Kernels: kernels, InternalKernels: internal}
	}
	for _, c := range []struct {
		opt   input.Options
		kept  []string
		entry []string
	}{
		{input.Options{}, all, []string{"k1", "k2", "s1"}},
		{input.Options{KernelsUsed: []string{"1"}}, []string{"k1", "s1"}, []string{"k1", "s1"}},
		{input.Options{KernelsUsed: []string{"x", "k2"}}, []string{"k2"}, []string{"k2"}},
		{input.Options{HostUse: host([]string{"k*"}, nil)}, []string{"k1", "k2"}, []string{"k1", "k2"}},
		{input.Options{HostUse: host([]string{"*1"}, []string{"s*"})}, []string{"k1", "s1"}, []string{"k1", "s1"}},
		{input.Options{HostUse: host(nil, []string{"*1"})}, []string{"s1"}, []string{"s1"}},
		{input.Options{HostUse: host(nil, nil), KernelsUsed: []string{"k1"}}, []string{"k1"}, []string{"k1"}},
	} {
		l := program(&release.Release{})
		l.Opt = &c.opt
		var kept, entries []string
		for i, n := range all {
			info, other := uint8(cuda.STTFunc)|uint8(cuda.STBGlobal)<<4, uint8(cuda.STOEntry)
			switch n {
			case "s1":
				info = uint8(cuda.STTFunc)
			case "f":
				other = 0
			}
			s := l.NewSymbol(Symbol{Name: l.Names.ID(n), Info: info, Other: other, Fun: FunID(i), Flags: SymDefined})
			l.Funs = append(l.Funs, Function{Sym: s})
		}
		for i, n := range all {
			if l.keptKernel(&l.Syms[l.Funs[i].Sym]) {
				kept = append(kept, n)
			}
			if l.IsEntry(FunID(i)) {
				entries = append(entries, n)
			}
			if hidden := n != "f" && !slices.Contains(c.kept, n); l.IsHidden(&l.Funs[i]) != hidden {
				t.Errorf("%+v: %s is hidden: %v", c.opt, n, !hidden)
			}
			read := n != "f" && (c.opt.HostUse != nil || slices.Contains(c.entry, n))
			if l.IsReadAsEntry(FunID(i)) != read || l.IsKernel(&l.Funs[i]) != (n != "f") {
				t.Errorf("%+v: %s is read as a kernel: %v", c.opt, n, !read)
			}
		}
		if !slices.Equal(kept, c.kept) || !slices.Equal(entries, c.entry) {
			t.Errorf("%+v: keeps %v, kernels %v; want %v, %v", c.opt, kept, entries, c.kept, c.entry)
		}
	}
}

// A hidden kernel whose address is taken stays, but beside one kernel alone; a function that is called as one of the
// driver's is a kernel the same.
func TestTakenStays(t *testing.T) {
	for _, c := range []struct {
		used    []string
		defined bool // k2
		taken   bool
		driver  bool
	}{
		{nil, true, true, true}, {[]string{"k1"}, true, false, false}, {[]string{"k"}, true, true, true}, {[]string{"k"}, false, false, false},
	} {
		l := program(&release.Release{})
		l.Opt.KernelsUsed = c.used
		for i, n := range []string{"k1", "k2", "x", "d"} {
			s := Symbol{Name: l.Names.ID(n), Info: uint8(cuda.STTFunc), Fun: FunID(i), Flags: SymDefined}
			if n != "d" {
				s.Other = uint8(cuda.STOEntry)
			}
			if n == "k2" && !c.defined {
				s.Flags = 0
			}
			l.Funs = append(l.Funs, Function{Sym: l.NewSymbol(s), Taken: n == "x", LikeDriver: n == "d"})
		}
		if c.used == nil {
			c.driver = true
		}
		if got := l.IsEntry(2); got != c.taken {
			t.Errorf("%v: the taken kernel is one: %v", c.used, got)
		}
		if got := l.IsEntry(3); got != c.driver || !l.IsKernel(&l.Funs[3]) || !l.IsReadAsEntry(3) {
			t.Errorf("%v: the driver's function is a kernel: %v", c.used, got)
		}
	}
}

// Kinds of symbols.
func TestSymbolKinds(t *testing.T) {
	const object, shared = uint8(cuda.STTCudaObject), cuda.STOShared
	for _, c := range []struct {
		s                              Symbol
		shared, reserved, extern, open bool
	}{
		{Symbol{Info: object, Other: shared, Size: 4, Flags: SymDefined}, true, false, false, false},
		{Symbol{Info: object, Other: shared}, true, false, true, true},
		{Symbol{Info: object, Other: shared, Size: 4}, true, false, false, true},
		{Symbol{Info: object, Other: shared, Flags: SymDefined}, true, false, false, false},
		{Symbol{Info: object, Other: shared, Flags: SymDefined | SymDynamic}, true, false, true, false},
		{Symbol{Info: object, Other: shared, Size: 4, Flags: SymSized}, true, false, true, true},
		{Symbol{Info: object, Other: cuda.STOReservedShared, Flags: SymDefined}, false, true, false, false},
		{Symbol{Info: object, Other: cuda.STOReservedShared}, false, false, false, true},
		{Symbol{Info: object, Other: cuda.STOGlobal}, false, false, false, true},
		{Symbol{Info: object, Other: cuda.STOGlobal, Flags: SymDead}, false, false, false, false},
		{Symbol{Info: object, Other: cuda.STOGlobal, Flags: SymCommon}, false, false, false, false},
		{Symbol{Info: uint8(cuda.STTFunc), Other: shared}, false, false, false, false},
		{Symbol{Info: uint8(cuda.STTFunc), Other: cuda.STOReservedShared, Flags: SymDefined}, false, false, false, false},
	} {
		s := &c.s
		if s.IsShared() != c.shared || s.IsReservedShared() != c.reserved || s.IsExternShared() != c.extern || s.IsOpenVariable() != c.open {
			t.Errorf("%+v: shared %v, reserved %v, extern %v, open %v", *s, s.IsShared(), s.IsReservedShared(), s.IsExternShared(), s.IsOpenVariable())
		}
	}
	for n := range cuda.SymbolType(16) {
		s := Symbol{Info: uint8(n) | 0x20}
		if s.IsTexture() != (n == cuda.STTCudaTexture || n == cuda.STTCudaSampler || n == cuda.STTCudaSurface) || s.Type() != n || s.Binding() != 2 {
			t.Errorf("type %d", n)
		}
	}
}

// Names of what no object defines.
func TestSynthetic(t *testing.T) {
	for name, want := range map[string][2]bool{
		"__UFT": {true, false}, "__UDT_END": {true, false}, "__UFT_X": {false, false}, ".nv.reservedSmem.offset0": {true, true}, ".nv.reserved": {false, false},
		"__tcgen05_tmem_max_col_size": {true, true}, ".nv.unified.texrefDescSize": {true, false}, ".nv.unified.surfrefDescSize": {true, false},
		"nv.texrefDescSize": {false, false}, ".nv.texrefDesc": {false, false}, "x": {false, false},
	} {
		if IsSynthetic(name) != want[0] || IsDriverValue(name) != want[1] {
			t.Errorf("%s: %v, of the driver %v", name, IsSynthetic(name), IsDriverValue(name))
		}
	}
	l := program(&release.Release{})
	open := l.NewSymbol(Symbol{Name: l.Names.ID("__UDT")})
	defined := l.NewSymbol(Symbol{Name: l.Names.ID("__UFT_END"), Flags: SymDefined})
	other := l.NewSymbol(Symbol{Name: l.Names.ID("x")})
	if !l.IsUnified(open) || l.IsUnified(defined) || l.IsUnified(other) {
		t.Error("synthetic symbols that are undefined")
	}
	if l.SymName(open) != "__UDT" || l.SymName(Absent) != "" {
		t.Error("names of symbols")
	}
}

// A payload is changed in a copy; words after its end are 0 and aren't changed.
func TestAttributeWords(t *testing.T) {
	b := []byte{1, 0, 0, 0, 2, 0, 0, 0, 9}
	var r Attribute
	if r.Data() != nil || r.Word(0) != 0 {
		t.Error("of no bytes")
	}
	r.SetData(b)
	r.SetWord(2, 7)
	if r.Word(0) != 1 || r.Word(1) != 2 || r.Word(2) != 0 || !slices.Equal(r.Data(), b) || r.Value != 9 {
		t.Errorf("%v", r.Data())
	}
	r.SetWord(1, 0x01020304)
	if r.Word(1) != 0x01020304 || b[4] != 2 || len(r.Data()) != 9 {
		t.Errorf("%v, of %v", r.Data(), b)
	}
}

func TestAttributeLists(t *testing.T) {
	l := program(&release.Release{})
	id := l.NewSection(l.Names.ID(".nv.info.f"), cuda.SHTCudaInfo, 0, 4)
	if p := &l.Parts[id]; p.Records() != nil || p.Added() != nil || l.Attribute(id, 7) != nil || l.Attribute(Absent, 7) != nil {
		t.Error("of none")
	}
	l.InfoOf(id).Read = []Attribute{{Attr: 7, Gone: true}, {Attr: 8, Value: 1}, {Attr: 7, Value: 2}, {Attr: 7, Value: 3}}
	l.AppendAttribute(id, Attribute{Attr: 9})
	if r := l.Attribute(id, 7); r == nil || r.Value != 2 || l.Attribute(id, 9) != nil || len(l.Parts[id].Records()) != 4 || len(l.Parts[id].Added()) != 1 {
		t.Error("not the first that isn't gone, of those that were read")
	}
	a, b := l.NewSymList([]SymID{1}), l.NewSymList([]SymID{2, 3})
	if l.SymList(0) != nil || !slices.Equal(l.SymList(a), []SymID{1}) || !slices.Equal(l.SymList(b), []SymID{2, 3}) {
		t.Error("lists of symbols")
	}
}

// Chunks lie one after the other, in order and in the section.
func TestAreWhole(t *testing.T) {
	chunk := func(off, size uint64, n int) Chunk { return Chunk{Off: off, Size: size, Data: make([]byte, n)} }
	for _, c := range []struct {
		list []Chunk
		size uint64
		want bool
	}{
		{nil, 0, false}, {[]Chunk{chunk(0, 4, 4)}, 4, true}, {[]Chunk{chunk(0, 4, 4)}, 3, false}, {[]Chunk{chunk(0, 4, 3)}, 4, false},
		{[]Chunk{chunk(0, 4, 4), chunk(4, 4, 4)}, 8, true}, {[]Chunk{chunk(0, 4, 4), chunk(8, 4, 4)}, 16, true}, {[]Chunk{chunk(0, 4, 4), chunk(3, 4, 4)}, 8, false},
		{[]Chunk{chunk(4, 4, 4), chunk(0, 4, 4)}, 8, false},
	} {
		l := program(&release.Release{})
		id := l.NewSection(l.Names.ID(".x"), cuda.SHTProgbits, 0, 1)
		l.Parts[id].Chunks, l.Secs[id].Size = c.list, c.size
		if AreWhole(c.list, c.size) != c.want || l.IsOfChunks(id) != c.want {
			t.Errorf("%v in %d: %v", c.list, c.size, !c.want)
		}
	}
	for n := range uint64(80) {
		want := n == 12 || n == 16 || n == 20 || n == 24 || n == 32 || n == 48 || n == 64
		if c := (Chunk{Size: n, Align: 4}); c.IsMergeable() != (want || n == 4) {
			t.Errorf("a piece of %d aligned to 4", n)
		}
		if c := (Chunk{Size: n, Align: 8}); c.IsMergeable() != (want || n == 8) {
			t.Errorf("a piece of %d aligned to 8", n)
		}
	}
}

// A section that is no longer than its alignment is longer by it.
func TestRaise(t *testing.T) {
	for _, c := range []struct {
		size    uint64
		present bool
		want    uint64
		mute    bool
	}{{0, true, 16, true}, {0, false, 0, true}, {16, true, 32, false}, {17, true, 17, false}, {15, false, 15, false}, {15, true, 31, false}} {
		s := Section{Size: c.size, Align: 16, Present: c.present}
		if s.Raise(); s.Size != c.want || s.Mute != c.mute {
			t.Errorf("%+v: %d, mute %v", c, s.Size, s.Mute)
		}
	}
	if BankOf(cuda.SHTCudaConstant0+3) != 3 || RelocSize(cuda.SHTRel) != 16 || RelocSize(cuda.SHTRela) != 24 {
		t.Error("the number of a bank, the size of a record")
	}
}

// .nv.compat says whether the target is accelerated, but in releases without that attribute, and omits what a
// release says silently.
func TestCompatBytes(t *testing.T) {
	c := Compat{List: []cubin.InfoRecord{{Format: cuda.FormatByte, Attr: 7, Value: 1}, {Format: cuda.FormatByte, Attr: 8, Value: 2}}, Late: []cubin.InfoRecord{{Format: cuda.FormatByte, Attr: 0xc, Value: 3}}}
	r := &release.Release{}
	r.Compat.Missing = []release.CompatRecord{{Attr: 7, Value: 1, Silent: true}, {Attr: 8, Value: 1, Silent: true}, {Attr: 0xc, Value: 3}}
	got := c.Bytes(release.Target{Accelerated: true}, r)
	attr := byte(cuda.CompatAcceleratorTarget)
	if want := []byte{2, attr, 1, 0, 2, 8, 2, 0, 2, 0xc, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := c.Bytes(release.Target{}, r); got[2] != 0 {
		t.Errorf("of no accelerated target: %v", got)
	}
	r.FirstNotes = true
	if got, want := c.Bytes(release.Target{Accelerated: true}, r), []byte{2, 8, 2, 0, 2, 0xc, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A pointer that is zero is reported once, with its place.
func TestWarnNullPointers(t *testing.T) {
	l := program(&release.Release{Name: "13.0"})
	l.Files = []*cubin.File{{Name: "a.cubin"}, {Name: "b.cubin"}}
	l.NotePointer(l.Names.ID("v"), 1, l.NewSection(l.Names.ID(".nv.global.init"), cuda.SHTProgbits, 0, 1))
	l.WarnNullPointers()
	l.WarnNullPointers()
	want := diag.Diagnostic{Severity: diag.Warning, Kind: diag.NullPointer, File: "b.cubin", Section: ".nv.global.init", Symbol: "v",
		Text: "Pointer to 'v' in .nv.global.init of 'b.cubin' is zero, because another input defines 'v' too, as with nvlink 13.0"}
	if len(l.Diags) != 1 || l.Diags[0] != want {
		t.Errorf("%+v", l.Diags)
	}
}

// A function is inside another's code where the code is another's and it doesn't begin it.
func TestIsNested(t *testing.T) {
	l := program(&release.Release{})
	text := l.NewSection(l.Names.ID(".text.k"), cuda.SHTProgbits, 0, 1)
	l.Secs[text].Fun = 0
	for _, value := range []uint64{0, 64, 0, 0} {
		l.Funs = append(l.Funs, Function{Sym: l.NewSymbol(Symbol{Info: uint8(cuda.STTFunc), Value: value}), Text: text})
	}
	l.Funs[3].Text = Absent
	l.Syms[l.Funs[3].Sym].Value = 8
	l.Syms[l.Funs[0].Sym].Value = 8
	for f, want := range []bool{false, true, false, false} {
		if l.IsNested(FunID(f)) != want {
			t.Errorf("%d: %v", f, !want)
		}
	}
	l.More = []RelocMore{{}, {Seq: 5}}
	if l.MoreOf(&Reloc{More: 1}).Seq != 5 {
		t.Error("what else is known of a record")
	}
}

// The attributes whose first word is the index of a symbol, by their names.
func TestNamesSymbol(t *testing.T) {
	names := []string{"IMAGE_SLOT", "IMAGE_OFFSET", "IMAGE_SIZE", "TEXTURE_NORMALIZED", "SAMPLER_INIT", "PARAM_CBANK", "FRAME_SIZE", "MIN_STACK_SIZE", "SAMPLER_FORCE_UNNORMALIZED",
		"BINDLESS_IMAGE_OFFSETS", "KPARAM_INFO", "MAX_STACK_SIZE", "LOAD_CACHE_REQUEST", "REGCOUNT", "SAM_REGION_STACK_SIZE", "KPARAM_INFO_V2"}
	for a := range cuda.InfoAttr(255) {
		if want := slices.Contains(names, strings.TrimPrefix(a.String(), "EIATTR_")); NamesSymbol(a) != want {
			t.Errorf("%s: %v", a, !want)
		}
	}
}
