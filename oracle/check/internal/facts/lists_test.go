package facts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

func checkOf(release oracle.Release) *check {
	return &check{apply.New(&link.Link{Release: release, Budget: image.NewBudget(1 << 20), Out: &link.Output{Image: &image.Image{}}})}
}

// said are the findings in words.
func said(c *check) string {
	var list []string
	for _, f := range c.Verdict.Findings {
		list = append(list, fmt.Sprintf("%s %s %s/%s", f.Kind, strings.TrimPrefix(f.Detail, "EIATTR_"), f.Want, f.Got))
	}
	return strings.Join(list, "; ")
}

func half(attr cuda.InfoAttr, n uint64) link.Fact {
	return link.Fact{Format: cuda.FormatHalf, Attr: attr, Rest: halfOf(n)}
}

func about(attr cuda.InfoAttr, id *link.Identity, n uint32) link.Fact {
	return link.Fact{Format: cuda.FormatSized, Attr: attr, Key: link.Ref{ID: id}, Rest: sass.BytesOf(n)}
}

func names(list string, also ...string) link.Fact {
	return link.Fact{Format: cuda.FormatSized, Attr: cuda.AttrExterns, About: list, Also: also}
}

func with(f link.Fact, change func(f *link.Fact)) link.Fact { change(&f); return f }

var (
	optional = func(f *link.Fact) { f.Optional = true }
	least    = func(f *link.Fact) { f.Least = true }
	anything = func(f *link.Fact) { f.Anything = true }
)

