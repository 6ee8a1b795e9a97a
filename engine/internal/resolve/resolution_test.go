package resolve

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/layout"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/reach"
	"github.com/twinlink/twinlink/engine/internal/release"
	"github.com/twinlink/twinlink/engine/internal/resources"
)

// empty is the resolution of a program without anything, of a final link.
func empty() *Resolution {
	p := &model.Program{Set: &input.Set{Release: &release.Release{Name: "13.0"}, Opt: &input.Options{}, Dialect: &release.Dialect{}}, Names: names.New(8, nil)}
	p.Files = []*cubin.File{{Name: "a.cubin"}, {Name: "b.cubin"}}
	placed := &layout.Layout{Program: p, Graph: &reach.Graph{Program: p}, SharedAlign: map[model.SymID]uint64{}, SlotOff: map[model.SymID]uint64{}, UnitOff: map[model.SecID]uint64{}}
	return &Resolution{Usage: &resources.Usage{Layout: placed, Program: p}, Program: p}
}

func (l *Resolution) section(name string, typ cuda.SectionType) model.SecID {
	return l.NewSection(l.Names.ID(name), typ, cuda.SHFAlloc, 1)
}

func (l *Resolution) symbol(name string, s model.Symbol) model.SymID {
	s.Name = l.Names.ID(name)
	return l.NewSymbol(s)
}

const (
	object  = uint8(cuda.STTCudaObject) | uint8(cuda.STBGlobal)<<4
	weak    = uint8(cuda.STTCudaObject) | uint8(cuda.STBWeak)<<4
	code    = uint8(cuda.STTFunc) | uint8(cuda.STBGlobal)<<4
	texture = uint8(cuda.STTCudaTexture) | uint8(cuda.STBGlobal)<<4
)

// Whose address only the driver knows, in a final link and with -r, and what follows for a record.
func TestDriverKnows(t *testing.T) {
	for _, c := range []struct {
		what        string
		s           model.Symbol
		in          cuda.SectionType
		final, open bool
	}{
		{"a function", model.Symbol{Info: code, Flags: model.SymDefined}, cuda.SHTProgbits, true, true},
		{"a function that nothing defines", model.Symbol{Info: code}, 0, true, true},
		{"a variable", model.Symbol{Info: object, Other: cuda.STOGlobal, Flags: model.SymDefined}, cuda.SHTCudaGlobal, true, true},
		{"one with data", model.Symbol{Info: object, Other: cuda.STOGlobal, Flags: model.SymDefined}, cuda.SHTCudaGlobalInit, true, true},
		{"what stands in code", model.Symbol{Info: object, Other: cuda.STOGlobal, Flags: model.SymDefined}, cuda.SHTProgbits, true, true},
		{"a constant", model.Symbol{Info: object, Other: cuda.STOConstant, Flags: model.SymDefined}, cuda.SHTCudaConstant0 + 3, false, false},
		{"a shared variable", model.Symbol{Info: object, Other: cuda.STOShared, Flags: model.SymDefined}, cuda.SHTCudaShared, false, false},
		{"a variable that nothing defines", model.Symbol{Info: object, Other: cuda.STOGlobal}, 0, true, true},
		{"a constant that nothing defines", model.Symbol{Info: object, Other: cuda.STOConstant}, 0, false, false},
		{"a shared one", model.Symbol{Info: object, Other: cuda.STOShared}, 0, false, false},
		{"what has no type", model.Symbol{Other: cuda.STOConstant}, 0, false, true},
	} {
		for _, partial := range []bool{false, true} {
			l := empty()
			l.Opt.Relocatable, l.Release.Relocatable = partial, true
			c.s.Sec = model.Absent
			if c.in != 0 {
				c.s.Sec = l.section(".x", c.in)
			}
			want := c.final
			if partial {
				want = c.open
			}
			if l.DriverKnows(&c.s) != want {
				t.Errorf("%s, -r %v: the driver knows it: %v", c.what, partial, !want)
			}
			by := map[bool]model.Disposition{false: model.Applied, true: model.Kept}[want && !c.s.IsExternShared()]
			if got := l.ByAddress(&model.Reloc{Type: cuda.R_CUDA_32}, &c.s); got != by {
				t.Errorf("%s, -r %v: a record is %d, want %d", c.what, partial, got, by)
			}
			if by == model.Kept && c.s.Type() == cuda.STTFunc {
				by = model.Dropped
			}
			if got := l.ByAddress(&model.Reloc{Type: cuda.R_CUDA_NONE}, &c.s); got != by {
				t.Errorf("%s, -r %v: a record of no type is %d, want %d", c.what, partial, got, by)
			}
		}
	}
}

