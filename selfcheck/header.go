package selfcheck

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// The ELF header of an object with capsules, and the notes and .nv.compat that
// have to agree with it.
//
//	e_flags  31..24  section index of .note.nv.cuinfo
//	         23..8   SM
//	          7..0   2: capsules; up to 12.9 also 8: sm_100a
const (
	flagsAccelerated = 8

	flagsCapmerc  = 2
	flagsKindMask = 0xff
	cuinfoShift   = 24
	abiVersion    = 8
)

// Offsets in the ELF header, for findings.
const (
	atABIVersion = 8
	atType       = 16
	atVersion    = 20
	atEntry      = 24
	atFlags      = 48
)

func (c *checker) header() {
	h := &c.m.File.Header
	c.number(Text, Metadata, 0, 7, "EI_OSABI", uint64(cuda.OSABICuda13), uint64(h.OSABI()))
	c.number(Text, Metadata, 0, atABIVersion, "EI_ABIVERSION", abiVersion, uint64(h.ABIVersion()))
	c.number(Text, Metadata, 0, atVersion, "e_version", 1, uint64(h.Version))
	c.number(Text, Metadata, 0, atEntry, "e_entry", 0, h.Entry)
	kind := h.Flags & flagsKindMask
	if c.old {
		kind &^= flagsAccelerated
	}
	c.number(Text, Metadata, 0, atFlags, "kind of object in e_flags", flagsCapmerc, uint64(kind))
	if h.Type != cuda.ETRel && h.Type != cuda.ETExec && h.Type != etWhole {
		c.add(Text, Metadata, 0, atType, "e_type", "REL, EXEC or 0xff00", hex(h.Type))
	}
	cuinfo := 0
	for i := range c.m.Sections {
		if name := c.m.Sections[i].Name; name == ".note.nv.cuinfo" || name == ".note.nv.cuver" {
			cuinfo = i
		}
	}
	c.number(Text, Metadata, 0, atFlags+3, "index of .note.nv.cuinfo in e_flags", uint64(cuinfo)&0xff, uint64(h.Flags>>cuinfoShift))
	if cuinfo != 0 {
		c.number(Text, Metadata, cuinfo, 0, "sh_info", uint64(c.indexOf(".nv.compat")), uint64(c.m.Sections[cuinfo].Info))
	}
	if named, accelerated := c.notes(); c.old && named > 0 && (accelerated == 0 || accelerated == named) {
		want := uint64(0)
		if accelerated > 0 {
			want = flagsAccelerated
		}
		c.number(Text, Metadata, 0, atFlags, "accelerated features in e_flags", want, uint64(h.Flags&flagsAccelerated))
	}
	c.compat()
}

// etWhole is e_type of "ptxas -ewp".
const etWhole = 0xff00

func (c *checker) indexOf(name string) int {
	for i := range c.m.Sections {
		if c.m.Sections[i].Name == name {
			return i
		}
	}
	return 0
}

// notes compares the targets that the notes name with that of the header. It returns how many name one, and how
// many of these one with features of its own.
func (c *checker) notes() (named, accelerated int) {
	first, cuinfo := false, 0
	var apis []uint32 // of the tools
	for i := range c.m.Sections {
		s := &c.m.Sections[i]
		if s.Type != cuda.SHTNote {
			continue
		}
		notes, err := c.m.File.Notes(&s.Section)
		if err != nil {
			c.fault(err)
			continue
		}
		c.noteForms(i, notes)
		for k := range notes {
			if info, ok := notes[k].Cuinfo(); ok {
				c.api = info.API
				if s.Name == ".note.nv.cuinfo" { // not that of 12.8 and 12.9
					cuinfo = i
				}
				// It is that of the PTX, which may be older than the target.
				if info.SM < leastSM || cuda.SM(info.SM) > c.sm {
					c.add(Text, Content, i, 4, "SM of "+s.Name, "at most "+fmt.Sprint(c.sm), fmt.Sprint(info.SM))
				}
			}
			t, ok := notes[k].Tkinfo()
			if !ok {
				continue
			}
			name := target(t.Options)
			if r, ok := apiOf(t.Release); ok {
				apis = append(apis, r)
			}
			// The first note is that of the tool that wrote the file, the others those of its inputs'.
			if !first {
				first, c.writer, c.target = true, t.Tool, name
				if name != "" {
					c.madeFor(cuda.SM(smOf(name)))
				}
			} else if name != "" && !c.linksFrom(cuda.SM(smOf(name))) {
				c.add(Text, Content, i, 0, "target in a note", "one of the family of sm_"+fmt.Sprint(c.sm), "sm_"+name)
			}
			if name != "" {
				named++
			}
			if strings.HasSuffix(name, "a") {
				accelerated++
			}
		}
	}
	if cuinfo != 0 && len(apis) > 0 && !slices.Contains(apis, c.api) {
		c.add(Text, Content, cuinfo, 0, "CUDA API version", "that of a tool in the notes: "+fmt.Sprint(apis), fmt.Sprint(c.api))
	}
	return named, accelerated
}

