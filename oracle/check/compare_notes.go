package check

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// The notes and .nv.compat that 13.0 brought.
//
// .note.nv.tkinfo is the linker's own note, then every input's whole section.
// .note.nv.cuinfo has the lowest SM of target and inputs and the release.
// .nv.compat is there from sm_90 on and combines the inputs' attributes, each
// by a rule of its own; only the accelerator bit comes from the target.
//
// Source: outputs of nvlink 13.0.88 and 13.5.37; all pairs of attribute values,
// in both orders.

func (c *check) compareNotes() error {
	var tkinfo, cuinfo, compat *section
	for i := range c.out.sections {
		switch s := &c.out.sections[i]; {
		case s.kind == cuda.SHTNote && s.name == ".note.nv.tkinfo":
			tkinfo = s
		case s.kind == cuda.SHTNote && s.name == ".note.nv.cuinfo":
			cuinfo = s
		case s.kind == cuda.SHTCudaCompat:
			compat = s
		case s.kind == cuda.SHTNote:
			c.verdict.add(Finding{Kind: SectionStray, Section: s.name})
		}
	}
	modern := c.release >= 130
	wantCompat := modern && c.sm >= 90
	for _, n := range [...]struct {
		name  string
		found *section
		want  bool
	}{{".note.nv.tkinfo", tkinfo, modern}, {".note.nv.cuinfo", cuinfo, modern}, {".nv.compat", compat, wantCompat}} {
		switch {
		case n.found == nil && n.want:
			c.verdict.add(Finding{Kind: SectionMissing, Section: n.name})
		case n.found != nil && !n.want:
			c.verdict.add(Finding{Kind: SectionStray, Section: n.name})
		}
	}
	if !modern || tkinfo == nil || cuinfo == nil {
		return nil
	}
	c.compareHeader(tkinfo, wantHeader{kind: cuda.SHTNote, flags: cuda.SHFTkinfo, align: 4})
	c.compareTkinfo(tkinfo)
	w := wantHeader{kind: cuda.SHTNote, flags: cuda.SHFCuinfo, link: uint32(tkinfo.index), align: 4}
	if compat != nil {
		w.flags |= cuda.SHFInfoLink
		w.info = uint32(compat.index)
	}
	c.compareHeader(cuinfo, w)
	c.compareCuinfo(cuinfo)
	if compat != nil && wantCompat {
		c.compareHeader(compat, wantHeader{kind: cuda.SHTCudaCompat, align: 4})
		return c.compareCompat(compat)
	}
	return nil
}

func (c *check) note(s *section, what, want, got string) {
	if want != got {
		c.verdict.add(Finding{Kind: NoteValue, Section: s.name, Want: want, Got: got, Detail: what})
	}
}

// habitNote is note for what nothing but tools for people read.
func (c *check) habitNote(s *section, what, want, got string) {
	if want != got {
		c.verdict.habit(Finding{Kind: NoteValue, Section: s.name, Want: want, Got: got, Detail: what})
	}
}