// What a relocatable link leaves to a later one, and what it writes all ones for.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		s                            model.Symbol
		stays, stays132              bool
		constant, shared, local, hid bool
	}{
		{model.Symbol{Info: weak, Other: cuda.STOConstant}, true, true, true, false, false, false},
		{model.Symbol{Info: object, Other: cuda.STOConstant}, false, false, true, false, false, false},
		{model.Symbol{Info: object, Other: cuda.STOConstant, Flags: model.SymDefined}, false, false, false, false, false, false},
		{model.Symbol{Info: object, Other: cuda.STOShared, Size: 4}, false, true, false, true, false, true},
		{model.Symbol{Info: object, Other: cuda.STOShared}, false, true, false, false, false, true},
		{model.Symbol{Info: weak, Other: cuda.STOShared, Size: 4}, true, true, false, false, false, true},
		{model.Symbol{Info: object, Other: cuda.STOShared, Size: 4, Flags: model.SymDefined}, false, true, false, false, false, true},
		{model.Symbol{Info: object, Other: cuda.STOGlobal}, false, false, false, false, false, false},
		{model.Symbol{Info: uint8(cuda.STTObject), Other: cuda.STOConstant}, false, false, false, false, true, false},
		{model.Symbol{Info: uint8(cuda.STTObject) | uint8(cuda.STBGlobal)<<4, Other: cuda.STOConstant}, false, false, true, false, false, false},
		{model.Symbol{Info: object, Other: cuda.STOGlobal | cuda.STOInternal}, false, false, false, false, false, true},
	} {
		l, s := empty(), &c.s
		s.Sec = model.Absent
		if l.StaysOpen(s) != c.stays || l.isOpenConstant(s) != c.constant || isOpenShared(s) != c.shared || IsLocalUndefined(s) != c.local || l.isUnplacedByLink(s) != (c.constant || c.shared) {
			t.Errorf("%+v: stays open %v, constant %v, shared %v, local %v", *s, l.StaysOpen(s), l.isOpenConstant(s), isOpenShared(s), IsLocalUndefined(s))
		}
		if l.Release.KeepsShared = true; l.StaysOpen(s) != c.stays132 {
			t.Errorf("%+v: stays open %v", *s, !c.stays132)
		}
		if l.IsHiddenData(s) != c.hid {
			t.Errorf("%+v: hidden %v", *s, !c.hid)
		}
		if l.Opt.Debug = true; l.IsHiddenData(s) != (s.Other&3 == cuda.STOInternal) {
			t.Errorf("%+v: hidden with -g", *s)
		}
	}
	l := empty()
	for typ, want := range map[cuda.SectionType][2]bool{cuda.SHTCudaShared: {true, false}, cuda.SHTProgbits: {false, true}} {
		id := l.section(".x", typ)
		s := &l.Syms[l.Secs[id].Sym]
		if l.IsHiddenData(s) != want[0] || l.IsCode(s) != want[1] {
			t.Errorf("a section of type %d: hidden %v, code %v", typ, l.IsHiddenData(s), l.IsCode(s))
		}
		if l.Secs[id].Owner = 0; l.IsHiddenData(s) {
			t.Errorf("a section of type %d of a kernel is hidden", typ)
		}
	}
	if s := (model.Symbol{Info: code}); l.IsCode(&s) {
		t.Error("a function is a section of code")
	}
}

