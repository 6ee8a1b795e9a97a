package selfcheck_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/selfcheck"
)

// TestOldLinks wants what nvJitLink 12.8.93 and 12.9.86 linked to have no finding. One of them has a
// record that isn't known.
func TestOldLinks(t *testing.T) {
	programs, err := corpus.First()
	if err != nil {
		t.Fatal(err)
	}
	links, incomplete, changed := 0, 0, 0
	for _, c := range corpus.CasesOf(programs) {
		if !c.Linked() {
			continue
		}
		links++
		switch r := selfcheck.Check(c.ID(), c.Output, selfcheck.Options{}); r.Verdict {
		case selfcheck.Pass:
		case selfcheck.Incomplete:
			incomplete++
		default:
			t.Errorf("%s: %v", c.ID(), r.Findings)
		}
		if other := withoutFrame(t, c.ID(), c.Output); other != nil {
			changed++
			if r := selfcheck.Check(c.ID(), other, selfcheck.Options{}); r.Verdict != selfcheck.Fail {
				t.Errorf("%s: no frame of a function: %v", c.ID(), r.Verdict)
			}
		}
	}
	if links < 60 || incomplete > 1 || changed < 60 {
		t.Errorf("%d links, %d incomplete, %d changed", links, incomplete, changed)
	}
}

// withoutFrame makes the first frame size that is told one of how much stack is needed, on both sides:
// a function whose code is its own has no frame then.
func withoutFrame(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	f, err := cubin.Open(name, data)
	if err != nil {
		t.Fatal(err)
	}
	frame := []byte{4, byte(cuda.AttrFrameSize), 8, 0}
	other, sides := bytes.Clone(data), 0
	for i := range f.NumSections() {
		s := f.Section(i)
		if name := f.SectionName(&s); name != ".nv.info" && name != ".nv.merc.nv.info" {
			continue
		}
		if at := bytes.Index(data[s.Off:s.Off+s.Size], frame); at >= 0 {
			binary.LittleEndian.PutUint16(other[s.Off+uint64(at):], 4|uint16(cuda.AttrMaxStackSize)<<8)
			sides++
		}
	}
	if sides != 2 {
		return nil
	}
	return other
}

// TestOldSharedEnd wants a symbol of shared memory without a size, which 12.8 puts after all that -g shows,
// to be right, and one with a size not.
func TestOldSharedEnd(t *testing.T) {
	programs, err := corpus.First()
	if err != nil {
		t.Fatal(err)
	}
	cases := corpus.CasesOf(programs)
	i := slices.IndexFunc(cases, func(c corpus.Case) bool { return c.ID() == "random_950055/12.8-sm_120a-g" })
	if i < 0 {
		t.Fatal("no such link")
	}
	f, err := cubin.Open("out", cases[i].Output)
	if err != nil {
		t.Fatal(err)
	}
	symbol := slices.IndexFunc(f.Symtab().Append(nil), func(s cubin.Symbol) bool { return f.Symtab().Name(&s) == "s5" })
	for _, size := range []uint64{0, 30} {
		data := bytes.Clone(cases[i].Output)
		for k := range f.NumSections() {
			if s := f.Section(k); s.Type == cuda.SHTSymtab || s.Type == cuda.SHTMercSymtab {
				at := s.Off + 24*uint64(symbol)
				binary.LittleEndian.PutUint64(data[at+8:], 0x470+binary.LittleEndian.Uint64(data[at+8:])-0x400)
				binary.LittleEndian.PutUint64(data[at+16:], size)
			}
		}
		r := selfcheck.Check("out", data, selfcheck.Options{})
		outside := slices.ContainsFunc(r.Findings, func(f selfcheck.Finding) bool { return strings.Contains(f.What, "end of symbol s5") })
		if outside != (size > 0) {
			t.Errorf("size %d: %v", size, r.Findings)
		}
	}
}