// TestCompareList holds lists of attributes against each other.
func TestCompareList(t *testing.T) {
	f, g := &link.Identity{Name: "f", Order: 1}, &link.Identity{Name: "g", Order: 2}
	second := &link.Identity{Name: "f", Order: 3}
	a, b := half(cuda.AttrNumMbarriers, 3), half(cuda.AttrSparseMmaMask, 1)
	type facts = []link.Fact
	for i, x := range []struct {
		release   oracle.Release
		want, got facts
		said      string
	}{
		{130, facts{a, b}, facts{a, b}, ""},
		{130, facts{a, b}, facts{b, a}, ""},
		{130, facts{b, a}, facts{a, b}, ""},
		{130, facts{a, b}, facts{a}, "fact.missing SPARSE_MMA_MASK 0100/"},
		{130, facts{a, b}, facts{b}, "fact.missing NUM_MBARRIERS 0300/"},
		{130, facts{a}, facts{a, b}, "fact.stray SPARSE_MMA_MASK /0100"},
		{130, facts{b}, facts{a, b}, "fact.stray NUM_MBARRIERS /0300"},
		{130, facts{a, a}, facts{a}, "fact.missing NUM_MBARRIERS 0300/"},
		{130, facts{a}, facts{a, a}, "fact.stray NUM_MBARRIERS /0300"},
		{130, facts{a}, facts{half(cuda.AttrNumMbarriers, 4)}, "fact.value NUM_MBARRIERS 0300/0400"},
		{130, nil, nil, ""},
		{130, facts{a}, facts{b}, "fact.missing NUM_MBARRIERS 0300/; fact.stray SPARSE_MMA_MASK /0100"},
		{130, facts{b}, facts{a}, "fact.stray NUM_MBARRIERS /0300; fact.missing SPARSE_MMA_MASK 0100/"},

		// What may be missing, larger or anything.
		{130, facts{with(a, optional), b}, facts{b}, ""},
		{130, facts{a, with(b, optional)}, facts{a}, ""},
		{130, facts{with(a, optional)}, facts{half(cuda.AttrNumMbarriers, 4)}, "fact.value NUM_MBARRIERS 0300/0400"},
		{130, facts{with(a, least)}, facts{half(cuda.AttrNumMbarriers, 4)}, ""},
		{130, facts{with(a, least)}, facts{half(cuda.AttrNumMbarriers, 0x103)}, ""},
		{130, facts{with(a, least)}, facts{half(cuda.AttrNumMbarriers, 3)}, ""},
		{130, facts{with(a, least)}, facts{half(cuda.AttrNumMbarriers, 2)}, "fact.value NUM_MBARRIERS 0300/0200"},
		{130, facts{with(a, func(f *link.Fact) { f.Least, f.Also = true, []string{halfOf(2)} })}, facts{half(cuda.AttrNumMbarriers, 2)}, ""},
		{130, facts{with(a, func(f *link.Fact) { f.Also = []string{halfOf(2)} })}, facts{half(cuda.AttrNumMbarriers, 2)}, ""},
		{130, facts{with(a, func(f *link.Fact) { f.Also = []string{halfOf(2)} })}, facts{half(cuda.AttrNumMbarriers, 1)}, "fact.value NUM_MBARRIERS 0300/0100"},
		{130, facts{with(a, anything)}, facts{half(cuda.AttrNumMbarriers, 9)}, ""},
		{130, facts{with(a, anything)}, nil, "fact.missing NUM_MBARRIERS 0300/"},
		{130, facts{a}, facts{with(a, func(f *link.Fact) { f.Format = cuda.FormatByte })}, "fact.value NUM_MBARRIERS 0300/0300"},
		{130, facts{with(a, least)}, facts{with(a, func(f *link.Fact) { f.Rest = "\x03\x00\x00\x00" })}, "fact.value NUM_MBARRIERS 0300/03000000"},

		// About functions: by name, then by which of a name was mentioned first.
		{130, facts{about(cuda.AttrRegcount, f, 8), about(cuda.AttrRegcount, g, 9)}, facts{about(cuda.AttrRegcount, g, 9), about(cuda.AttrRegcount, f, 8)}, ""},
		{130, facts{about(cuda.AttrRegcount, f, 8), about(cuda.AttrRegcount, g, 9)}, facts{about(cuda.AttrRegcount, g, 9)}, "fact.missing REGCOUNT 08000000/"},
		{130, facts{about(cuda.AttrRegcount, f, 8), about(cuda.AttrRegcount, g, 9)}, facts{about(cuda.AttrRegcount, f, 8)}, "fact.missing REGCOUNT 09000000/"},
		{130, facts{about(cuda.AttrRegcount, g, 9)}, facts{about(cuda.AttrRegcount, f, 8), about(cuda.AttrRegcount, g, 9)}, "fact.stray REGCOUNT /08000000"},
		{130, facts{with(about(cuda.AttrRegcount, f, 8), optional), about(cuda.AttrRegcount, g, 9)}, facts{about(cuda.AttrRegcount, g, 9)}, ""},
		{130, facts{about(cuda.AttrRegcount, f, 8), about(cuda.AttrRegcount, second, 9)}, facts{about(cuda.AttrRegcount, second, 9), about(cuda.AttrRegcount, f, 8)}, ""},
		{130, facts{about(cuda.AttrRegcount, f, 8), about(cuda.AttrRegcount, second, 9)}, facts{about(cuda.AttrRegcount, second, 8), about(cuda.AttrRegcount, f, 9)}, "fact.value REGCOUNT 08000000/09000000; fact.value REGCOUNT 09000000/08000000"},
		{130, facts{about(cuda.AttrRegcount, f, 8)}, facts{about(cuda.AttrRegcount, f, 7)}, "fact.value REGCOUNT 08000000/07000000"},

		// Lists of names.
		{130, facts{names("f g")}, facts{names("f g")}, ""},
		{130, facts{names("f g")}, facts{names("f h")}, "fact.value EXTERNS g/h"},
		{130, facts{names("f g")}, facts{names("f")}, "fact.value EXTERNS g/"},
		{130, facts{names("f g")}, facts{names("f f g")}, "fact.value EXTERNS f g/f f g"},
		{130, facts{names("f g", "f")}, facts{names("f")}, ""},
		{130, facts{with(names("f"), least)}, facts{names("f g")}, ""},
		{130, facts{with(names("f g"), least)}, facts{names("f")}, "fact.value EXTERNS g/"},
		{130, facts{names("f")}, facts{names("f g")}, "fact.value EXTERNS /g"},

		// What later releases write of themselves.
		{130, nil, facts{half(107, 1)}, "fact.stray EIATTR 107 /0100"},
		{132, nil, facts{half(102, 1), half(103, 1), half(107, 1), half(109, 1)}, ""},
		{131, nil, facts{half(107, 1)}, ""},
		{132, nil, facts{half(108, 1)}, "fact.stray EIATTR 108 /0100"},
		{132, facts{half(107, 1)}, nil, ""}, // nvlink 13.2.51 and 13.2.78
		{133, facts{half(107, 1)}, nil, "fact.missing EIATTR 107 0100/"},
		{133, facts{about(107, g, 1)}, facts{about(107, f, 1)}, "fact.stray EIATTR 107 /01000000; fact.missing EIATTR 107 01000000/"},
		{132, facts{half(107, 1)}, facts{half(107, 2)}, "fact.value EIATTR 107 0100/0200"},
	} {
		c := checkOf(x.release)
		c.compareList(".nv.info", "", slices.Clone(x.want), slices.Clone(x.got))
		if got := said(c); got != x.said {
			t.Errorf("%d: %q, want %q", i, got, x.said)
		}
		if c.Verdict.Attributes != len(x.want) {
			t.Errorf("%d: %d attributes", i, c.Verdict.Attributes)
		}
	}
}