// Symbols that are gone: dead, in a section that went, or synthetic; not in constants that layout moved.
func TestIsGone(t *testing.T) {
	l := empty()
	stays, gone, moved := l.section(".a", cuda.SHTCudaGlobal), l.section(".b", cuda.SHTCudaGlobal), l.section(".c", cuda.SHTCudaConstant0+2)
	l.Secs[gone].Deleted, l.Secs[moved].Deleted, l.Secs[moved].Moved = true, true, true
	other := l.section(".d", cuda.SHTCudaConstant0+2)
	l.Secs[other].Moved = true
	l.UnitOff[moved] = 0
	for i, c := range []struct {
		name        string
		s           model.Symbol
		gone, moved bool
	}{
		{"a", model.Symbol{Sec: stays, Flags: model.SymDefined}, false, false}, {"b", model.Symbol{Sec: gone, Flags: model.SymDefined}, true, false},
		{"c", model.Symbol{Sec: moved, Flags: model.SymDefined}, false, true}, {"d", model.Symbol{Sec: stays, Flags: model.SymDead}, true, false},
		{"e", model.Symbol{Sec: model.Absent}, false, false}, {"__UFT", model.Symbol{Sec: model.Absent}, true, false},
	} {
		id := l.symbol(c.name, c.s)
		if s := &l.Syms[id]; l.IsGone(id) != c.gone || l.IsMoved(s) != c.moved {
			t.Errorf("%d: gone %v, moved %v", i, l.IsGone(id), l.IsMoved(s))
		}
	}
	if l.OfMoved(&model.Symbol{Sec: moved}) != model.Applied || l.OfMoved(&model.Symbol{Sec: other}) != model.Dropped {
		t.Error("records to constants that were moved, or to nobody")
	}
}

// A record to a second name of code goes to the function that the code's header names.
func TestFollowAlias(t *testing.T) {
	l := empty()
	text, data := l.section(".text.f", cuda.SHTProgbits), l.section(".data", cuda.SHTCudaGlobal)
	for f, value := range []uint64{0, 0, 16} {
		l.Funs = append(l.Funs, model.Function{Sym: l.symbol(fmt.Sprint("f", f), model.Symbol{Info: code, Fun: model.FunID(f), Sec: text, Value: value})})
	}
	open := l.symbol("open", model.Symbol{Info: code, Fun: 1, Sec: model.Absent})
	variable := l.symbol("v", model.Symbol{Info: object, Sec: data})
	l.Secs[text].Fun = 0
	for _, c := range []struct{ from, to model.SymID }{{l.Funs[0].Sym, l.Funs[0].Sym}, {l.Funs[1].Sym, l.Funs[0].Sym}, {l.Funs[2].Sym, l.Funs[2].Sym}, {open, open}, {variable, variable}, {model.Absent, model.Absent}} {
		r := model.Reloc{Sym: c.from}
		if l.FollowAlias(&r); r.Sym != c.to {
			t.Errorf("from %d to %d, want %d", c.from, r.Sym, c.to)
		}
	}
	l.Secs[text].Fun = model.Absent
	r := model.Reloc{Sym: l.Funs[1].Sym}
	if l.FollowAlias(&r); r.Sym != l.Funs[1].Sym {
		t.Error("the code is nobody's")
	}
	l.Syms[l.Funs[1].Sym].Index = 9
	if l.SymIndex(l.Funs[1].Sym) != 9 || l.SymIndex(model.Absent) != 0 {
		t.Error("numbers in the image")
	}
}

