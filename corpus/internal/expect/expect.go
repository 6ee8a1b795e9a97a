// Package expect says what a vector should come to by the rules of package
// oracle, so that the corpus and the oracle can be held against each other.
//
// What the oracle leaves to its caller is decided here, from the object's own
// bytes: which kind of symbol a record names, what number the symbol stands
// for, and where the place ends. None of it is taken from what nvlink answered.
package expect

import (
	"slices"
	"strconv"
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
	Undefined   string
	Gone        bool
	Place       []byte // the whole place afterwards; nil where other records write in it
	Text        []byte // the text of a capsule afterwards, or nil
	Kept        []relocs.Record
	Saved       []relocs.Record // --preserve-relocs
	SomeKept    bool            // Kept are among the records that are kept, not all of them
	Counterpart []relocs.Record // of a capsule: the records of Text
	Searched    []relocs.Node   // whose text depends on other instructions; the finalizer may die of them
	Garbled     bool            // the finalizer finds no instruction: it refuses or dies
}

// numbers of the releases as the oracle counts them.
var releases = map[string]oracle.Release{"11.8": 118, "12.4": 124, "13.0": 130, "13.5": 135}

// Unknown says why the rules have nothing to say about a vector.
type Unknown struct{ Why string }

func (u *Unknown) Error() string { return "no rule: " + u.Why }

// Case is a vector with what its inputs tell.
type Case struct {
	m      *relocs.Manifest
	v      *relocs.Vector
	inputs []relocs.Input
	facts  relocs.Facts
	sm     int
}

// New reads a vector's inputs.
func New(m *relocs.Manifest, v *relocs.Vector, inputs []relocs.Input) (*Case, error) {
	facts, err := v.Facts(inputs)
	if err != nil {
		return nil, err
	}
	digits := strings.TrimRight(strings.TrimPrefix(v.Template.Arch, "sm_"), "af")
	sm, err := strconv.Atoi(digits)
	if err != nil {
		return nil, err
	}
	return &Case{m, v, inputs, facts, sm}, nil
}

// Of works the case out for a release. The error is *Unknown where the rules say
// nothing about such a link.
func (c *Case) Of(release string) (Outcome, error) {
	return (&link{Case: c, release: releases[release]}).run()
}

// link is a case under one release.
type link struct {
	*Case
	release oracle.Release

	preserve bool // --preserve-relocs
	unplaced bool // the value of a symbol that reaches the image is all ones
}

