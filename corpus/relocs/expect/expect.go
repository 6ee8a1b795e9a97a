// Package expect says what a vector should come to by the rules of package
// oracle, so that the corpus and the oracle can be held against each other.
//
// What the oracle leaves to its caller is decided here, from the object's own
// bytes: which kind of symbol a record names, what number the symbol stands
// for, and where the place ends. None of it is taken from what nvlink answered.
package expect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Outcome is what the rules say of a vector.
type Outcome struct {
	Did relocs.Did
	Why oracle.Reason // Refused
	// Undefined is the symbol that Refused complains of, where Why is 0.
	Undefined string
	Gone      bool
	Place     []byte // the whole place afterwards; nil where other records write in it
	Text      []byte // the text of a capsule afterwards, or nil
	Kept      []relocs.Record
	SomeKept  bool // Kept are among the records that are kept, not all of them
}

// numbers of the releases as the oracle counts them.
var releases = map[string]oracle.Release{"11.8": 118, "12.4": 124, "13.0": 130, "13.5": 135}

// Unknown says why the rules have nothing to say about a vector.
type Unknown struct{ Why string }

func (u *Unknown) Error() string { return "no rule: " + u.Why }

// Of works out a vector for a release. The error is *Unknown where the rules say
// nothing about such a link.
func Of(m *relocs.Manifest, v *relocs.Vector, inputs []relocs.Input, release string) (Outcome, error) {
	facts, err := v.Facts(inputs)
	if err != nil {
		return Outcome{}, err
	}
	c := &link{m: m, v: v, inputs: inputs, facts: facts, release: releases[release]}
	if _, err := fmt.Sscanf(v.Template.Arch, "sm_%d", &c.sm); err != nil {
		return Outcome{}, err
	}
	return c.run()
}

// link is one vector under one release.
type link struct {
	m       *relocs.Manifest
	v       *relocs.Vector
	inputs  []relocs.Input
	facts   relocs.Facts
	release oracle.Release
	sm      int

	unplaced bool // the value of a symbol that reaches the image is all ones
}

func (c *link) run() (Outcome, error) {
	if len(c.v.Options) > 0 {
		return Outcome{}, &Unknown{"options"}
	}
	switch c.placeKind() {
	case placeRefused:
		return Outcome{Did: relocs.Refused, Why: oracle.UnpatchedPlace}, nil
	case placeFatal:
		return Outcome{Did: relocs.Crashed}, nil
	case placeUnknown:
		return Outcome{}, &Unknown{"place " + c.v.Place}
	}
	out := Outcome{Did: relocs.Linked, SomeKept: c.v.Keep, Place: slices.Clone(c.facts.Place)}
	if c.capsule() {
		out.Text = slices.Clone(relocs.Section(c.inputs, strings.TrimPrefix(c.v.Place, ".nv.capmerc")))
	}
	if err := c.records(&out); err != nil || out.Did != relocs.Linked {
		return out, err
	}
	if c.unplaced {
		return Outcome{Did: relocs.Refused, Why: oracle.UnplacedSymbol}, nil
	}
	for _, name := range c.facts.Undefined {
		if c.reported(name) {
			return Outcome{Did: relocs.Refused, Undefined: name}, nil
		}
	}
	if c.placeKind() == placeDead {
		return Outcome{Did: relocs.Linked, Gone: true}, nil
	}
	if c.v.Keep {
		out.Place, out.Text = nil, nil
	}
	return out, nil
}

// records carries out all records. nvlink takes those of a section from the last
// to the first. What kills it comes before that, where it looks for code that is
// reached; what speaks against keeping a record after that, where it writes the
// records that are left, from the first to the last.
func (c *link) records(out *Outcome) error {
	var unknown error
	var first, late *Outcome
	for i := len(c.v.Records) - 1; i >= 0; i-- {
		step := *out
		switch err := c.record(i, &step); {
		case err != nil:
			if unknown == nil && first == nil {
				unknown = err
			}
		case step.Did == relocs.Crashed:
			*out = step
			return nil
		case step.Did == relocs.Linked:
			*out = step
		case step.Why == oracle.RecordOutside || step.Why == oracle.DeletedSymbol:
			late = &step
		case first == nil:
			first = &step
		}
	}
	switch {
	case unknown != nil:
		return unknown
	case first != nil:
		*out = *first
	case late != nil:
		*out = *late
	}
	return nil
}