// Records of debug data of a definition that was replaced, up to the last such input.
func TestIsLostDebug(t *testing.T) {
	for _, first := range []cuda.SectionType{cuda.SHTRel, cuda.SHTRela} {
		l := empty()
		frame, data := l.section(".debug_frame", cuda.SHTProgbits), l.section(".debug_info", cuda.SHTProgbits)
		in := l.NewRelocSection(l.Names.ID(".r"), first, 0, frame)
		other := l.NewRelocSection(l.Names.ID(".s"), cuda.SHTRela, 0, data)
		l.LostDebug = map[model.SymID]int32{3: 1}
		for _, c := range []struct {
			in   model.SecID
			r    model.Reloc
			want bool
		}{
			{in, model.Reloc{Sym: 3, File: 1}, true}, {in, model.Reloc{Sym: 3, File: 0}, true}, {in, model.Reloc{Sym: 3, File: 2}, false}, {in, model.Reloc{Sym: 2}, false},
			{other, model.Reloc{Sym: 3}, false}, {in, model.Reloc{Sym: 3, Rel: true}, first == cuda.SHTRela},
		} {
			if got := l.IsLostDebug(c.in, &c.r); got != c.want {
				t.Errorf("%+v, the first section of type %d: %v", c.r, first, got)
			}
		}
	}
}

// What a record that is applied resolves to, by what its symbol is.
func TestValue(t *testing.T) {
	none := model.BankOf(cuda.SHTNull)
	const unplaced = model.Unplaced
	bank := model.BankOf
	type values struct {
		symbol, size uint64
		bank         uint32
	}
	final, partial := "", "-r"
	for _, c := range []struct {
		what, link string
		s          model.Symbol
		in         cuda.SectionType // 0 for none
		typ        uint32
		anyType    bool
		want       values
	}{
		{"a constant", final, model.Symbol{Info: object, Other: cuda.STOConstant, Value: 8, Flags: model.SymDefined}, cuda.SHTCudaConstant0 + 3, 0, false, values{8, 0, 3}},
		{"a variable", final, model.Symbol{Info: object, Other: cuda.STOGlobal, Value: 8, Flags: model.SymDefined}, cuda.SHTCudaGlobal, 0, false, values{8, 0, bank(cuda.SHTCudaGlobal)}},
		{"a variable that nothing defines", final, model.Symbol{Info: object, Other: cuda.STOGlobal, Value: 8}, 0, 0, false, values{8, 0, none}},
		{"a section", final, model.Symbol{Info: uint8(cuda.STTSection), Value: 8}, cuda.SHTProgbits, 0, false, values{100, 0, bank(cuda.SHTProgbits)}},
		{"an image", final, model.Symbol{Info: texture, Value: 8}, 0, cuda.R_CUDA_32, false, values{0, 0, none}},
		{"an image by a slot", final, model.Symbol{Info: texture, Value: 8}, 0, cuda.R_CUDA_TEX_BINDLESSOFF13_32, false, values{44, 0, 0}},
		{"an image by any type", final, model.Symbol{Info: texture, Value: 8}, 0, cuda.R_CUDA_32, true, values{44, 0, 0}},
		{"an image by the last type", final, model.Symbol{Info: texture, Value: 8}, 0, layout.PastMercury, true, values{44, 0, 0}},
		{"an image by a type behind the last", final, model.Symbol{Info: texture, Value: 8}, 0, layout.PastMercury + 1, true, values{0, 0, 0}},
		{"an image with -r", partial, model.Symbol{Info: texture, Value: 8}, 0, cuda.R_CUDA_TEX_BINDLESSOFF13_32, false, values{44, 0, none}},
		{"a shared variable", final, model.Symbol{Info: object, Other: cuda.STOShared, Value: 8, Size: 4, Flags: model.SymDefined | model.SymLaid}, cuda.SHTCudaShared, 0, false, values{8, 16, bank(cuda.SHTCudaShared)}},
		{"one without a place", final, model.Symbol{Info: object, Other: cuda.STOShared, Value: 8, Size: 4, Flags: model.SymDefined}, cuda.SHTCudaShared, 0, false, values{unplaced, 16, bank(cuda.SHTCudaShared)}},
		{"one with -r", partial, model.Symbol{Info: object, Other: cuda.STOShared, Value: 8, Size: 4, Flags: model.SymDefined}, cuda.SHTCudaShared, 0, false, values{8, 16, bank(cuda.SHTCudaShared)}},
		{"one of another object with -r", partial, model.Symbol{Info: object, Other: cuda.STOShared, Value: 8, Size: 4}, 0, 0, false, values{unplaced, 16, none}},
		{"a constant of another object with -r", partial, model.Symbol{Info: object, Other: cuda.STOConstant, Value: 8}, 0, 0, false, values{unplaced, 0, none}},
		{"dynamic memory", final, model.Symbol{Info: object, Other: cuda.STOShared, Value: 8}, 0, 0, false, values{unplaced, layout.DynamicAlign, none}},
		{"dynamic memory with -r", partial, model.Symbol{Info: object, Other: cuda.STOShared, Value: 8}, 0, 0, false, values{8, 16, none}},
	} {
		l := empty()
		l.Opt.Relocatable, l.Release.Relocatable, l.Dialect.SlotsOfAnyType = c.link == partial, true, c.anyType
		c.s.Sec = model.Absent
		if c.in != 0 {
			c.s.Sec = l.section(".x", c.in)
		}
		text := l.section(".text.k", cuda.SHTProgbits)
		in := l.NewRelocSection(l.Names.ID(".rel.text.k"), cuda.SHTRel, 0, text)
		id := l.symbol("s", c.s)
		l.SlotOff[id] = 44
		if c.s.IsShared() {
			l.SharedAlign[id] = 16
		}
		r := model.Reloc{Off: 7, Addend: 5, Base: 100, Sym: id, Type: c.typ}
		got := l.Value(in, &r)
		want := descriptor.Values{Addend: 5, Place: 7, Symbol: c.want.symbol, Size: c.want.size, Bank: c.want.bank}
		if got != want {
			t.Errorf("%s: %+v, want %+v", c.what, got, want)
		}
	}
	l := empty()
	bank2 := l.section(".nv.constant2.f", cuda.SHTCudaConstant0+2)
	l.Secs[bank2].Moved, l.UnitOff[bank2], l.NullValue = true, 32, 6
	in := l.NewRelocSection(l.Names.ID(".rela"), cuda.SHTRela, 0, bank2)
	s := l.symbol("s", model.Symbol{Info: object, Sec: bank2, Value: 4, Flags: model.SymDefined})
	if got := l.Value(in, &model.Reloc{Sym: s}); got.Symbol != 36 || got.Bank != 2 || !got.Rela {
		t.Errorf("constants that were moved: %+v", got)
	}
	if got := l.Value(in, &model.Reloc{Sym: model.Absent}); got.Symbol != 6 || got.Bank != none {
		t.Errorf("of no symbol: %+v", got)
	}
}