func (c *link) run() (Outcome, error) {
	for _, option := range c.v.Options {
		if option != "--preserve-relocs" {
			return Outcome{}, &Unknown{"option " + option}
		}
		c.preserve = true
	}
	switch c.placeKind() {
	case placeRefused:
		return Outcome{Did: relocs.Refused, Why: oracle.UnpatchedPlace}, nil
	case placeFatal:
		return Outcome{Did: relocs.Crashed}, nil
	case placeLost:
		return Outcome{Did: relocs.Linked, Gone: true}, nil
	}
	out := Outcome{Did: relocs.Linked, SomeKept: c.v.Keep, Place: slices.Clone(c.facts.Place)}
	switch counterpart := relocs.CounterpartOf(c.v.Place); {
	case c.capsule():
		out.Text = slices.Clone(relocs.Section(c.inputs, counterpart))
	case counterpart != "":
		out.Text = slices.Clone(c.facts.Place) // the other group's data is not read
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

// records applies all records. nvlink takes those of a section from the last
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

// record applies one record on the outcome.
func (c *link) record(i int, out *Outcome) error {
	r := c.v.Records[i]
	s, err := c.symbol(i)
	if err != nil {
		return err
	}
	if (c.capsule() || c.v.Place == ".nv.merc.debug_frame") && c.facts.Symbols[i].Index == 0 {
		*out = Outcome{Did: relocs.Crashed} // the finalizer comes first and looks for a symbol
		return nil
	}
	if c.lost(r, c.facts.Symbols[i]) {
		return nil
	}
	if mercury := c.mercury(); mercury && r.Type < cuda.MercuryBase && r.Type != cuda.R_CUDA_NONE {
		*out = Outcome{Did: relocs.Refused, Why: oracle.UnexpectedNone}
		return nil
	}
	c.unplaced = c.unplaced || s.unplaced
	d, err := c.decide(r.Type, s)
	if err != nil {
		return err
	}
	if c.capsule() && searches(r.Type) {
		n, err := c.node(r)
		if err != nil {
			return err
		}
		out.Searched = append(out.Searched, n)
	}
	if end := c.refusal(r, s, d, out.Searched); end != nil {
		*out = *end
		return nil
	}
	return c.carryOut(r, s, d, out)
}

// decide is dispositionOf, and what comes of it for the symbols of this link.
func (c *link) decide(number uint32, s symbol) (oracle.Disposition, error) {
	d, err := c.dispositionOf(number, s)
	if err != nil {
		return d, err
	}
	if s.emitted && d.Why == oracle.DeletedSymbol {
		if d, err = c.disposition(number, oracle.Constant); err != nil {
			return d, err
		}
	}
	deleted := oracle.Disposition{Action: oracle.Refuses, Why: oracle.DeletedSymbol}
	if d.Action == oracle.Crashes && s.slot > 0 && int(s.slot) <= c.facts.Functions {
		// The word beside a symbol's value is, for a function, its number; the
		// alignment of a shared variable is taken for one.
		d = deleted
		if s.emitted {
			d = oracle.Disposition{Action: oracle.Keeps, As: number}
		}
	}
	if c.preserve && s.kind == oracle.SharedSection && !s.emitted && d.Action == oracle.Patches {
		d = deleted // the record is to be written down, and the symbol is not there
	}
	return d, nil
}

// keeps reports whether a record is among those of the output.
func keeps(d oracle.Disposition) bool {
	return d.Action == oracle.Keeps || d.Action == oracle.Finalizes
}

// refusal is how the link ends for a record, or nil where it goes on.
func (c *link) refusal(r relocs.Record, s symbol, d oracle.Disposition, searched []relocs.Node) *Outcome {
	// Offsets in a capsule count instructions that are not in it.
	outside := r.Offset >= c.facts.Size && !c.capsule()
	switch {
	case d.Action == oracle.Crashes:
		return &Outcome{Did: relocs.Crashed}
	case c.placeKind() == placeDead:
		return nil
	case d.Why == oracle.UnexpectedNone:
		return &Outcome{Did: relocs.Refused, Why: d.Why}
	case outside && (keeps(d) || d.Why == oracle.DeletedSymbol):
		return &Outcome{Did: relocs.Refused, Why: oracle.RecordOutside}
	case outside && (d.Action != oracle.Drops || s.table && c.mercury()):
		return &Outcome{Did: relocs.Refused, Why: oracle.PlaceOutside}
	case d.Action == oracle.Refuses:
		return &Outcome{Did: relocs.Refused, Why: d.Why, Searched: searched}
	}
	return nil
}

// carryOut keeps a record that isn't refused, or writes what it says.
func (c *link) carryOut(r relocs.Record, s symbol, d oracle.Disposition, out *Outcome) error {
	switch {
	case c.placeKind() == placeDead:
		return nil
	case keeps(d):
		out.Kept = append(out.Kept, c.kept(r, s, d))
		if c.capsule() {
			return c.finalize(r, d.As, s, out)
		}
		return c.finalizeData(r, d.As, s, out)
	case d.Action == oracle.Patches && c.capsule():
		return c.patchNode(r, d.As, s, out)
	case d.Action == oracle.Patches:
		return c.patch(r, d.As, s, out)
	}
	return nil
}

// kept is a record as it is in the output.
func (c *link) kept(r relocs.Record, s symbol, d oracle.Disposition) relocs.Record {
	out := relocs.Record{Offset: c.facts.Base + r.Offset, Type: d.As, Symbol: s.name, Addend: r.Addend}
	if d.As == 0 && r.Type != 0 {
		out.Symbol = "#0"
	}
	if s.section && s.base != 0 {
		// A REL record has no room for it.
		out.Addend += s.addend()
		if c.v.Form == relocs.REL {
			out.Form = relocs.RELA
		}
	}
	return out
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

// patch writes into the place, and into its counterpart.
func (c *link) patch(r relocs.Record, as uint32, s symbol, out *Outcome) error {
	in := oracle.Inputs{Rela: c.v.Form == relocs.RELA || s.section && s.base != 0, S: s.value, A: r.Addend + s.addend(), P: r.Offset, SectionType: s.lies, Slot: s.slot}
	if s.kind == oracle.Texture && !oracle.TakesBindlessSlot(r.Type) {
		in.S, in.SectionType = 0, cuda.SHTNull
	}
	got, n, err := write(out.Place, r.Offset, as, in)
	if err != nil {
		return err
	}
	if _, _, err := write(out.Text, r.Offset, as, in); err != nil {
		return err
	}
	recipe, err := oracle.RecipeOf(as)
	if err != nil {
		return err
	}
	if c.saves(as, s) {
		if c.v.Form == relocs.REL && recipe.Bytes() > n {
			return &Unknown{"an addend behind the end of its section is written down"}
		}
		saved := relocs.Record{Offset: c.facts.Base + r.Offset, Type: as, Symbol: s.name, Addend: in.A}
		if c.v.Form == relocs.REL {
			saved.Addend = s.addend() + int64(got.Implicit)
		}
		out.Saved = append(out.Saved, saved)
	}
	return nil
}

// write applies a recipe on a section and says how many bytes of the section
// there were. A field may end after the section.
func write(section []byte, offset uint64, as uint32, in oracle.Inputs) (oracle.Outcome, int, error) {
	const most = 16
	place := make([]byte, most)
	n := 0
	if offset < uint64(len(section)) {
		n = copy(place, section[offset:])
	}
	got, err := oracle.Apply(as, place, in)
	if err == nil && n > 0 {
		copy(section[offset:], got.Bytes[:n])
	}
	return got, n, err
}

// saves reports whether --preserve-relocs writes down a record that was carried
// out: not where the symbol got its value from elsewhere, as dynamic shared
// memory and the slots of textures do, or has none.
func (c *link) saves(as uint32, s symbol) bool {
	switch s.kind {
	case oracle.Texture:
		return c.preserve && !oracle.TakesBindlessSlot(as)
	case oracle.Hidden:
		return s.emitted && !s.dynamic
	}
	return c.preserve
}

// finalized tells the places that the finalizer reads.
func finalized(place string) bool {
	return strings.HasPrefix(place, ".nv.capmerc.") || strings.HasPrefix(place, ".nv.merc.") && strings.Contains(place, "debug")
}

func (c *link) mercury() bool { return mercuryPlace(c.v.Place) }

func mercuryPlace(place string) bool {
	return strings.HasPrefix(place, ".nv.merc") || strings.HasPrefix(place, ".nv.capmerc")
}

func (c *link) capsule() bool { return strings.HasPrefix(c.v.Place, ".nv.capmerc.") }

// dispositionOf is disposition but for the symbols that the linker itself defines. What names a
// part of the unified tables goes where there are none, but a unified type is
// turned into R_CUDA_NONE, which is kept, and its symbol is not there; since
// 13.0 __UFT_OFFSET goes in any case.
func (c *link) dispositionOf(number uint32, s symbol) (oracle.Disposition, error) {
	disposition, err := c.disposition(number, s.kind)
	switch {
	case err != nil || disposition.Why == oracle.UnexpectedNone:
	case s.table:
		like, err := oracle.DispositionOf(number, oracle.Global, c.release, c.sm)
		switch {
		case err == nil && like.Action == oracle.Crashes:
			return like, nil
		case s.name == "__UFT_OFFSET" && c.release >= ignoresOffset:
		case number == cuda.R_CUDA_NONE, err == nil && like.As != number:
			return oracle.Disposition{Action: oracle.Refuses, Why: oracle.DeletedSymbol}, nil
		}
		return oracle.Disposition{Action: oracle.Drops}, nil
	case s.reserved && (number == cuda.R_CUDA_UNUSED_CLEAR32 || number == cuda.R_CUDA_UNUSED_CLEAR64 || number == cuda.R_MERCURY_UNUSED_CLEAR64):
		return oracle.Disposition{Action: oracle.Keeps}, nil
	}
	return disposition, err
}

// ignoresOffset is the first release that pays no heed to __UFT_OFFSET.
const ignoresOffset = 130

// disposition asks the oracle, and knows what becomes of numbers that are not of the
// place's table. Against a symbol whose address the linker knows it then reads
// what is after its table: seldom that is a type, and with a large number it
// is not its memory. 11.8 looks a number up before it looks at the symbol.
func (c *link) disposition(number uint32, kind oracle.SymbolKind) (oracle.Disposition, error) {
	if c.mercury() == (number >= cuda.MercuryBase) || number == cuda.R_CUDA_NONE {
		if disposition, err := oracle.DispositionOf(number, kind, c.release, c.sm); err == nil {
			return disposition, nil
		}
	}
	const negative = 1 << 31
	switch {
	case c.mercury() && number >= behindMercury && number <= behindMercury+cuda.R_CUDA_NONE_LAST && kind != oracle.Global && kind != oracle.Function && kind != oracle.Dead:
		return c.behind(number, kind)
	case number >= cuda.MercuryBase && c.release < hasMercury, number >= negative && (kind == oracle.Texture || kind == oracle.Constant || kind == oracle.Hidden):
		return oracle.Disposition{Action: oracle.Crashes}, nil
	case kind == oracle.Dead:
		return oracle.Disposition{Action: oracle.Drops}, nil
	case kind == oracle.Global, kind == oracle.Function, kind == oracle.Texture:
		// Unified types are renamed wherever they stand.
		if disposition, err := oracle.DispositionOf(number, oracle.Global, c.release, c.sm); err == nil && disposition.Action == oracle.Keeps {
			number = disposition.As
		}
		return oracle.Disposition{Action: oracle.Keeps, As: number}, nil
	}
	return oracle.Disposition{Action: oracle.Refuses, Why: oracle.UnexpectedType}, nil
}

// behindMercury is the first number after the table of R_MERCURY. What lies
// there is the table of R_CUDA.
const behindMercury = cuda.MercuryBase + 64

// after is the disposition of a number after the table of R_MERCURY against a symbol
// whose address the linker knows: that of an R_CUDA type, but for the name.
func (c *link) behind(number uint32, kind oracle.SymbolKind) (oracle.Disposition, error) {
	as := number - behindMercury
	disposition, err := oracle.DispositionOf(as, kind, c.release, c.sm)
	if err != nil {
		return disposition, err
	}
	if disposition.Action == oracle.Crashes || as >= cuda.R_CUDA_UNIFIED && as <= cuda.R_CUDA_UNIFIED32_HI_32 && disposition.Action == oracle.Patches {
		disposition = oracle.Disposition{Action: oracle.Keeps}
		if kind != oracle.Constant && kind != oracle.Texture {
			disposition = oracle.Disposition{Action: oracle.Refuses, Why: oracle.DeletedSymbol}
		}
	}
	switch as {
	case cuda.R_CUDA_YIELD_OPCODE9_0, cuda.R_CUDA_YIELD_CLEAR_PRED4_87, cuda.R_CUDA_UNUSED_CLEAR32, cuda.R_CUDA_UNUSED_CLEAR64:
		disposition = oracle.Disposition{Action: oracle.Patches, As: as} // elsewhere they go by their number
	}
	if disposition.Action == oracle.Keeps {
		disposition.As = number
	}
	return disposition, nil
}

// hasMercury is a release between 11.8 and 12.4.
const hasMercury = 119