// record carries out one record on the outcome.
func (c *link) record(i int, out *Outcome) error {
	r := c.v.Records[i]
	if mercury := c.mercury(); mercury && r.Type < cuda.MercuryBase && r.Type != cuda.R_CUDA_NONE {
		*out = Outcome{Did: relocs.Refused, Why: oracle.UnexpectedNone}
		return nil
	} else if !mercury && r.Type >= cuda.MercuryBase {
		return &Unknown{"R_MERCURY outside of the Mercury group"}
	}
	s, err := c.symbol(i)
	if err != nil {
		return err
	}
	if c.lost(r, c.facts.Symbols[i]) {
		return nil
	}
	c.unplaced = c.unplaced || s.unplaced
	fate, err := c.fate(r.Type, s.kind)
	if err != nil {
		return err
	}
	if fate.Action == oracle.Crashes && s.slot > 0 && int(s.slot) <= c.facts.Functions {
		// The word beside a symbol's value is, for a function, its number; the
		// alignment of a shared variable is taken for one.
		fate = oracle.Fate{Action: oracle.Refuses, Why: oracle.DeletedSymbol}
	}
	keeps := fate.Action == oracle.Keeps || fate.Action == oracle.Finalizes
	// Offsets in a capsule count instructions that are not in it.
	outside := r.Offset >= c.facts.Size && !c.capsule()
	switch {
	case fate.Action == oracle.Crashes:
		*out = Outcome{Did: relocs.Crashed}
	case c.placeKind() == placeDead:
	case fate.Why == oracle.UnexpectedNone:
		*out = Outcome{Did: relocs.Refused, Why: fate.Why}
	case outside && (keeps || fate.Why == oracle.DeletedSymbol):
		*out = Outcome{Did: relocs.Refused, Why: oracle.RecordOutside}
	case outside && fate.Action != oracle.Drops:
		*out = Outcome{Did: relocs.Refused, Why: oracle.PlaceOutside}
	case fate.Action == oracle.Refuses:
		*out = Outcome{Did: relocs.Refused, Why: fate.Why}
	case keeps:
		kept := relocs.Record{Offset: c.facts.Base + r.Offset, Type: fate.As, Symbol: s.name, Addend: r.Addend}
		if fate.As == 0 && r.Type != 0 {
			kept.Symbol = "#0"
		}
		if s.section && s.base != 0 {
			// A REL record has no room for it.
			kept.Addend += s.addend()
			if c.v.Form == relocs.REL {
				kept.Form = relocs.RELA
			}
		}
		out.Kept = append(out.Kept, kept)
		if c.capsule() {
			return c.finalize(r, s, out)
		}
	case fate.Action == oracle.Patches && c.capsule():
		return c.patchNode(r, fate.As, s, out)
	case fate.Action == oracle.Patches:
		return c.patch(r, fate.As, s, out)
	}
	return nil
}

// lost reports whether a record goes because a weak definition lost against one
// in an object before: among the initialisers of global variables by its place;
// in a constant bank that all code shares, and since 13.0 in debug sections, by
// its symbol.
func (c *link) lost(r relocs.Record, s relocs.Symbol) bool {
	switch c.facts.PlaceType {
	case cuda.SHTCudaGlobalInit:
		return slices.ContainsFunc(c.facts.Lost, func(l relocs.Range) bool { return r.Offset-l.Offset < l.Size })
	case cuda.SHTProgbits:
		return s.Lost && c.release >= dropsLosers && strings.Contains(c.v.Place, ".debug_")
	case cuda.SHTCudaConstant0:
		return false
	}
	return s.Lost
}

// dropsLosers is the first release that drops debug records of functions that
// were replaced.
const dropsLosers = 130

// patch writes into the place.
func (c *link) patch(r relocs.Record, as uint32, s symbol, out *Outcome) error {
	const most = 16
	place := make([]byte, most)
	n := copy(place, out.Place[r.Offset:])
	in := oracle.Inputs{Rela: c.v.Form == relocs.RELA || s.section && s.base != 0, S: s.value, A: r.Addend + s.addend(), P: r.Offset, SectionType: s.lies, Slot: s.slot}
	if s.kind == oracle.Texture && !oracle.TakesBindlessSlot(as) {
		in.S, in.SectionType = 0, cuda.SHTNull
	}
	got, err := oracle.Apply(as, place, in)
	if err != nil {
		return err
	}
	copy(out.Place[r.Offset:], got.Bytes[:n])
	return nil
}

func (c *link) mercury() bool { return strings.HasPrefix(c.v.Place, ".nv.merc") || c.capsule() }

func (c *link) capsule() bool { return strings.HasPrefix(c.v.Place, ".nv.capmerc.") }

// fate asks the oracle. A number behind the tables has no fate against a known
// address: nvlink then reads what lies behind its own table.
func (c *link) fate(number uint32, kind oracle.SymbolKind) (oracle.Fate, error) {
	fate, err := oracle.FateOf(number, kind, c.release, c.sm)
	if err == nil {
		return fate, nil
	}
	switch kind {
	case oracle.Global, oracle.Function:
		return oracle.Fate{Action: oracle.Keeps, As: number}, nil
	case oracle.Dead:
		return oracle.Fate{Action: oracle.Drops}, nil
	}
	return fate, &Unknown{fmt.Sprintf("type %#x is behind the table", number)}
}
