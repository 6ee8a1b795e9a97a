package finalizer

import (
	"errors"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// The conflicts are the document's; no tool's command line reaches them.
func TestOptions(t *testing.T) {
	input := Facts{SM: 100, Kind: Capmerc, Compat: true, Fastpath: 0x09}
	sass := Facts{SM: 90}
	for _, c := range []struct {
		words []string
		x     *Facts
		want  Code
	}{
		{nil, &input, OK},
		{[]string{"--self-check", "--out-sass"}, &input, OK},
		{[]string{"--out-sass"}, &input, OptionConflict},
		{[]string{"--self-check", "--binary-kind=sass"}, &input, OptionConflict},
		{[]string{"--cap-merc", "--binary-kind", "sass"}, &sass, OK},
		{[]string{"--cap-merc"}, &sass, OptionConflict},
		{[]string{"--binary-kind=capmerc"}, &sass, KindMismatch},
		{[]string{"--opportunistic-finalization-lvl=4"}, &input, OK},
		{[]string{"--opportunistic-finalization-lvl", "5"}, &input, OptionConflict},
		{[]string{"--binary-kind=elf"}, &input, OptionConflict},
		{[]string{"--fastpath-off=1"}, &input, OptionConflict},
		{[]string{"--nosuch"}, &input, OptionConflict},
	} {
		o := DefaultOptions(100, Observed)
		err := o.ParseOptions(c.words)
		if err == nil {
			err = o.Check(c.x)
		}
		got := OK
		var fault *OptionError
		if errors.As(err, &fault) {
			got = fault.Code
		}
		if got != c.want {
			t.Errorf("%q: %v (%v), want %v", c.words, got, err, c.want)
		}
	}
}

func TestPossible(t *testing.T) {
	x := Facts{SM: 100, Kind: Capmerc, Compat: true, Fastpath: 0x09}
	o := DefaultOptions(103, Observed)
	if err := o.Possible(&x, 103); err != nil {
		t.Errorf("mask 09 for sm_103: %v", err)
	}
	x.Fastpath = 0x01
	if err := o.Possible(&x, 103); err == nil {
		t.Error("mask 01 for sm_103: a copy")
	}
	for _, words := range [][]string{{"--binary-kind=mercury"}, {"--binary-kind=sass"}, {"--fastpath-off"}, {"--opt-level=2"},
		{"--generate-line-info"}, {"--verbose-tkinfo"}, {"--disable-smem-reservation"}, {"--compile-as-at-entry-patch"}, {"--trap-into-debugger"}} {
		o, x := DefaultOptions(103, Observed), Facts{SM: 100, Kind: Capmerc, Compat: true, Fastpath: 0x09}
		if err := o.ParseOptions(words); err != nil {
			t.Fatal(err)
		}
		if o.Possible(&x, 103) == nil {
			t.Errorf("%q: possible", words)
		}
	}
}

// The document's tables: level 2 lets sm_100 be finalized for sm_103, level 3
// needs a bit of the capability word that sm_120 doesn't have.
func TestSeed(t *testing.T) {
	for _, c := range []struct {
		from, to int
		level    uint8
		mask     uint64
		want     bool
	}{
		{100, 100, 0, 0, true}, {100, 103, 0, 0x09, false}, {100, 103, 1, 0x09, false}, {100, 103, 2, 0x09, true}, {100, 103, 2, 0x01, false},
		{120, 121, 2, 0x50, true}, {100, 120, 3, 0x19, false}, {100, 110, 2, 0x0b, false}, {100, 110, 3, 0x0b, true}, {104, 120, 0, 0, true},
		{101, 110, 0, 0, true}, {100, 103, 4, 0x09, false},
	} {
		x := Facts{SM: sm(c.from), Kind: Capmerc, Compat: true, Class: 1, Level: c.level, Fastpath: c.mask}
		if d := Decide(&x, sm(c.to), Document); d.Accepted != c.want {
			t.Errorf("%+v: %v (%s)", c, d.Accepted, d.Reason)
		}
	}
}

// The kind of output that a target has by itself: by the document from sm_100 on a capsule, and Mercury from sm_75 on, of
// which the tools write nothing.
func TestDefaultOptions(t *testing.T) {
	for _, c := range []struct {
		target         cuda.SM
		document, tool Kind
	}{{50, SASS, SASS}, {74, SASS, SASS}, {75, Mercury, SASS}, {90, Mercury, SASS}, {99, Mercury, SASS}, {100, Capmerc, Capmerc}, {121, Capmerc, Capmerc}} {
		for rules, want := range map[Rules]Kind{Document: c.document, Observed: c.tool} {
			o := DefaultOptions(c.target, rules)
			if o.Kind != want || !o.Fastpath || o.OptLevel != 3 || o.CapMerc || o.SelfCheck || o.OutSASS || o.LevelSet {
				t.Errorf("sm_%d, rules %v: %+v, want %s", c.target, rules, o, want)
			}
		}
	}
}