// TestGridLaunch: whether a kernel lets the dependent grid begin is not known where any code of the link does.
func TestGridLaunch(t *testing.T) {
	begins := make([]byte, 32)
	begins[16], begins[17] = 0x2d, 0x78
	for i, x := range []struct {
		body []byte
		code bool
		said string
	}{
		{begins, true, ""},
		{begins[:16], true, "fact.value EIATTR 109 0100/0000"},
		{begins, false, "fact.value EIATTR 109 0100/0000"},
		{begins[:31], true, "fact.value EIATTR 109 0100/0000"},
	} {
		c := checkOf(135)
		a := &link.Area{Out: &image.Section{Body: x.body}}
		if x.code {
			a.Owner = &link.Body{Area: a}
		}
		c.Areas = []*link.Area{{Owner: nil}, {Owner: &link.Body{}}, a}
		c.Areas[1].Owner.Area = c.Areas[1]
		c.compareList("", "", []link.Fact{half(gridLaunch, 1)}, []link.Fact{half(gridLaunch, 0)})
		if got := said(c); got != x.said {
			t.Errorf("%d: %q, want %q", i, got, x.said)
		}
	}
	c := checkOf(135)
	c.Areas = []*link.Area{{Owner: &link.Body{}, Out: &image.Section{Body: begins}}}
	c.Areas[0].Owner.Area = c.Areas[0]
	if c.compareList("", "", []link.Fact{half(cuda.AttrNumMbarriers, 1)}, []link.Fact{half(cuda.AttrNumMbarriers, 0)}); said(c) != "fact.value NUM_MBARRIERS 0100/0000" {
		t.Errorf("another attribute: %q", said(c))
	}
}

// TestInfoName: an attribute without a name has its number.
func TestInfoName(t *testing.T) {
	for attr, want := range map[cuda.InfoAttr]string{cuda.AttrRegcount: "EIATTR_REGCOUNT", 107: "EIATTR 107", 255: "EIATTR 255"} {
		if got := infoName(attr); got != want {
			t.Errorf("%d: %s", attr, got)
		}
	}
}

