package model

import (
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// program is an empty one of a release.
func program(r *release.Release) *Program {
	n := names.New(8, nil)
	return &Program{Set: &input.Set{Release: r, Opt: &input.Options{}}, Names: n, Str: names.NewStrtab(n, 8), Shstr: names.NewStrtab(n, 8)}
}

func TestAlignUp(t *testing.T) {
	for _, c := range [][3]uint64{{0, 0, 0}, {5, 0, 5}, {5, 1, 5}, {5, 4, 8}, {8, 4, 8}, {9, 4, 12}, {9, 12, 12}, {13, 12, 24}} {
		if got := AlignUp(c[0], c[1]); got != c[2] {
			t.Errorf("%d up to %d: %d, want %d", c[0], c[1], got, c[2])
		}
	}
	for n, want := range map[uint64]bool{0: true, 1: true, 2: true, 3: false, 4: true, 6: false, 1 << 40: true, 1 << 41: false} {
		if IsAlignment(n) != want {
			t.Errorf("%d is an alignment: %v", n, !want)
		}
	}
	for n, want := range map[uint64]bool{0: true, 3: true, 1 << 40: true, 1<<40 + 1: false, Unplaced: false} {
		if IsDynamicAlignment(n) != want {
			t.Errorf("%d is an alignment of dynamic memory: %v", n, !want)
		}
	}
}

// A table is used again where it is long enough.
func TestBlank(t *testing.T) {
	old := make([]SecID, 2, 4)
	for n := range 7 {
		s := Blank(old, n)
		if len(s) != n || slices.ContainsFunc(s, func(id SecID) bool { return id != Absent }) {
			t.Errorf("%d of them: %v", n, s)
		}
		if again := n > 0 && &s[0] == &old[0]; n > 0 && again != (n <= 4) {
			t.Errorf("%d of them: the same table %v", n, again)
		}
	}
}

// Lists of an arena are empty, have the room that was asked for, and share nothing.
func TestArena(t *testing.T) {
	given := make([]int, 10)
	a := ArenaOf(given)
	if l := a.List(10); cap(l) != 10 || &l[:1][0] != &given[0] {
		t.Error("not from what was given")
	}
	var lists [][]int
	for i, n := range []int{0, 1, 3, 255, 256, 257, 1023, 1024, 1025, 5, 700, 256, 256} {
		l := a.List(n)
		if len(l) != 0 || cap(l) != n {
			t.Fatalf("a list for %d: %d of %d", n, len(l), cap(l))
		}
		for range n {
			l = append(l, i)
		}
		lists = append(lists, l)
	}
	for i, l := range lists {
		if slices.ContainsFunc(l, func(v int) bool { return v != i }) {
			t.Errorf("list %d has another's elements", i)
		}
	}
	if l := a.Room(nil, 3); cap(l) != 3 {
		t.Errorf("room for 3: %d", cap(l))
	}
	if l := a.Room(lists[2], 2); !slices.Equal(l, lists[2]) || cap(l) < 5 {
		t.Errorf("room for 2 more: %v, %d", l, cap(l))
	}
	// A long list doesn't cost the rest of a piece.
	b := ArenaOf[int](nil)
	first := b.List(1)[:1]
	b.List(5000)
	if second := b.List(1)[:1]; &first[:1:1][0] == &second[0] || cap(b.rest) != ArenaPiece-2 {
		t.Errorf("%d of a piece are left", cap(b.rest))
	}
}

// A symbol that isn't LOCAL is found by its name before one that is, the last of those and the first of these.
func TestLookup(t *testing.T) {
	l := program(&release.Release{})
	name, other := l.Names.ID("x"), l.Names.ID("y")
	add := func(n names.ID, b cuda.Binding) SymID {
		id := l.NewSymbol(Symbol{Name: n, Info: uint8(b)<<4 | uint8(cuda.STTCudaObject)})
		l.SetLookup(n, id)
		return id
	}
	check := func(any, global SymID) {
		t.Helper()
		if a, g := l.LookupAny(name), l.Lookup(name); a != any || g != global {
			t.Errorf("found %d and %d, want %d and %d", a, g, any, global)
		}
	}
	check(Absent, Absent)
	first := add(name, cuda.STBLocal)
	check(first, Absent)
	add(name, cuda.STBLocal)
	check(first, Absent)
	weak := add(name, cuda.STBWeak)
	check(weak, weak)
	add(name, cuda.STBLocal)
	check(weak, weak)
	global := add(name, cuda.STBGlobal)
	check(global, global)
	if l.LookupAny(other) != Absent || l.Unowned(other) != Absent {
		t.Error("what has no name is found")
	}
	for i := range l.Syms {
		if l.Syms[i].At != int32(i+1) || l.Syms[i].Fun != Absent {
			t.Errorf("symbol %d: made at %d, function %d", i, l.Syms[i].At, l.Syms[i].Fun)
		}
	}
	fun := l.NewSymbol(Symbol{Name: name, Info: uint8(cuda.STTFunc), Fun: 7})
	if l.Syms[fun].Fun != 7 {
		t.Error("a function's number is gone")
	}
}

// Section tables grow as names come.
func TestUnowned(t *testing.T) {
	l := program(&release.Release{})
	var list []names.ID
	for i := range 40 {
		n := l.Names.ID(string(rune('a' + i)))
		list = append(list, n)
		if i%3 == 0 {
			l.SetUnowned(n, SecID(i))
		}
	}
	for i, n := range list {
		want := SecID(Absent)
		if i%3 == 0 {
			want = SecID(i)
		}
		if got := l.Unowned(n); got != want {
			t.Errorf("%d: %d, want %d", i, got, want)
		}
	}
}

// Sections of a function, and relocation sections of a target, are in the order in which they were made.
func TestChains(t *testing.T) {
	l := program(&release.Release{InfoLink: true})
	text := l.NewSection(l.Names.ID(".text.f"), cuda.SHTProgbits, cuda.SHFExec, 128)
	var owned []SecID
	for _, n := range []string{".a", ".b", ".c"} {
		owned = append(owned, l.NewOwned(text, l.Names.ID(n), cuda.SHTProgbits, 0, 4))
	}
	info := l.NewOwned(text, l.Names.ID(".nv.info.f"), cuda.SHTCudaInfo, 0, 4)
	if l.Secs[info].Flags != cuda.SHFInfoLink || l.Secs[owned[0]].Flags != 0 || l.Secs[info].Owner != text {
		t.Errorf("flags %v and %v, owner %d", l.Secs[info].Flags, l.Secs[owned[0]].Flags, l.Secs[info].Owner)
	}
	chain := func() (list []SecID) {
		for id := l.Parts[text].FirstOwned; id != Absent; id = l.Parts[id].NextOwned {
			list = append(list, id)
		}
		return list
	}
	if want := append(slices.Clone(owned), info); !slices.Equal(chain(), want) {
		t.Errorf("it owns %v, want %v", chain(), want)
	}
	for i, n := range []string{".a", ".b", ".c"} {
		if l.Owned(text, l.Names.ID(n)) != owned[i] {
			t.Errorf("%s isn't found", n)
		}
	}
	l.Disown(text, owned[1])
	if want := []SecID{owned[0], owned[2], info}; !slices.Equal(chain(), want) || l.Parts[owned[1]].NextOwned != Absent || l.Owned(text, l.Names.ID(".b")) != Absent {
		t.Errorf("then it owns %v, want %v", chain(), want)
	}
	rela, rel := l.Names.ID(".rela.text.f"), l.Names.ID(".rel.text.f")
	first := l.NewRelocSection(rela, cuda.SHTRela, 0, text)
	second := l.NewRelocSection(rel, cuda.SHTRel, 0, text)
	if l.Parts[text].FirstRel != first || l.Parts[first].NextRel != second || l.Parts[second].NextRel != Absent || l.Secs[second].Target != text || l.Secs[second].Align != 8 {
		t.Error("relocation sections in another order")
	}
	beside := l.Names.ID(".rel.other")
	if l.HasRelocSection(text, beside) {
		t.Error("a section that isn't there")
	}
	l.AddBeside(second, beside)
	if !l.HasRelocSection(text, beside) || !l.HasRelocSection(text, rela) || l.RelocSection(text, beside) != Absent || l.RelocSection(text, rel) != second || l.Besides != 1 {
		t.Error("a name beside, or a section, isn't found")
	}
	l.Own(text, first)
	if l.Owned(text, rela) != Absent {
		t.Error("a relocation section is none that a function has by name")
	}
	l.Secs[text].Deleted, l.Secs[first].Deleted, l.Secs[second].Deleted = true, true, true
	l.Fill(text)
	if l.Secs[text].Deleted || l.Secs[first].Deleted || l.Secs[second].Deleted {
		t.Error("not all is filled")
	}
	for id := range l.Secs {
		if s := &l.Secs[id]; l.Syms[s.Sym].Sec != SecID(id) || l.Syms[s.Sym].Type() != cuda.STTSection || !l.Syms[s.Sym].Is(SymDefined) {
			t.Errorf("section %d has no symbol", id)
		}
	}
}

// Whether a link changes bytes of a section.
func TestIsPatched(t *testing.T) {
	for _, c := range []struct {
		dispositions []Disposition
		deleted      bool
		want         bool
	}{
		{nil, false, false}, {[]Disposition{Undecided, Dropped, Kept}, false, false}, {[]Disposition{Kept, Applied}, false, true},
		{[]Disposition{Cleared}, false, true}, {[]Disposition{Applied}, true, false},
	} {
		l := program(&release.Release{})
		text := l.NewSection(l.Names.ID(".text.f"), cuda.SHTProgbits, 0, 1)
		l.NewRelocSection(l.Names.ID(".rel"), cuda.SHTRel, 0, text)
		in := l.NewRelocSection(l.Names.ID(".rela"), cuda.SHTRela, 0, text)
		l.Secs[in].Deleted = c.deleted
		for _, d := range c.dispositions {
			l.Parts[in].Relocs = append(l.Parts[in].Relocs, Reloc{Disposition: d})
		}
		if got := l.IsPatched(text); got != c.want {
			t.Errorf("%v, deleted %v: %v", c.dispositions, c.deleted, got)
		}
	}
}

// Static kernels of one name have one section of shared variables, which belongs to the first.
func TestSharedFor(t *testing.T) {
	l := program(&release.Release{InfoLink: true})
	k := l.Names.ID("k")
	a := l.NewSection(l.Names.ID(".text.k"), cuda.SHTProgbits, 0, 1)
	b := l.NewSection(l.Names.ID(".text.k"), cuda.SHTProgbits, 0, 1)
	name := l.SharedName(k)
	if l.Names.Str(name) != ".nv.shared.k" || l.SharedNamed(name) != Absent {
		t.Error("before there is one")
	}
	id, made := l.SharedFor(a, k)
	again, anew := l.SharedFor(b, k)
	s := &l.Secs[id]
	if !made || anew || again != id || s.Owner != a || s.Type != cuda.SHTCudaShared || s.Flags != cuda.SHFInfoLink|cuda.SHFWrite|cuda.SHFAlloc || s.Align != 1 {
		t.Errorf("%+v, made %v, again %d %v", s, made, again, anew)
	}
	s.Type = cuda.SHTProgbits
	if l.SharedNamed(name) != Absent {
		t.Error("a section of that name, not of shared variables")
	}
	l.Secs[id].Type, l.Secs[id].Owner = cuda.SHTCudaShared, Absent
	if l.SharedNamed(name) != Absent {
		t.Error("a section of no kernel")
	}
	pool := l.PoolShared()
	if p := &l.Secs[pool]; l.PoolShared() != pool || l.Names.Str(p.Name) != ".nv_debug.shared" || p.Owner != Absent || p.Flags != cuda.SHFWrite|cuda.SHFAlloc || p.Align != 1 || p.Type != cuda.SHTCudaShared {
		t.Errorf("the pool: %+v", p)
	}
}

// Sections of resolved records go by name alone.
func TestPreserveFor(t *testing.T) {
	l := program(&release.Release{InfoLink: true})
	text := l.NewSection(l.Names.ID(".text.k"), cuda.SHTProgbits, 0, 1)
	if !l.PreserveFor(l.Secs[text].Name, text) || l.PreserveFor(l.Secs[text].Name, text) {
		t.Error("not one, or two")
	}
	s := &l.Secs[l.Unowned(l.Names.ID(".nv.resolvedrela.text.k"))]
	if s.Type != cuda.SHTCudaResolvedRela || s.Target != text || s.Align != 8 || s.Flags != cuda.SHFInfoLink {
		t.Errorf("%+v", s)
	}
	if program(&release.Release{}).InfoFlags() != 0 {
		t.Error("a flag that the release doesn't have")
	}
	made := l.Role(".strtab", cuda.SHTStrtab, 2, 4)
	l.WillMake(made)
	if r := &l.Secs[made]; !r.Made || l.Secs[text].Made || l.Unowned(r.Name) != made || r.Type != cuda.SHTStrtab || r.Flags != 2 || r.Align != 4 {
		t.Errorf("%+v", r)
	}
	for name, want := range map[string]bool{".debug_frame": true, ".debug_line": true, ".nv_debug_line_sass": true, ".debug_info": false, ".text.k": false} {
		if id := l.NewSection(l.Names.ID(name), cuda.SHTProgbits, 0, 1); l.DescribesCode(id) != want {
			t.Errorf("%s describes code: %v", name, !want)
		}
	}
}

// Releases that enter strings as names come have those of sections, symbols and names beside.
func TestEarlyStrings(t *testing.T) {
	for _, early := range []bool{false, true} {
		l := program(&release.Release{EarlyStrings: early})
		id := l.NewSection(l.Names.ID(".text.k"), cuda.SHTProgbits, 0, 1)
		l.AddBeside(id, l.Names.ID(".rel.text.k"))
		l.NewSymbol(Symbol{Name: l.Names.ID("k"), Flags: SymNameless})
		l.NewSymbol(Symbol{Name: l.Names.ID("v")})
		str, shstr := "\x00", "\x00"
		if early {
			str, shstr = "\x00.text.k\x00.rel.text.k\x00\x00v\x00", "\x00.text.k\x00.rel.text.k\x00"
		}
		if a, b := written(l.Str), written(l.Shstr); a != str || b != shstr {
			t.Errorf("%v: %q and %q, want %q and %q", early, a, b, str, shstr)
		}
	}
}

func written(t *names.Strtab) string {
	b := make([]byte, t.Size)
	t.PutAll(b)
	return string(b)
}
