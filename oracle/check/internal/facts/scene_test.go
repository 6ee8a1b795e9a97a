package facts

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
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

// attributes by names for these tests.
var attributes = map[string]struct {
	attr   cuda.InfoAttr
	format cuda.InfoFormat
}{
	"registers": {cuda.AttrRegcount, cuda.FormatSized}, "frame": {cuda.AttrFrameSize, cuda.FormatSized}, "stack": {cuda.AttrMinStackSize, cuda.FormatSized}, "most": {cuda.AttrMaxStackSize, cuda.FormatSized},
	"crs": {cuda.AttrCrsStackSize, cuda.FormatSized}, "externs": {cuda.AttrExterns, cuda.FormatSized}, "exits": {cuda.AttrExitInstrOffsets, cuda.FormatSized},
	"branches": {cuda.AttrIndirectBranchTargets, cuda.FormatSized}, "fragments": {cuda.AttrAtEntryFragements, cuda.FormatSized}, "parameter": {cuda.AttrKparamInfo, cuda.FormatSized},
	"barriers": {cuda.AttrNumBarriers, cuda.FormatByte}, "counts": {cuda.AttrVrcCtaInitCount, cuda.FormatByte}, "textures": {cuda.AttrBindlessTextureBank, cuda.FormatByte}, "surfaces": {cuda.AttrBindlessSurfaceBank, cuda.FormatByte},
	"mbarriers": {cuda.AttrNumMbarriers, cuda.FormatHalf}, "mask": {cuda.AttrSparseMmaMask, cuda.FormatHalf}, "version": {cuda.AttrMercuryIsaVersion, cuda.FormatHalf}, "grids": {gridLaunch, cuda.FormatHalf},
	"z": {cuda.AttrCtaidzUsed, cuda.FormatNone}, "reserved": {cuda.AttrReservedSmemUsed, cuda.FormatNone}, "launches": {cuda.AttrNeedCnpWrapper, cuda.FormatNone},
	"single": {cuda.AttrTcgen051ctaUsed, cuda.FormatNone}, "pair": {cuda.AttrTcgen052ctaUsed, cuda.FormatNone}, "cancels": {sass.AttrCancelsClusters, cuda.FormatNone},
}

func nameOf(attr cuda.InfoAttr) string {
	for name, a := range attributes {
		if a.attr == attr {
			return name
		}
	}
	return fmt.Sprint(attr)
}

