package selfcheck

import (
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/dwarf"
	"github.com/twinlink/twinlink/mercury"
)

// Options is how a file is checked. The zero value checks everything.
type Options struct {
	Codes *Codes // nil: DocumentCodes
	// Rules makes SASS of Mercury records; nil: those of [Records].
	Rules Rules
	// AllowUnknown takes what isn't known for correct: such a file passes.
	AllowUnknown bool
	// Limit is the number of findings that are kept; 0 means 1000.
	Limit int

	keepRepairs bool
}

// Word is an instruction.
type Word = mercury.Word

// Rules makes SASS of Mercury records.
type Rules interface {
	// Predict makes the words of a record of 16 or 32 bytes. sass holds the words that are there: what the
	// record doesn't decide may be looked up in them. It fills want and mask, of
	// the length of sass, with the words and with the bits of them that the
	// record decides, or returns why it can't.
	Predict(sm cuda.SM, record []byte, sass, want, mask []Word) (reason string)
}

// Check checks a file.
func Check(name string, data []byte, opts Options) *Report {
	r, _ := check(name, data, opts)
	return r
}

func check(name string, data []byte, opts Options) (*Report, *checker) {
	r := newReport(name)
	f, err := cubin.Open(name, data)
	if err != nil {
		r.refuse(err)
		return r, nil
	}
	m := capsule.OpenLean(f)
	if !m.IsMercury() {
		r.refuse(&cubin.Error{Kind: cubin.NotDevice, File: name, Offset: atFlags, Value: uint64(f.Header.Flags), Detail: "no Mercury side, which files for sm_100 and up have"})
		return r, nil
	}
	note := firstNote(m)
	if strings.Contains(note.Release, unreadRelease) {
		r.refuse(&cubin.Error{Kind: cubin.BadRecord, File: name, Section: tkinfoNote, Detail: "capsules of " + strings.TrimSpace(unreadRelease) + " are of a form of their own, which isn't known"})
		return r, nil
	}
	if opts.Codes == nil {
		opts.Codes = DocumentCodes
	}
	if opts.Rules == nil {
		opts.Rules = Records()
	}
	if opts.Limit == 0 {
		opts.Limit = 1000
	}
	c := &checker{forms: map[unknownForm]string{}, writer: note.Tool, m: m, opts: opts, report: r, sm: f.Header.SM(), origin: f.Header.SM(), decoder: decoderFor(f.Header.SM())}
	_, c.ownRules = opts.Rules.(recordTable)
	c.run()
	putDecoder(f.Header.SM(), c.decoder)
	r.sort()
	if n := r.Nodes.Unknown; n > 0 {
		r.Unknown[string(exRecord)] = n
	}
	switch {
	case len(r.Findings) > 0:
		r.Verdict = Fail
	case len(r.Unknown) > 0 && !opts.AllowUnknown:
		r.Verdict = Incomplete
	default:
		r.Verdict = Pass
	}
	return r, c
}

// unreadRelease is how a note names the release that no program here reads capsules of. Two
// images of cuBLAS 13.4.0.1 are by it; no toolkit of it was published.
const unreadRelease = " release 12.7,"

const tkinfoNote = ".note.nv.tkinfo"

// firstNote returns what the first note of a file tells of the tool that wrote it.
func firstNote(m *capsule.Image) (t cubin.Tkinfo) {
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.Name != tkinfoNote {
			continue
		}
		if notes, err := m.File.Notes(&s.Section); err == nil && len(notes) > 0 {
			t, _ = notes[0].Tkinfo()
			return t
		}
	}
	return t
}

// writerFinalizer is the tool name in images of libraries that were finalized
// again after their link.
const writerFinalizer = "finalizer"

