package finalizer

import (
	"strings"
	"testing"
)

// Each option in each of its spellings: known or not, with the next word or not, and what values it takes.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		word         string
		known, takes bool
	}{
		{"--opt-level", true, true}, {"-opt-level", true, true}, {"--opt-level=2", true, false}, {"opt-level", false, true}, {"opt-level=2", false, false},
		{"--self-check", true, false}, {"self-check", false, false}, {"--binary-kind", true, true}, {"--nosuch", false, false}, {"", false, false}, {"--", false, false},
	} {
		if known, takes := IsOption(c.word); known != c.known || takes != c.takes {
			t.Errorf("%q: %v %v, want %v %v", c.word, known, takes, c.known, c.takes)
		}
	}
	for _, c := range []struct {
		words string
		sound bool
	}{
		{"--opt-level 0", true}, {"--opt-level=3", true}, {"--opt-level=4", false}, {"--opt-level=-1", false}, {"--opt-level=x", false}, {"--opt-level", false}, {"--opt-level=", false},
		{"--opportunistic-finalization-lvl=0", true}, {"--opportunistic-finalization-lvl=4", true}, {"--opportunistic-finalization-lvl=5", false},
		{"--binary-kind sass --opt-level 1", true}, {"--binary-kind", false}, {"--binary-kind=", false}, {"--self-check=1", false}, {"--self-check", true},
		{"self-check", false}, {"--self-check out-sass", false}, {"--out-sass --self-check", true},
	} {
		o := DefaultOptions(100, Observed)
		if err := o.ParseOptions(strings.Fields(c.words)); (err == nil) != c.sound {
			t.Errorf("%s: %v, want sound %v", c.words, err, c.sound)
		}
	}
}

// What can be copied, and how a refusal is named, at each condition alone.
func TestEachCondition(t *testing.T) {
	x := Facts{SM: 100, Kind: Capmerc, Compat: true, Fastpath: 0x09}
	for _, c := range []struct {
		name   string
		change func(*Facts)
		want   bool
	}{
		{"as it is", func(*Facts) {}, true},
		{"SASS", func(x *Facts) { x.Kind = SASS }, false},
		{"no bit", func(x *Facts) { x.Fastpath = 0 }, false},
		{"another bit", func(x *Facts) { x.Fastpath = 0x01 }, false},
		{"SASS of the target", func(x *Facts) { x.SM, x.Kind, x.Fastpath = 103, SASS, 0 }, true},
	} {
		y := x
		if c.change(&y); Copyable(&y, 103) != c.want {
			t.Errorf("%s: copyable %v", c.name, !c.want)
		}
	}
	if Copyable(&x, 99) {
		t.Error("copyable for a target without a bit")
	}
	for _, c := range []struct {
		change func(*Facts)
		want   Code
	}{
		{func(x *Facts) { x.Compat = false }, NoCompat},
		{func(x *Facts) { x.SM, x.Compat = 90, false }, ArchMismatch},
	} {
		y := x
		y.ISA = 0x0101
		c.change(&y)
		if d := Decide(&y, 103, Observed); d.Accepted || d.Code != c.want {
			t.Errorf("%+v: %+v, want %v", y, d, c.want)
		}
	}
	for isa, accepted := range map[uint16]bool{0x0100: true, 0x0101: true, 0x0102: false, 0x0200: false} {
		y := x
		y.ISA = isa
		if d := Decide(&y, 100, Observed); d.Accepted != accepted || !accepted && d.Code != ISATooNew {
			t.Errorf("ISA %04x: %+v", isa, d)
		}
		y.SM = 90 // below Mercury no ISA counts
		if d := Decide(&y, 90, Observed); !d.Accepted {
			t.Errorf("ISA %04x below Mercury: %+v", isa, d)
		}
	}
}
