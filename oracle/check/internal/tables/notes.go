package tables

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// The notes and .nv.compat that 13.0 brought.
//
// .note.nv.tkinfo is the linker's own note, then every input's whole section.
// .note.nv.cuinfo has the lowest SM of target and inputs and the release.
// .nv.compat is there from sm_90 on and combines the inputs' attributes, each
// by a rule of its own; only the accelerator bit comes from the target.
//
// For sm_100 and up 12.8 and 12.9 write these too, with .note.nv.cuver, which has no
// release, in the place of .note.nv.cuinfo. 12.8 names the target in it.
//
// Source: outputs of nvlink 13.0.88 and 13.5.37; all pairs of attribute values,
// in both orders; 756 outputs of nvJitLink 12.8.93 and 12.9.86.

func (c *check) compareNotes() error {
	var tkinfo, cuinfo, compat *image.Section
	for i := range c.Out.Sections {
		switch s := &c.Out.Sections[i]; {
		case s.Kind == cuda.SHTNote && s.Name == ".note.nv.tkinfo":
			tkinfo = s
		case s.Kind == cuda.SHTNote && s.Name == c.VersionNote():
			cuinfo = s
		case s.Kind == cuda.SHTCudaCompat:
			compat = s
		case s.Kind == cuda.SHTNote:
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionStray, Section: s.Name})
		}
	}
	modern := c.NewForm()
	wantCompat := modern && c.SM >= 90
	for _, n := range [...]struct {
		name  string
		found *image.Section
		want  bool
	}{{".note.nv.tkinfo", tkinfo, modern}, {c.VersionNote(), cuinfo, modern}, {".nv.compat", compat, wantCompat}} {
		switch {
		case n.found == nil && n.want:
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionMissing, Section: n.name})
		case n.found != nil && !n.want:
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionStray, Section: n.name})
		}
	}
	if !modern || tkinfo == nil || cuinfo == nil {
		return nil
	}
	c.compareHeader(tkinfo, wantHeader{kind: cuda.SHTNote, flags: cuda.SHFTkinfo, align: 4})
	c.compareTkinfo(tkinfo)
	w := wantHeader{kind: cuda.SHTNote, flags: cuda.SHFCuinfo, link: uint32(tkinfo.Index), align: 4}
	if compat != nil {
		w.flags |= cuda.SHFInfoLink
		w.info = uint32(compat.Index)
	}
	c.compareHeader(cuinfo, w)
	c.compareCuinfo(cuinfo)
	if compat != nil && wantCompat {
		c.compareHeader(compat, wantHeader{kind: cuda.SHTCudaCompat, align: 4})
		return c.compareCompat(compat)
	}
	return nil
}

func (c *check) note(s *image.Section, what, want, got string) {
	if want != got {
		c.Verdict.Add(verdict.Finding{Kind: verdict.NoteValue, Section: s.Name, Want: want, Got: got, Detail: what})
	}
}

// habitNote is note for what nothing but tools for people read.
func (c *check) habitNote(s *image.Section, what, want, got string) {
	if want != got {
		c.Verdict.Habit(verdict.Finding{Kind: verdict.NoteValue, Section: s.Name, Want: want, Got: got, Detail: what})
	}
}