// checker is one check.
type checker struct {
	m      *capsule.Image
	opts   Options
	report *Report

	repairs  []repair
	sm       cuda.SM
	origin   cuda.SM // what the compiler made the code for
	decoder  *mercury.Decoder
	ownRules bool // opts.Rules are those of decoder
	buf      []Word
	starts   []uint64               // see wordCheck
	traits   []uint8                // by function
	calls    [][]uint32             // by function: where its calls by offset are
	forms    map[unknownForm]string // their texts
	target   string                 // of -arch, as the notes tell it: 100a
	writer   string                 // tool of the first note
	api      uint32                 // CUDA API version of .note.nv.cuinfo
	old      bool                   // by 12.8 or 12.9, which write .note.nv.cuver
	system   bool                   // see callsSystem

	// Room that is used again.
	rulesOf   [3][]dwarf.Rule
	entries   []entry
	recordsOf [3][]record

	names  map[place]int     // functions by where they are in Mercury; made by aliased
	bank0  map[int]int       // constant bank 0 by text
	images map[int]int       // slots of textures and surfaces by capsule
	unitAt map[uint64]uint64 // SASS offset of a unit of .debug_line by its Mercury offset
	relaOf map[int]int       // relocation section by target
	coded  map[int][]span    // words of SASS sections that hold code addresses
	shares map[Share]int     // see coverage
}

// run compares in the order of the seeds: texts, relocations, debug sections.
func (c *checker) run() {
	c.index()
	code, infos := c.functions()
	c.faults()
	c.inOrder([]step{
		{false, (*checker).container},
		{false, (*checker).sections},
		{true, (*checker).symbols},
		{false, (*checker).symbolNames},
		{true, func(c *checker) {
			c.join(code)
			c.header()
			c.infos(infos)
			c.reserved()
			c.callgraphs()
			c.relocations()
			c.resolvedRelocs()
			c.imageRelocs()
			c.dataRelocs(Text, Reloc)
			c.contents(Text, Reloc)
			c.frames()
			c.lines()
			c.registers()
			c.dataRelocs(Debug)
			c.contents(Debug)
		}},
		{false, (*checker).stretches},
	})
	c.coverage()
}

// index finds sections of functions that no counterpart leads to.
func (c *checker) index() {
	c.bank0, c.images, c.coded = map[int]int{}, map[int]int{}, map[int][]span{}
	c.relaOf, c.unitAt = map[int]int{}, map[uint64]uint64{}
	c.system = c.callsSystem()
	for i := range c.m.Sections {
		s := &c.m.Sections[i]
		switch {
		case s.Type == cuda.SHTMercImageHeaders && s.Mercury():
			c.images[int(s.Info)] = i
		case s.Type == cuda.SHTRela || s.Type == cuda.SHTMercRela:
			c.relaOf[int(s.Info)] = i
		case strings.HasPrefix(s.Name, constant0):
			c.bank0[int(s.Info)] = i
		case s.Name == ".note.nv.cuver":
			c.old = true
		}
	}
}

func (c *checker) add(k Kind, a Aspect, section int, off uint64, what, expected, found string) {
	r := c.report
	name := ""
	if section > 0 && section < len(c.m.Sections) {
		name = c.m.Sections[section].Name
	}
	if c.system && ofSystemCall(name, what) {
		c.leave(exSystem)
		return
	}
	if len(r.Findings) >= c.opts.Limit {
		r.More++
		return
	}
	r.Findings = append(r.Findings, Finding{
		Code: c.opts.Codes.Code(k, a), Kind: k, Aspect: a, Section: name, Offset: off, What: what, Expected: expected, Found: found,
	})
}

// try runs a comparison and returns its findings instead of reporting them.
func (c *checker) try(f func()) []Finding {
	kept, more, repairs := c.report.Findings, c.report.More, c.repairs
	defer func() { c.repairs = repairs }()
	c.report.Findings, c.report.More = nil, 0
	f()
	found := c.report.Findings
	c.report.Findings, c.report.More = kept, more
	return found
}

// number reports two numbers that should be equal.
func (c *checker) number(k Kind, a Aspect, section int, off uint64, what string, expected, found uint64) {
	if expected != found {
		c.add(k, a, section, off, what, hex(expected), hex(found))
	}
}

// leave counts something that can't be checked.
func (c *checker) leave(e exception) {
	if e.unknown() {
		c.report.Unknown[string(e)]++
	} else {
		c.report.Unchecked[string(e)]++
	}
}