// TestKernelList makes a kernel's attributes of its own and of what it reaches.
func TestKernelList(t *testing.T) {
	attr := cuda.AttrNumMbarriers
	text := func(list []link.Fact) string {
		var words []string
		for _, f := range list {
			word := fmt.Sprintf("%d=%x", f.Attr, f.Rest)
			for _, also := range f.Also {
				word += fmt.Sprintf("|%x", also)
			}
			if f.Optional {
				word += "?"
			}
			if f.Least {
				word += "+"
			}
			if f.Anything {
				word += "*"
			}
			words = append(words, word)
		}
		return strings.Join(words, " ")
	}
	own := []link.Fact{half(attr, 1)}
	for i, x := range []struct {
		only bool
		own  []link.Fact
		make func(k *kernelFactList)
		want string
	}{
		{false, own, func(k *kernelFactList) { k.set(cuda.FormatHalf, attr, halfOf(2)) }, "56=0200"},
		{false, own, func(k *kernelFactList) { k.set(cuda.FormatHalf, attr, halfOf(2), "x") }, "56=0200|78"},
		{false, own, func(k *kernelFactList) { k.set(cuda.FormatHalf, cuda.AttrSparseMmaMask, halfOf(2)) }, "56=0100 80=0200"},

		// A count: the kernel's own need, or of an only kernel that of all code.
		{false, nil, func(k *kernelFactList) { k.count(cuda.FormatHalf, attr, 2, 5) }, "56=0200"},
		{false, nil, func(k *kernelFactList) { k.count(cuda.FormatHalf, attr, 0, 5) }, ""},
		{true, nil, func(k *kernelFactList) { k.count(cuda.FormatHalf, attr, 2, 2) }, "56=0200"},
		{true, nil, func(k *kernelFactList) { k.count(cuda.FormatHalf, attr, 0, 0) }, ""},
		{true, nil, func(k *kernelFactList) { k.count(cuda.FormatHalf, attr, 2, 5) }, "56=0200|0500"},
		{true, nil, func(k *kernelFactList) { k.count(cuda.FormatHalf, attr, 2, 5, "x") }, "56=0200|78|0500"},
		{true, nil, func(k *kernelFactList) { k.count(cuda.FormatHalf, attr, 0, 5) }, "56=0500?"},
		{true, own, func(k *kernelFactList) { k.count(cuda.FormatHalf, attr, 0, 5) }, "56=0000|0500"},

		// A flag.
		{false, nil, func(k *kernelFactList) { k.flag(attr, true, true) }, "56=0000"},
		{false, nil, func(k *kernelFactList) { k.flag(attr, false, true) }, ""},
		{true, nil, func(k *kernelFactList) { k.flag(attr, true, true) }, "56=0000"},
		{true, nil, func(k *kernelFactList) { k.flag(attr, false, true) }, "56=0000?"},
		{true, nil, func(k *kernelFactList) { k.flag(attr, false, false) }, ""},
	} {
		k := kernelFactList{list: slices.Clone(x.own), only: x.only}
		x.make(&k)
		if got := text(k.list); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}

	// Where calls aren't all known, numbers are the least, and what is missing may be there.
	k := kernelFactList{list: []link.Fact{half(attr, 1), half(cuda.AttrSparseMmaMask, 1), half(cuda.AttrRegcount, 1)}}
	k.atLeast(false)
	if got := text(k.list[:3]); got != "56=0100+ 80=0100+ 47=0100" {
		t.Errorf("%q", got)
	}
	if !k.has(cuda.AttrExterns) || !k.has(cuda.AttrCtaidzUsed) || len(k.list) != 3+10 {
		t.Errorf("%q", text(k.list))
	}
	for _, f := range k.list[3:] {
		if !f.Optional || !f.Anything {
			t.Errorf("attribute %d has to be there", f.Attr)
		}
	}
	k.list = nil
	if k.atLeast(true); k.has(cuda.AttrExterns) {
		t.Error("names that the kernel needs may be missing")
	}

	// Of a kernel that nobody asked for its own numbers are right as well.
	list := []link.Fact{half(attr, 3), half(cuda.AttrSparseMmaMask, 7), about(cuda.AttrNumBarriers, nil, 5), half(cuda.AttrCtaidzUsed, 0)}
	allowOwn(list, []link.Fact{half(attr, 1), half(cuda.AttrSparseMmaMask, 7), about(cuda.AttrNumBarriers, nil, 2)})
	if got := text(list); got != "56=0300|0100 80=0700 76=02000000|02000000+ 4=0000?" {
		t.Errorf("%q", got)
	}
	list = []link.Fact{half(attr, 3), half(cuda.AttrSparseMmaMask, 7)}
	if allowOwn(list, []link.Fact{half(attr, 3), half(cuda.AttrSparseMmaMask, 6)}); text(list) != "56=0300 80=0700|0600" {
		t.Errorf("%q", text(list))
	}
	list = []link.Fact{half(cuda.AttrNumBarriers, 5)}
	if allowOwn(list, nil); text(list) != "76=0000?+" {
		t.Errorf("%q", text(list))
	}
}

// TestFactOf brings attributes to the form in which two files can be compared.
func TestFactOf(t *testing.T) {
	f, g := &link.Identity{Name: "f"}, &link.Identity{Name: "g"}
	resolve := func(i uint32) link.Ref { return map[uint32]link.Ref{1: {ID: f}, 2: {ID: g}}[i] }
	in := &image.Image{Symbols: []image.Symbol{{}, {Name: "f"}, {Name: "g"}, {Name: "lost"}, {}}}
	for i, x := range []struct {
		attr        cuda.InfoAttr
		value       string
		key         *link.Identity
		about, rest string
	}{
		{cuda.AttrRegcount, "\x01\x00\x00\x00\x08\x00\x00\x00", f, "", "\x08\x00\x00\x00"},
		{cuda.AttrRegcount, "\x03\x00\x00\x00\x08\x00\x00\x00", nil, "symbol 3", "\x08\x00\x00\x00"},
		{cuda.AttrRegcount, "\x01\x00\x00", nil, "", "\x01\x00\x00"},
		{cuda.AttrRegcount, "\x01\x00\x00\x00", f, "", ""},
		{cuda.AttrExterns, "\x02\x00\x00\x00\x01\x00\x00\x00", nil, "f g", ""},
		{cuda.AttrExterns, "\x02\x00\x00\x00\x01\x00\x00", nil, "g", ""},
		{cuda.AttrExterns, "", nil, "", ""},
		{cuda.AttrExitInstrOffsets, "\x01\x00\x00\x00", nil, "", "\x01\x00\x00\x00"},
	} {
		got := factOf(in, image.Attribute{Format: cuda.FormatSized, Attr: x.attr, Value: []byte(x.value)}, resolve)
		if got.Key.ID != x.key || got.About != x.about || got.Rest != x.rest || got.Attr != x.attr || got.Format != cuda.FormatSized {
			t.Errorf("%d: %+v", i, got)
		}
	}
}