// textOf are attributes in words: the value, what is right as well, and "?" where it may be missing, "+" where it may be
// larger, "*" where it may be anything.
func textOf(list []link.Fact) string {
	var words []string
	for _, f := range list {
		word := nameOf(f.Attr)
		if f.Key.ID != nil {
			word += ":" + f.Key.ID.Name
		}
		switch value := f.Rest; {
		case f.Attr == cuda.AttrExterns:
			word += "=" + strings.ReplaceAll(f.About, " ", ",")
		case f.Format != cuda.FormatNone && !f.Anything:
			word += fmt.Sprintf("=%x", value)
		}
		for _, also := range f.Also {
			if f.Attr == cuda.AttrExterns {
				word += "|" + strings.ReplaceAll(also, " ", ",")
			} else {
				word += fmt.Sprintf("|%x", also)
			}
		}
		for _, x := range []struct {
			mark string
			is   bool
		}{{"?", f.Optional}, {"+", f.Least}, {"*", f.Anything}} {
			if x.is {
				word += x.mark
			}
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// function is one of an input: its attributes, those of the module about it, what it calls by name, and "kernel",
// "undefined", "several", "local", "taken", "lost", "gone" or "replaced" if it is that.
type function struct {
	name, info, module, calls, is string
	flagged                       uint64 // barriers in the flags of its code
}

// scene is a link of some functions, in one input each.
type scene struct {
	*check
	t   *testing.T
	ids map[string]*link.Identity
}

func (s *scene) body(name string) *link.Body { return s.ids[name].Code }

// sceneOf is a link of the SASS side, or of a file with one side below sm_100.
func sceneOf(t *testing.T, release oracle.Release, sm int, functions ...function) *scene {
	t.Helper()
	l := link.New(1<<16, verdict.Options{})
	l.Release, l.SM, l.Out = release, sm, &link.Output{Image: &image.Image{Side: image.Whole}}
	if sm >= 100 {
		l.Out.Side = image.SassSide
	}
	s := &scene{&check{apply.New(l)}, t, map[string]*link.Identity{}}
	for i, f := range functions {
		id := &link.Identity{Name: f.name, Order: i, File: f.name + ".cubin", Info: byte(cuda.STBGlobal)<<4 | byte(cuda.STTFunc), Def: &image.Symbol{}}
		id.Several, id.Local, id.Taken = strings.Contains(f.is, "several"), strings.Contains(f.is, "local"), strings.Contains(f.is, "taken")
		if strings.Contains(f.is, "kernel") {
			id.Other = cuda.STOEntry
		}
		s.ids[f.name], s.IDs = id, append(s.IDs, id)
	}
	for i, f := range functions {
		for name := range strings.FieldsSeq(f.calls) {
			s.ids[f.name].Calls.Add(s.ids[name])
		}
		if s.ids[f.name].Def = nil; !strings.Contains(f.is, "undefined") {
			s.Modules = append(s.Modules, s.moduleOf(i, f))
		}
	}
	if err := s.Alive(); err != nil {
		t.Fatal(err)
	}
	for _, f := range functions {
		if strings.Contains(f.is, "gone") {
			s.ids[f.name].Live = false
		}
		if strings.Contains(f.is, "unasked") {
			s.ids[f.name].Asked = false
		}
	}
	if err := s.FindNeeds(); err != nil {
		t.Fatal(err)
	}
	return s
}

// moduleOf is an input with one function, in section 4; its symbols are all functions of the link in their order.
func (s *scene) moduleOf(number int, f function) *link.Module {
	s.t.Helper()
	id := s.ids[f.name]
	names := "\x00"
	symbols := make([]byte, 24)
	for i, x := range s.IDs {
		y := binary.LittleEndian.AppendUint32(nil, uint32(len(names)))
		y = append(y, x.Info, x.Other, 0, 0)
		if i == number {
			y[6] = 4
		}
		symbols = append(symbols, append(y, make([]byte, 16)...)...)
		names += x.Name + "\x00"
	}
	flags := cuda.SHFAlloc | cuda.SHFExec | cuda.SectionFlags(f.flagged)<<cuda.SHFBarrierShift
	data := fileOf([]image.Section{{}, {Kind: cuda.SHTStrtab, Body: []byte(names)}, {Kind: cuda.SHTSymtab, Link: 1, Entry: 24, Body: symbols}, {Kind: cuda.SHTCudaInfo, Link: 2, Body: s.info(f.module)},
		{Kind: cuda.SHTProgbits, Flags: flags, Link: 2, Info: uint32(number + 1), Body: make([]byte, 128)}, {Kind: cuda.SHTCudaInfo, Link: 2, Info: 4, Body: s.info(f.info)}})
	m, err := link.ReadModule(number, verdict.Input{Name: id.File, Data: data}, image.SassSide, nil, s.Budget)
	if err != nil {
		s.t.Fatal(err)
	}
	for i, x := range s.IDs {
		m.Refs[i+1] = link.Ref{ID: x}
	}
	b := m.Bodies[4]
	b.Section.Name, b.Owner, b.Names = ".text."+f.name, id, []*link.Identity{id}
	b.Area = &link.Area{Name: b.Section.Name, Base: ".text.", Owner: b, Kind: cuda.SHTProgbits, Flags: flags, Out: &image.Section{Flags: flags &^ cuda.SHFBarrierMask}}
	switch {
	case strings.Contains(f.is, "lost"):
		b.Disposition = link.Lost
	case strings.Contains(f.is, "replaced"):
		b.Disposition = link.Replaced
	}
	id.Code, id.Mod, id.Def = b, m, &m.Symbols[number+1]
	return m
}

// info is a section of attributes: "crs=16 mask=5 externs=@f,@g registers=@f,9", numbers in any base of Go's.
func (s *scene) info(text string) (body []byte) {
	for word := range strings.FieldsSeq(text) {
		name, list, _ := strings.Cut(word, "=")
		a, ok := attributes[name]
		if !ok {
			s.t.Fatal(word)
		}
		var values []byte
		for value := range strings.SplitSeq(list, ",") {
			if value == "" {
				continue
			}
			n, err := strconv.ParseUint(value, 0, 32)
			if value[0] == '@' {
				n, err = uint64(slices.Index(s.IDs, s.ids[value[1:]])+1), nil
			}
			if err != nil {
				s.t.Fatal(word, err)
			}
			values = binary.LittleEndian.AppendUint32(values, uint32(n))
		}
		body = append(body, byte(a.format), byte(a.attr))
		if a.format == cuda.FormatSized {
			body = append(binary.LittleEndian.AppendUint16(body, uint16(len(values))), values...)
		} else {
			body = append(body, append(values, 0, 0)[:2]...)
		}
	}
	return body
}

// fileOf is an ELF file of sections, all without a name.
func fileOf(sections []image.Section) []byte {
	data := make([]byte, 64+64*len(sections))
	put := binary.LittleEndian
	copy(data, "\x7fELF\x02\x01\x01\x41\x08")
	put.PutUint16(data[18:], uint16(cuda.EMCuda))
	put.PutUint64(data[40:], 64)
	put.PutUint16(data[58:], 64)
	put.PutUint16(data[60:], uint16(len(sections)))
	put.PutUint16(data[62:], 1)
	for i := range sections {
		s, row := &sections[i], data[64+64*i:]
		put.PutUint32(row[4:], uint32(s.Kind))
		put.PutUint64(row[8:], uint64(s.Flags))
		put.PutUint64(row[24:], uint64(len(data)))
		put.PutUint64(row[32:], uint64(len(s.Body)))
		put.PutUint32(row[40:], s.Link)
		put.PutUint32(row[44:], s.Info)
		put.PutUint64(row[56:], s.Entry)
		data = append(data, s.Body...)
	}
	return data
}