// Which undefined references are told, and of whom.
func TestUndefined(t *testing.T) {
	const named = "nvlink error   : Undefined reference to '%s' in 'b.cubin'"
	for _, c := range []struct {
		name                   string
		s                      model.Symbol
		dead, used, allow, rel bool
		told                   bool
	}{
		{"v", model.Symbol{Info: object, Other: cuda.STOGlobal, Flags: model.SymGlobal}, false, false, false, false, true},
		{"v", model.Symbol{Info: object, Other: cuda.STOGlobal, Flags: model.SymGlobal}, false, false, false, true, false},
		{"v", model.Symbol{Info: object, Other: cuda.STOGlobal, Flags: model.SymGlobal}, false, false, true, false, false},
		{"c", model.Symbol{Info: object, Other: cuda.STOConstant, Flags: model.SymGlobal}, false, false, true, false, true},
		{"v", model.Symbol{Info: object, Other: cuda.STOGlobal}, false, false, false, false, false},
		{"v", model.Symbol{Info: object, Other: cuda.STOGlobal, Flags: model.SymGlobal | model.SymDefined}, false, false, false, false, false},
		{"v", model.Symbol{Info: object, Other: cuda.STOGlobal, Flags: model.SymGlobal | model.SymCommon}, false, false, false, false, false},
		{"v", model.Symbol{Info: object, Other: cuda.STOGlobal, Flags: model.SymGlobal | model.SymDead}, false, false, false, false, false},
		{"v", model.Symbol{Info: weak, Other: cuda.STOGlobal, Flags: model.SymGlobal}, false, false, false, false, false},
		{"t", model.Symbol{Info: texture, Flags: model.SymGlobal}, false, false, false, false, false},
		{"s", model.Symbol{Info: object, Other: cuda.STOShared, Flags: model.SymGlobal}, false, false, false, false, false},
		{"s", model.Symbol{Info: object, Other: cuda.STOShared, Size: 4, Flags: model.SymGlobal}, false, false, false, false, true},
		{"s", model.Symbol{Info: object, Other: cuda.STOShared, Size: 4, Flags: model.SymGlobal | model.SymSized}, false, false, false, false, false},
		{"__UFT", model.Symbol{Info: object, Other: cuda.STOGlobal, Flags: model.SymGlobal}, false, false, false, false, false},
		{".nv.reservedSmem.cap", model.Symbol{Info: object, Other: cuda.STOReservedShared, Flags: model.SymGlobal}, false, false, false, false, false},
		{"f", model.Symbol{Info: code, Flags: model.SymGlobal}, false, false, false, false, true},
		{"f", model.Symbol{Info: code, Flags: model.SymGlobal}, true, false, false, false, false},
		{"f", model.Symbol{Info: code, Flags: model.SymGlobal}, true, true, false, false, true},
		{"malloc", model.Symbol{Info: code, Flags: model.SymGlobal}, false, false, false, false, false},
		{"", model.Symbol{Info: code, Flags: model.SymGlobal | model.SymNameless}, false, false, false, false, false},
	} {
		l := empty()
		l.Opt.AllowUndefined, l.Opt.Relocatable, l.Release.Relocatable = c.allow, c.rel, true
		c.s.File, c.s.Sec = 1, model.Absent
		id := l.symbol(c.name, c.s)
		l.Funs = []model.Function{{Sym: id, Live: !c.dead}}
		in := l.NewRelocSection(l.Names.ID(".rela"), cuda.SHTRela, 0, l.section(".text.k", cuda.SHTProgbits))
		l.Parts[in].Relocs = []model.Reloc{{Sym: model.Absent}}
		if c.used {
			l.Parts[in].Relocs = append(l.Parts[in].Relocs, model.Reloc{Sym: id})
		}
		l.checkUndefined()
		var want []diag.Diagnostic
		if c.told {
			want = []diag.Diagnostic{{Severity: diag.Error, Kind: diag.Undefined, Symbol: c.name, File: "b.cubin", Text: strings.TrimPrefix(fmt.Sprintf(named, c.name), "nvlink error   : ")}}
		}
		if !slices.Equal(l.Diags, want) {
			t.Errorf("%q %+v: %v, want %v", c.name, c.s, l.Diags, want)
		}
	}
}