// TestCounterpartFacts: both sides say the same of registers, stack and barriers where more is known than needed.
func TestCounterpartFacts(t *testing.T) {
	k, local, fn := &link.Identity{Name: "k", Other: cuda.STOEntry, Info: byte(cuda.STTFunc)}, &link.Identity{Name: "s", Other: cuda.STOEntry, Info: byte(cuda.STTFunc), Local: true}, &link.Identity{Name: "f", Info: byte(cuda.STTFunc)}
	s := checkOf(130)
	s.Out.Side = image.SassSide
	s.noteFacts([]link.Fact{about(cuda.AttrRegcount, k, 9), about(cuda.AttrMinStackSize, k, 8), about(cuda.AttrFrameSize, k, 7), about(cuda.AttrRegcount, local, 6), about(cuda.AttrRegcount, fn, 5), half(cuda.AttrRegcount, 4)})
	if len(s.Said) != 2 || s.Said[link.CounterpartFact{Kernel: "k", Attr: cuda.AttrRegcount}] != sass.BytesOf(9) {
		t.Errorf("%v", s.Said)
	}
	w := checkOf(130)
	if w.noteFacts([]link.Fact{about(cuda.AttrRegcount, k, 9)}); w.Said != nil {
		t.Error("a file with one side has no other")
	}

	m := checkOf(130)
	m.Sass = s.Link
	f := with(about(cuda.AttrRegcount, k, 3), least)
	if got := m.asOtherSide(f); got.Rest != sass.BytesOf(9) || got.Least {
		t.Errorf("%+v", got)
	}
	for i, same := range []link.Fact{about(cuda.AttrRegcount, k, 3), with(about(cuda.AttrFrameSize, k, 3), least), with(half(cuda.AttrRegcount, 3), least), with(about(cuda.AttrRegcount, fn, 3), least)} {
		if got := m.asOtherSide(same); got.Rest != same.Rest || got.Least != same.Least {
			t.Errorf("%d: %+v", i, got)
		}
	}
	if got := w.asOtherSide(f); !got.Least {
		t.Errorf("%+v", got)
	}

	barriers := func(n uint64) []link.Fact { return []link.Fact{half(cuda.AttrNumBarriers, n)} }
	b := &link.Body{Owner: k}
	s.counterpartBarriers(b, barriers(1), barriers(4))
	m.Out.Side = image.MercurySide
	list := []link.Fact{with(half(cuda.AttrNumBarriers, 1), least), half(cuda.AttrNumMbarriers, 1)}
	if m.counterpartBarriers(b, list, nil); list[0].Rest != halfOf(4) || list[0].Least || list[1].Rest != halfOf(1) {
		t.Errorf("%+v", list)
	}
	for _, other := range []*link.Body{{}, {Owner: local}, {Owner: fn}} {
		list := barriers(1)
		if m.counterpartBarriers(other, list, nil); list[0].Rest != halfOf(1) {
			t.Errorf("%v: %+v", other.Owner, list)
		}
	}
	any := []link.Fact{with(half(cuda.AttrNumBarriers, 1), anything)}
	if m.counterpartBarriers(b, any, nil); any[0].Rest != halfOf(1) {
		t.Errorf("%+v", any)
	}
}

// TestIgnoreIndices: a parameter's number is nobody's, but where it is asked for.
func TestIgnoreIndices(t *testing.T) {
	for _, strict := range []bool{false, true} {
		c := checkOf(130)
		c.Options = verdict.Options{Strict: strict}
		list := []link.Fact{{Attr: cuda.AttrKparamInfo, About: "symbol 3"}, {Attr: cuda.AttrRegcount, About: "symbol 3"}}
		c.ignoreIndices(list)
		if (list[0].About == "") == strict || list[1].About == "" {
			t.Errorf("%v: %+v", strict, list)
		}
	}
}