// apiOf returns the CUDA API version of a toolkit: 130 of "…, release 13.0, V13.0.88".
func apiOf(release string) (uint32, bool) {
	_, tail, _ := strings.Cut(release, "release ")
	number, _, _ := strings.Cut(tail, ",")
	major, minor, _ := strings.Cut(number, ".")
	a, err := strconv.ParseUint(major, 10, 16)
	b, err2 := strconv.ParseUint(minor, 10, 16)
	return uint32(10*a + b), err == nil && err2 == nil
}

// chips are those that have a Mercury side.
var chips = [...]cuda.SM{100, 101, 103, 107, 110, 120, 121}

// linksFrom reports whether code for an SM may be linked into a file for that of the header.
func (c *checker) linksFrom(from cuda.SM) bool {
	return slices.Contains(chips[:], from) && from/10 == c.sm/10 && from <= c.sm
}

// madeFor compares the target of the compiler with that of the header. The two differ
// in a copy by the fast path, which changes the header alone.
func (c *checker) madeFor(sm cuda.SM) {
	if c.copied(sm) {
		c.origin = sm
		c.leave(exCopied)
		return
	}
	c.number(Text, Metadata, 0, atFlags+1, "SM in e_flags", uint64(sm), uint64(c.sm))
}

// copied reports whether code for an SM may be copied for that of the header: it is
// the next of the family, and .nv.compat has its bit.
func (c *checker) copied(from cuda.SM) bool {
	bits, ok := fastpathBits[from]
	if !ok || c.sm != bits.sibling {
		return false
	}
	i := c.indexOf(".nv.compat")
	if i == 0 {
		return false
	}
	r := c.m.File.Info(&c.m.Sections[i].Section)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		if cuda.CompatAttr(rec.Attr) == cuda.CompatCanFastpathFinalize && len(rec.Data) == 8 {
			return number(rec.Data)&bits.next != 0
		}
	}
	return false
}

// noteName is the owner of every note.
const noteName = "NVIDIA Corp\x00"

// noteForms checks owner, type and version of the notes of a section.
func (c *checker) noteForms(section int, notes []cubin.Note) {
	for k := range notes {
		n := &notes[k]
		if n.Name != noteName {
			c.add(Text, Content, section, 0, "owner of a note", strconv.Quote(noteName), strconv.Quote(n.Name))
		}
		var version uint64
		if info, ok := n.Cuinfo(); ok {
			if c.old {
				c.cuver(section, n, &info)
				continue
			}
			version = uint64(info.Version)
			c.number(Text, Metadata, section, 0, "size of a note", 8, uint64(len(n.Desc)))
		} else if info, ok := n.Tkinfo(); ok {
			if version = uint64(info.Version); c.old && version>>8 == 0 {
				version = 2 // 12.8 and 12.9 have 0x80 and 0x81
			}
			if !bytes.Equal(cubin.AppendTkinfo(nil, &info), n.Desc) {
				c.add(Text, Content, section, 0, "strings of a note", "consecutive", "otherwise")
			}
		} else {
			c.add(Text, Content, section, 0, "note", "of type 1000 or 2000", fmt.Sprint("type ", n.Type))
			continue
		}
		c.number(Text, Content, section, 0, "version of a note", 2, version)
	}
}

// cuver checks the note that 12.8 and 12.9 have for .note.nv.cuinfo: u16 1, u16 SM,
// u32 1, u32 1.
func (c *checker) cuver(section int, n *cubin.Note, info *cubin.Cuinfo) {
	if c.writer == writerFinalizer && info.Version == 2 && len(n.Desc) == 8 {
		return // it writes the form of today under the old name
	}
	c.number(Text, Metadata, section, 0, "size of a note", 12, uint64(len(n.Desc)))
	c.number(Text, Content, section, 0, "version of a note", 1, uint64(info.Version))
	if last, ok := cubin.Window(n.Desc, 4, 8); ok && !bytes.Equal(last, []byte{1, 0, 0, 0, 1, 0, 0, 0}) {
		c.add(Text, Content, section, 4, "words of a note", "1 1", fmt.Sprintf("%x", last))
	}
}