// compareTkinfo reads the linker's own note and wants the inputs' after it.
func (c *check) compareTkinfo(s *image.Section) {
	size := uint64(image.Word(s.Body, 4))
	own, ok := image.Cut(s.Body, 0, 24+size)
	if !ok {
		c.habitNote(s, "length of the first note", "within the section", verdict.Hex(size))
		return
	}
	owner, _ := image.Cut(own, 12, 12)
	c.habitNote(s, "owner", cuda.NoteOwner, string(owner))
	c.habitNote(s, "type", fmt.Sprint(cuda.NoteTypeTkinfo), fmt.Sprint(image.Word(own, 8)))
	version := uint64(cuda.NoteTkinfoVersion)
	if c.FirstMercury() {
		version = uint64(c.Release)
	}
	c.habitNote(s, "version", fmt.Sprint(version), fmt.Sprint(image.Word(own, 24)))
	table, _ := image.Cut(own, 48, max(uint64(len(own)), 48)-48)
	for i, what := range [...]string{"object name", "tool name", "tool version", "build", "command line"} {
		if _, ok := image.Text(table, uint64(image.Word(own, 28+4*uint64(i)))); !ok {
			c.habitNote(s, what, "a string in the note", verdict.Hex(uint64(image.Word(own, 28+4*uint64(i)))))
		}
	}
	c.compareToolStrings(s, own, table)
	var rest []byte
	if !c.Relocatable {
		for _, m := range c.Modules {
			for i := range m.Sections {
				if m.Sections[i].Name == s.Name {
					rest = append(rest, m.Sections[i].Body...)
				}
			}
		}
	}
	if got, _ := image.Cut(s.Body, uint64(len(own)), s.Size-uint64(len(own))); !bytes.Equal(rest, got) {
		at := 0
		for at < len(rest) && at < len(got) && rest[at] == got[at] {
			at++
		}
		c.Verdict.Habit(verdict.Finding{Kind: verdict.NoteValue, Section: s.Name, Offset: uint64(len(own) + at), Detail: "the inputs' notes",
			Want: fmt.Sprintf("%d bytes", len(rest)), Got: fmt.Sprintf("%d bytes", len(got))})
	}
}

// The texts that tell tool and release, whose shape all releases of NVIDIA's
// tools keep.
var (
	toolVersion = shape(`^Cuda compilation tools, release (\d+)\.(\d), V\d+\.\d\.\d+$`)
	toolBuild   = shape(`^Build cuda_(\d+)\.(\d)\.r\d+\.\d/compiler\.\d+_\d+$`)
)

// shape compiles a pattern when it is first asked for: most commands read no notes.
func shape(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// compareToolStrings wants texts that fit the release and each other, and a
// command line that names the target.
func (c *check) compareToolStrings(s *image.Section, own, table []byte) {
	var texts [5]string
	for i := range texts {
		texts[i], _ = image.Text(table, uint64(image.Word(own, 28+4*uint64(i))))
	}
	release := fmt.Sprintf("%d.%d", c.Release/10, c.Release%10)
	for _, x := range [...]struct {
		what, text string
		shape      *regexp.Regexp
	}{{"tool version", texts[2], toolVersion()}, {"build", texts[3], toolBuild()}} {
		m := x.shape.FindStringSubmatch(x.text)
		if m == nil || m[1]+"."+m[2] != release {
			c.habitNote(s, x.what, "one of release "+release, strconv.Quote(x.text))
		}
	}
	if arch := "-arch " + c.Options.Arch + " "; c.Options.Arch != "" && !strings.Contains(texts[4], arch) {
		c.habitNote(s, "command line", arch, strconv.Quote(texts[4]))
	}
}

// noteValue is a number that a note must have at a place.
type noteValue struct {
	what      string
	at, width uint64
	want      uint64
}

func (c *check) compareCuinfo(s *image.Section) {
	length, version := uint64(cuinfoSize), uint64(cuda.NoteCuinfoVersion)
	sm, words := c.OldestSM(), []noteValue{{"API", 28, 4, uint64(c.Release)}}
	if c.FirstMercury() {
		length, version, words = cuverSize, cuverVersion, []noteValue{{"first word", 28, 4, cuverWord}, {"second word", 32, 4, cuverWord}}
	}
	if c.Release == namesTarget {
		sm = uint64(c.SM)
	}
	c.note(s, "length", fmt.Sprint(length), fmt.Sprint(len(s.Body)))
	for _, n := range append([]noteValue{
		{"name length", 0, 4, 12}, {"length", 4, 4, length - 24}, {"type", 8, 4, cuda.NoteTypeCuinfo}, {"version", 24, 2, version}, {"SM", 26, 2, sm},
	}, words...) {
		c.note(s, n.what, fmt.Sprint(n.want), fmt.Sprint(image.Number(s.Body, n.at, n.width)))
	}
	if owner, ok := image.Cut(s.Body, 12, 12); ok {
		c.note(s, "owner", cuda.NoteOwner, string(owner))
	}
}

// namesTarget is the release whose note names the target, whatever the inputs were made for.
const namesTarget oracle.Release = 128

// The sizes of both notes; the version of .note.nv.cuver and the two words after the SM, of which no others were seen.
const (
	cuinfoSize   = 32
	cuverSize    = 36
	cuverVersion = 1
	cuverWord    = 1
)