// compareTkinfo reads the linker's own note and wants the inputs' behind it.
func (c *check) compareTkinfo(s *section) {
	size := uint64(word(s.body, 4))
	own, ok := cut(s.body, 0, 24+size)
	if !ok {
		c.habitNote(s, "length of the first note", "within the section", hex(size))
		return
	}
	owner, _ := cut(own, 12, 12)
	c.habitNote(s, "owner", cuda.NoteOwner, string(owner))
	c.habitNote(s, "type", fmt.Sprint(cuda.NoteTypeTkinfo), fmt.Sprint(word(own, 8)))
	c.habitNote(s, "version", fmt.Sprint(cuda.NoteTkinfoVersion), fmt.Sprint(word(own, 24)))
	table, _ := cut(own, 48, max(uint64(len(own)), 48)-48)
	for i, what := range [...]string{"object name", "tool name", "tool version", "build", "command line"} {
		if _, ok := text(table, uint64(word(own, 28+4*uint64(i)))); !ok {
			c.habitNote(s, what, "a string in the note", hex(uint64(word(own, 28+4*uint64(i)))))
		}
	}
	c.compareToolStrings(s, own, table)
	var rest []byte
	if !c.relocatable {
		for _, m := range c.modules {
			for i := range m.sections {
				if m.sections[i].name == s.name {
					rest = append(rest, m.sections[i].body...)
				}
			}
		}
	}
	if got, _ := cut(s.body, uint64(len(own)), s.size-uint64(len(own))); !bytes.Equal(rest, got) {
		at := 0
		for at < len(rest) && at < len(got) && rest[at] == got[at] {
			at++
		}
		c.verdict.habit(Finding{Kind: NoteValue, Section: s.name, Offset: uint64(len(own) + at), Detail: "the inputs' notes",
			Want: fmt.Sprintf("%d bytes", len(rest)), Got: fmt.Sprintf("%d bytes", len(got))})
	}
}

// The texts that tell tool and release, whose shape all releases of NVIDIA's
// tools keep.
var (
	toolVersion = regexp.MustCompile(`^Cuda compilation tools, release (\d+)\.(\d), V\d+\.\d\.\d+$`)
	toolBuild   = regexp.MustCompile(`^Build cuda_(\d+)\.(\d)\.r\d+\.\d/compiler\.\d+_\d+$`)
)

// compareToolStrings wants texts that fit the release and each other, and a
// command line that names the target.
func (c *check) compareToolStrings(s *section, own, table []byte) {
	var texts [5]string
	for i := range texts {
		texts[i], _ = text(table, uint64(word(own, 28+4*uint64(i))))
	}
	release := fmt.Sprintf("%d.%d", c.release/10, c.release%10)
	for _, x := range [...]struct {
		what, text string
		shape      *regexp.Regexp
	}{{"tool version", texts[2], toolVersion}, {"build", texts[3], toolBuild}} {
		m := x.shape.FindStringSubmatch(x.text)
		if m == nil || m[1]+"."+m[2] != release {
			c.habitNote(s, x.what, "one of release "+release, strconv.Quote(x.text))
		}
	}
	if arch := "-arch " + c.options.Arch + " "; c.options.Arch != "" && !strings.Contains(texts[4], arch) {
		c.habitNote(s, "command line", arch, strconv.Quote(texts[4]))
	}
}

func (c *check) compareCuinfo(s *section) {
	sm := uint64(c.sm)
	for _, m := range c.modules {
		sm = min(sm, m.objectSM())
	}
	c.note(s, "length", "32", fmt.Sprint(len(s.body)))
	for _, n := range [...]struct {
		what      string
		at, width uint64
		want      uint64
	}{
		{"name length", 0, 4, 12}, {"length", 4, 4, 8}, {"type", 8, 4, cuda.NoteTypeCuinfo},
		{"version", 24, 2, cuda.NoteCuinfoVersion}, {"SM", 26, 2, sm}, {"API", 28, 4, uint64(c.release)},
	} {
		c.note(s, n.what, fmt.Sprint(n.want), fmt.Sprint(number(s.body, n.at, n.width)))
	}
	if owner, ok := cut(s.body, 12, 12); ok {
		c.note(s, "owner", cuda.NoteOwner, string(owner))
	}
}

// objectSM is the SM an input was made for: that of its note, which 12.8 and 12.9 call
// otherwise; of older objects the virtual one.
func (m *module) objectSM() uint64 {
	for i := range m.sections {
		if s := &m.sections[i]; (s.name == ".note.nv.cuinfo" || s.name == ".note.nv.cuver") && len(s.body) >= 32 {
			return number(s.body, 26, 2)
		}
	}
	if m.header.osabi != cuda.OSABICuda13 {
		return uint64(m.header.flags & cuda.EFLegacyVirtualSM >> 16)
	}
	return uint64(m.sm())
}