// leastSM is the first that a PTX of these releases can be for.
const leastSM = 50

// target returns what -arch gives in the options of a note, "" for none.
func target(options string) string {
	for i, f := range strings.Fields(options) {
		if f == "-arch" {
			if list := strings.Fields(options); i+1 < len(list) {
				return strings.TrimPrefix(list[i+1], "sm_")
			}
		}
	}
	return ""
}

func smOf(target string) uint64 {
	n, _ := strconv.ParseUint(strings.TrimRight(target, "af"), 10, 16)
	return n
}

// compat checks the form of .nv.compat and what it says of the target.
func (c *checker) compat() {
	i := c.indexOf(".nv.compat")
	if i == 0 {
		return
	}
	list, ok := c.records(i, 0)
	if !ok {
		return
	}
	seen := map[cuda.CompatAttr]bool{}
	for k := range list {
		r := &list[k]
		attr := cuda.CompatAttr(r.Attr)
		if seen[attr] {
			c.add(Text, Count, i, r.at, "attribute "+attr.String(), "one", "another")
		}
		seen[attr] = true
		c.compatValue(i, r)
		switch attr {
		case cuda.CompatAcceleratorTarget:
			if c.target != "" {
				c.number(Text, Content, i, r.at+2, attr.String(), oneIf(strings.HasSuffix(c.target, "a")), uint64(r.Value))
			}
		case cuda.CompatMercuryISAMajorMinor:
			c.number(Text, Content, i, r.at+2, attr.String(), uint64(c.mercuryISA()), uint64(r.Value))
		case cuda.CompatCanFastpathFinalize:
			c.fastpath(i, r)
		}
	}
}

// Versions of the Mercury ISA: 1.1, and 1.3 on sm_107.
const (
	mercuryISA    = 0x0101
	mercuryISA107 = 0x0103
)

func (c *checker) mercuryISA() uint16 {
	if c.sm == 107 {
		return mercuryISA107
	}
	return mercuryISA
}

func oneIf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// fastpath checks the targets that an object may be copied for. A family has one
// bit for itself and one for the next SM, 01 and 08 of sm_100, 10 and 40 of
// sm_120; other targets have none. 13.0 leaves both out where the object has no
// code, and the next SM's where the code has an instruction that sm_103 does
// otherwise, of which some are known; 13.5 leaves that of sm_121 out for sm_120a.
func (c *checker) fastpath(i int, r *record) {
	if len(r.Data) != 8 {
		c.number(Text, Metadata, i, r.at+2, "size of "+cuda.CompatCanFastpathFinalize.String(), 8, uint64(len(r.Data)))
		return
	}
	bits := fastpathBits[c.origin]
	want, got := bits.own|bits.next, number(r.Data)
	switch {
	case c.api == api130 && len(c.m.Funcs) == 0 && c.writer != writerFinalizer:
		want = 0
	case c.api == api130 && c.origin == 100 && c.some(traitSM103) && got != want:
		// Not all forms of these instructions are done otherwise there.
		want = bits.own
	case c.api > api130 && c.api < api135 && got&^(want|unnamedTarget) == 0 && got&bits.own != 0:
		want = got
	case got == bits.own, got == 0 && c.api != api130 && c.api != api135:
		want = got
	}
	c.number(Text, Content, i, r.at+4, cuda.CompatCanFastpathFinalize.String(), want, got)
}

// unnamedTarget is a bit that 13.4 sets for a few objects for sm_100.
const unnamedTarget = 0x04

var fastpathBits = map[cuda.SM]struct {
	own, next uint64
	sibling   cuda.SM
}{100: {0x01, 0x08, 103}, 120: {0x10, 0x40, 121}}

// CUDA API versions of .note.nv.cuinfo.
const (
	api130 = 130
	api135 = 135
)

// Instructions that sm_103 does otherwise, besides the arithmetic on doubles
// whose opcodes end in 28 to 2b.
const (
	opFSETPImmediate = 0x80b
	opIMMA           = 0x237
	opDMMA           = 0x23f
)

// otherOnSM103 reports whether sm_103 does an instruction otherwise.
func otherOnSM103(op int) bool {
	low := op & 0xff
	return low >= 0x28 && low <= 0x2b || op == opFSETPImmediate || op == opIMMA || op == opDMMA
}
