package link_test

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/oracletest"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// TestFacts: which attribute of an output is what the inputs ask for.
func TestFacts(t *testing.T) {
	number := func(format cuda.InfoFormat, attr cuda.InfoAttr, rest string) link.Fact {
		return link.Fact{Format: format, Attr: attr, Rest: rest}
	}
	names := func(list string) link.Fact {
		return link.Fact{Format: cuda.FormatSized, Attr: cuda.AttrExterns, About: list}
	}
	stack := func(rest string) link.Fact { return number(cuda.FormatSized, cuda.AttrMinStackSize, rest) }
	least := func(f link.Fact) link.Fact { f.Least = true; return f }
	also := func(f link.Fact, list ...string) link.Fact { f.Also = list; return f }
	most := func(f link.Fact, n uint64) link.Fact { f.Most = n; return f }
	anything := func(f link.Fact) link.Fact { f.Anything = true; return f }
	for i, x := range []struct {
		want, got link.Fact
		is        bool
	}{
		{stack("\x10\x00\x00\x00"), stack("\x10\x00\x00\x00"), true},
		{stack("\x10\x00\x00\x00"), stack("\x18\x00\x00\x00"), false},
		{stack("\x10\x00\x00\x00"), number(cuda.FormatHalf, cuda.AttrMinStackSize, "\x10\x00\x00\x00"), false},
		{least(stack("\x10\x00\x00\x00")), stack("\x18\x00\x00\x00"), true},
		{least(stack("\x10\x00\x00\x00")), stack("\x10\x00\x00\x00"), true},
		{least(stack("\x10\x00\x00\x00")), stack("\x0f\x00\x00\x00"), false},
		{least(stack("\x10\x00\x00\x00")), stack("\x18\x00"), false},
		{least(stack("\xff\x00\x00\x00")), stack("\x00\x01\x00\x00"), true}, // as numbers, the lowest byte first
		{also(stack("\x10\x00\x00\x00"), "\x20\x00\x00\x00"), stack("\x20\x00\x00\x00"), true},
		{also(stack("\x10\x00\x00\x00"), "\x20\x00\x00\x00"), stack("\x18\x00\x00\x00"), false},
		{also(least(stack("\x10\x00\x00\x00")), "\x00\x00\x00\x00"), stack("\x00\x00\x00\x00"), true},
		{most(least(stack("\x10\x00\x00\x00")), 0x20), stack("\x20\x00\x00\x00"), true},
		{most(least(stack("\x10\x00\x00\x00")), 0x20), stack("\x21\x00\x00\x00"), false},
		{anything(stack("\x10\x00\x00\x00")), stack(""), true},
		{most(anything(stack("")), 1), stack("\x02\x00\x00\x00"), false},
		{names("f g"), names("f g"), true},
		{names("f g"), names("f"), false},
		{least(names("f")), names("f g"), true},
		{least(names("f g")), names("f h"), false},
		{least(names("f")), names("ff"), false},
		{also(names("f g"), "f"), names("f"), true},
		{number(cuda.FormatSized, cuda.AttrAtEntryFragements, "\x01\x00\x00\x00\x02\x00\x00\x00"), number(cuda.FormatSized, cuda.AttrAtEntryFragements, "\x02\x00\x00\x00\x01\x00\x00\x00"), true}, // a set of words
		{number(cuda.FormatSized, cuda.AttrAtEntryFragements, "\x01\x00\x00\x00\x02\x00\x00\x00"), number(cuda.FormatSized, cuda.AttrAtEntryFragements, "\x02\x00\x00\x00\x02\x00\x00\x00"), false},
		{stack("\x01\x00\x00\x00\x02\x00\x00\x00"), stack("\x02\x00\x00\x00\x01\x00\x00\x00"), false},
	} {
		if x.want.Is(x.got) != x.is {
			t.Errorf("%d: %+v is %+v: %t", i, x.want, x.got, !x.is)
		}
	}
	for i, x := range []struct {
		want, got  link.Fact
		says, told string
	}{
		{stack("\x10\x00\x00\x00"), stack("\x18\x00\x00\x00"), "10000000", "18000000"},
		{names("f g h"), names("f i"), "g h", "i"},
		{names("f"), names("f f"), "f", "f f"},
	} {
		if says, told := x.want.Apart(x.got); says != x.says || told != x.told {
			t.Errorf("%d: %q and %q", i, says, told)
		}
	}
}

// TestOrderOfReferences: by name, then by which was mentioned first; sections have the names of theirs.
func TestOrderOfReferences(t *testing.T) {
	f, later, g := &link.Identity{Name: "f", Order: 1}, &link.Identity{Name: "f", Order: 2}, &link.Identity{Name: "g"}
	area := &link.Area{Name: ".text.f"}
	for i, x := range []struct {
		a, b   link.Ref
		before bool
	}{
		{link.Ref{ID: f}, link.Ref{ID: later}, true}, {link.Ref{ID: later}, link.Ref{ID: f}, false}, {link.Ref{ID: later}, link.Ref{ID: g}, true}, {link.Ref{ID: g}, link.Ref{ID: f}, false},
		{link.Ref{Area: area}, link.Ref{ID: f}, true}, {link.Ref{ID: f}, link.Ref{ID: f}, false}, {link.Ref{}, link.Ref{}, false},
	} {
		if x.a.Before(x.b) != x.before {
			t.Errorf("%d: %s before %s: %t", i, x.a, x.b, !x.before)
		}
	}
	if got := (link.Ref{}).String() + (link.Ref{Area: area}).String() + (link.Ref{ID: f, Area: area}).String(); got != "no symbol.text.ff" {
		t.Error(got)
	}
}

// TestAttributesOfCode: the first of an attribute counts, and a function's registers in .nv.info are those that its code's
// header has, up to sm_89.
func TestAttributesOfCode(t *testing.T) {
	counted := 0
	for _, l := range oracletest.Links(t)[:60] {
		c := read(t, &l, image.SassSide, nil)
		for _, m := range c.Modules {
			for _, b := range m.Bodies {
				if _, ok := b.ModuleFact(cuda.AttrRegcount); ok {
					t.Errorf("%s: %s is nobody's code and has registers", l.Name, b.Section.Name)
				}
				s := &m.Symbols[link.SymbolOf(b.Section.Info)]
				b.Owner = &link.Identity{Name: s.Name, Code: b}
				b.Names = []*link.Identity{b.Owner}
				m.Refs[s.Index] = link.Ref{ID: b.Owner}
			}
			for _, b := range m.Bodies {
				seen := map[cuda.InfoAttr]bool{}
				for _, a := range b.Attributes() {
					if value, ok := b.Attribute(a.Attr); !ok || !seen[a.Attr] && string(value) != string(a.Value) {
						t.Errorf("%s: %s: %d is %x, the first is %x", l.Name, b.Section.Name, a.Attr, value, a.Value)
					}
					seen[a.Attr] = true
				}
				if _, ok := b.Attribute(250); ok {
					t.Errorf("%s: an attribute that nobody wrote", l.Name)
				}
				n, ok := b.ModuleFact(cuda.AttrRegcount)
				if head := link.RegistersOf(b.Section.Info); head != 0 {
					if counted++; !ok || n != head {
						t.Errorf("%s: %s has %d registers, %d by its header", l.Name, b.Section.Name, n, head)
					}
				}
				if b.InfoSection() != ".nv.info."+b.Owner.Name || b.First() != b.Owner.Defined {
					t.Errorf("%s: %s", l.Name, b.InfoSection())
				}
			}
		}
	}
	if counted < 30 {
		t.Errorf("only %d functions", counted)
	}
}