// rules refuse what they are told to.
type rules struct{ decide, apply, keep map[uint64]error }

func (r *rules) Decider() func(model.SecID) (int, bool) { return nil }
func (r *rules) Decide(_ model.SecID, rec *model.Reloc) error {
	rec.Disposition = model.Kept
	return r.decide[rec.Off]
}
func (r *rules) CheckApply(_ model.SecID, rec *model.Reloc) error { return r.apply[rec.Off] }
func (r *rules) CheckKept(_ model.SecID, rec *model.Reloc) error  { return r.keep[rec.Off] }

// Of refusals the one is told that nvlink comes to first: what can't be applied, the last of a section; then what can't be
// kept, the first.
func TestRefusals(t *testing.T) {
	at := func(offs ...uint64) map[uint64]error {
		m := map[uint64]error{}
		for _, o := range offs {
			m[o] = fmt.Errorf("at %d", o)
		}
		return m
	}
	for _, c := range []struct {
		r    rules
		want string
	}{
		{rules{}, ""}, {rules{apply: at(0, 1, 2, 3)}, "at 1"}, {rules{keep: at(0, 1, 2, 3)}, "at 0"}, {rules{apply: at(2), keep: at(0)}, "at 2"}, {rules{keep: at(3, 2)}, "at 2"},
		{rules{decide: at(2), apply: at(0)}, "at 2"},
	} {
		l := empty()
		for s := range 2 {
			in := l.NewRelocSection(l.Names.ID(".rel"), cuda.SHTRel, 0, l.section(".x", cuda.SHTCudaGlobal))
			for i := range 2 {
				l.Parts[in].Relocs = append(l.Parts[in].Relocs, model.Reloc{Off: uint64(2*s + i), Sym: model.Absent})
			}
		}
		err := l.DecideAll(&c.r)
		if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && got != c.want {
			t.Errorf("%+v: %v, want %q", c.r, err, c.want)
		}
		if err == nil {
			for i := range l.Secs {
				if s := &l.Secs[i]; s.Target != model.Absent && s.Size != 2*16 {
					t.Errorf("a section of %d bytes for two records", s.Size)
				}
			}
		}
	}
	// Fitting records are asked nothing.
	l := empty()
	in := l.NewRelocSection(l.Names.ID(".rel"), cuda.SHTRel, 0, l.section(".x", cuda.SHTCudaGlobal))
	l.Parts[in].Relocs = []model.Reloc{{Sym: model.Absent, Fits: true}}
	if err := l.DecideAll(&rules{apply: at(0)}); err != nil {
		t.Error(err)
	}
	l.Secs[in].Type = cuda.SHTCudaResolvedRela
	l.Secs[in].Size = 5
	if l.setKept(in, 2); l.Secs[in].Size != 5 {
		t.Error("resolved records are counted")
	}
}

