package link_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// TestKeep: a record that must stay names its symbol, which is there for that; one that may go doesn't.
func TestKeep(t *testing.T) {
	for _, x := range []struct{ optional, dead, named bool }{{false, false, true}, {true, false, false}, {false, true, false}, {true, true, false}} {
		a, id := &link.Area{}, &link.Identity{}
		a.Keep(link.Kept{Ref: link.Ref{ID: id}, Optional: x.optional, Dead: x.dead})
		a.Keep(link.Kept{})
		if id.Named != x.named || len(a.Kept) != 2 {
			t.Errorf("%+v: named: %t, %d records", x, id.Named, len(a.Kept))
		}
	}
}

// TestKeepsFlags: of an older object's barriers in the flags of code what -r leaves there.
func TestKeepsFlags(t *testing.T) {
	const two, three = 2 << cuda.SHFBarrierShift, 3 << cuda.SHFBarrierShift
	area := func(flags, out cuda.SectionFlags) *link.Area {
		return &link.Area{Flags: flags | cuda.SHFExec, Out: &image.Section{Flags: out | cuda.SHFAlloc}}
	}
	for i, x := range []struct {
		relocatable bool
		area        *link.Area
		keeps       bool
	}{
		{true, area(two, two), true}, {false, area(two, two), false}, {true, area(two, three), false}, {true, area(two, 0), false}, {true, area(0, 0), false},
		{true, nil, false}, {true, &link.Area{Flags: two}, false},
	} {
		if c := (&link.Link{Relocatable: x.relocatable}); c.KeepsFlags(x.area) != x.keeps {
			t.Errorf("%d: keeps: %t", i, !x.keeps)
		}
	}
}

// TestOutputQuestions asks an output of two symbols.
func TestOutputQuestions(t *testing.T) {
	f := &link.Identity{Name: "f", Out: 1}
	c := &link.Link{Out: &link.Output{Image: &image.Image{Symbols: make([]image.Symbol, 2), Sections: []image.Section{{Name: "a"}, {Name: "b"}, {Name: "b"}}}, Refs: []link.Ref{{}, {ID: f}},
		Lists: []link.Relocs{{}, {List: []image.Record{{Symbol: 3}, {Symbol: 5}}}}}}
	if c.SymbolOf(f) != &c.Out.Symbols[1] || c.SymbolOf(&link.Identity{}) != nil {
		t.Error("the symbol of a name")
	}
	if c.OutRef(1).ID != f || c.OutRef(2) != (link.Ref{}) || c.OutRef(0) != (link.Ref{}) {
		t.Error("what a symbol stands for")
	}
	if !c.Out.Recorded(5) || !c.Out.Recorded(3) || c.Out.Recorded(4) {
		t.Error("which symbols records name")
	}
	if c.Out.Lookup("b") != &c.Out.Sections[1] || c.Out.Lookup("c") != nil {
		t.Error("a section by its name")
	}
}

// TestUnreadable: tables of an output that can't be read are a finding; that the budget ended isn't.
func TestUnreadable(t *testing.T) {
	c := link.New(1, verdict.Options{})
	if err := c.Unreadable(&verdict.Refusal{Kind: verdict.BadRecords, File: "out", Section: ".rela", Offset: 7}); err != nil {
		t.Error(err)
	}
	if list := c.Verdict.Findings; len(list) != 1 || list[0].Kind != verdict.Unreadable || list[0].Section != ".rela" || list[0].Offset != 7 || list[0].File != "out" {
		t.Error(list)
	}
	other := errors.New("other")
	for _, err := range []error{&verdict.Refusal{Kind: verdict.TooMuch}, other} {
		if c.Unreadable(err) != err || c.Verdict.Total != 1 {
			t.Error("not an output's fault:", err)
		}
	}
}

// TestLdcBehind follows a register from the word that writes it to an LDC of bank 0.
func TestLdcBehind(t *testing.T) {
	word := func(low uint64) []byte { return append(binary.LittleEndian.AppendUint64(nil, low), make([]byte, 8)...) }
	const register = 9
	number := func(to uint64) []byte { return word(0x7802 | to<<16) }
	ldc := func(from, bank uint64) []byte { return word(0x7b82 | 4<<16 | from<<24 | bank<<54) }
	nop := word(0x7918)
	many := func(n int) (list [][]byte) {
		for range n {
			list = append(list, nop)
		}
		return list
	}
	for i, x := range []struct {
		words [][]byte
		at    uint64 // 0: none
	}{
		{[][]byte{number(register), ldc(register, 0)}, 16},
		{[][]byte{number(register), nop, ldc(register, 0)}, 32},
		{[][]byte{number(register), number(8), ldc(register, 0)}, 32},
		{[][]byte{number(register), number(register), ldc(register, 0)}, 0}, // written anew
		{[][]byte{number(register), ldc(register, 3)}, 0},
		{[][]byte{number(register), ldc(8, 0)}, 0},
		{[][]byte{number(register), word(0x7947), ldc(register, 0)}, 0}, // a branch
		{[][]byte{number(register), nop}, 0},
		{append(append([][]byte{number(register)}, many(30)...), ldc(register, 0)), 31 * 16},
		{append(append([][]byte{number(register)}, many(31)...), ldc(register, 0)), 0},
		{nil, 0},
	} {
		b := &link.Body{Section: &image.Section{}}
		for _, w := range x.words {
			b.Section.Body = append(b.Section.Body, w...)
		}
		if at, ok := b.LdcBehind(0); at != x.at || ok != (x.at > 0) {
			t.Errorf("%d: 0x%x %t", i, at, ok)
		}
	}
}