// What would be at the address of no place is an internal error of nvlink.
func TestCheckPlaced(t *testing.T) {
	for i, c := range []struct {
		s       model.Symbol
		deleted bool
		refused bool
	}{
		{model.Symbol{Value: model.Unplaced, Flags: model.SymDefined}, false, true}, {model.Symbol{Value: model.Unplaced, Flags: model.SymDefined}, true, false},
		{model.Symbol{Value: 5, Flags: model.SymDefined}, false, false}, {model.Symbol{Value: model.Unplaced}, false, false},
		{model.Symbol{Value: model.Unplaced, Flags: model.SymDefined | model.SymDead}, false, false},
		{model.Symbol{Value: model.Unplaced, Flags: model.SymDefined, Info: object, Other: cuda.STOShared}, false, false},
	} {
		l := empty()
		c.s.Sec, c.s.File = l.section(".x", cuda.SHTCudaGlobal), 1
		l.Secs[c.s.Sec].Deleted = c.deleted
		l.symbol("s", c.s)
		var refused *diag.LinkError
		err := l.checkPlaced()
		if errors.As(err, &refused) != c.refused || c.refused && refused.Diags[0].File != "b.cubin" {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// Warnings name the input, the section, the symbol and the place.
func TestWarnings(t *testing.T) {
	l := empty()
	text, data, gone := l.section(".text.k", cuda.SHTProgbits), l.section(".nv.global.init", cuda.SHTCudaGlobalInit), l.section(".text.dead", cuda.SHTProgbits)
	l.Secs[gone].Deleted = true
	f := l.symbol("f", model.Symbol{Info: code, Flags: model.SymDead})
	g := l.symbol("g", model.Symbol{Info: code})
	c := l.symbol("c", model.Symbol{Info: object, Other: cuda.STOConstant, Sec: model.Absent})
	s := l.symbol("s", model.Symbol{Info: object, Other: cuda.STOShared, Size: 4, Sec: model.Absent})
	for i, target := range []model.SecID{text, data, gone, text, data} {
		in := l.NewRelocSection(l.Names.ID(".rela"), cuda.SHTRela, 0, target)
		l.Secs[in].Deleted = i > 2
		l.Parts[in].Relocs = []model.Reloc{
			{Off: 8, Sym: f, File: 1}, {Off: 16, Sym: f, File: 1}, {Off: 24, Sym: g}, {Off: 32, Sym: f, Disposition: model.Kept}, {Off: 40, Sym: model.Absent},
			{Off: 48, Sym: c, Disposition: model.Applied, File: 1}, {Off: 56, Sym: c, Disposition: model.Applied, File: 1}, {Off: 64, Sym: s, Disposition: model.Applied}, {Off: 72, Sym: c, Disposition: model.Kept},
			{Off: 80, Sym: model.Absent, Type: cuda.R_CUDA_YIELD_OPCODE9_0}, {Off: 88, Sym: model.Absent, Type: cuda.R_CUDA_YIELD_OPCODE9_0, Disposition: model.Applied, File: 1},
			{Off: 96, Sym: model.Absent, Type: cuda.R_CUDA_YIELD_OPCODE9_0, Disposition: model.Applied},
		}
	}
	w := func(kind diag.Kind, file, section, symbol string, off, value uint64, text string) diag.Diagnostic {
		return diag.Diagnostic{Severity: diag.Warning, Kind: kind, File: file, Section: section, Symbol: symbol, Offset: off, Value: value, Text: text}
	}
	check := func(what string, ask func(), want ...diag.Diagnostic) {
		t.Helper()
		l.Diags = nil
		if ask(); !slices.Equal(l.Diags, want) {
			t.Errorf("%s:\n%+v, want\n%+v", what, l.Diags, want)
		}
	}
	check("pointers", func() { l.findNullPointers(); l.WarnNullPointers() },
		w(diag.NullPointer, "b.cubin", ".nv.global.init", "f", 0, 0, "Pointer to 'f' in .nv.global.init of 'b.cubin' is zero, because another input defines 'f' too, as with nvlink 13.0"))
	check("constants of a final link", l.warnLostConstants)
	l.Opt.Relocatable, l.Release.Relocatable = true, true
	lost := func(what, symbol, section, file string, off uint64) diag.Diagnostic {
		return w(diag.LostConstant, file, section, symbol, off, 0, what+" '"+symbol+"' in "+section+" of '"+file+"' is lost, because another object defines it, as with -r of nvlink 13.0: link both in one step")
	}
	check("constants", l.warnLostConstants, lost("Constant", "c", ".text.k", "b.cubin", 48), lost("Shared variable", "s", ".text.k", "a.cubin", 64),
		lost("Constant", "c", ".nv.global.init", "b.cubin", 48), lost("Shared variable", "s", ".nv.global.init", "a.cubin", 64))
	l.Secs[text].Flags = 0
	check("constants of what isn't loaded", l.warnLostConstants, lost("Constant", "c", ".nv.global.init", "b.cubin", 48), lost("Shared variable", "s", ".nv.global.init", "a.cubin", 64))
	check("operations by a value of 0", l.warnYields)
	l.NullValue = 12
	yield := func(section string) diag.Diagnostic {
		return w(diag.Displaced, "b.cubin", section, "", 88, 12, "YIELD in "+section+" of 'b.cubin' becomes another operation, as with nvlink 13.0, because a function with a jump table is defined twice")
	}
	check("operations", l.warnYields, yield(".text.k"), yield(".nv.global.init"))

	err := l.RelocFault(text, &model.Reloc{Off: 8, Sym: f, File: 1, Type: 57}, "unexpected reloc")
	var refused *diag.LinkError
	want := diag.Diagnostic{Severity: diag.Fatal, Kind: diag.Internal, File: "b.cubin", Section: ".text.k", Symbol: "f", Offset: 8, Value: 57, Text: "Internal error: unexpected reloc"}
	if !errors.As(err, &refused) || refused.Exit != 1 || len(refused.Diags) != 1 || refused.Diags[0] != want {
		t.Errorf("%+v", err)
	}
	for typ := range uint32(cuda.RelocCount) {
		if IsYield(typ) != (typ == cuda.R_CUDA_YIELD_OPCODE9_0 || typ == cuda.R_CUDA_YIELD_CLEAR_PRED4_87) {
			t.Errorf("type %d", typ)
		}
	}
}
