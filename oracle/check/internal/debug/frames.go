package debug

import (
	"fmt"
	"maps"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Call frames of the SASS side.
//
// The finalizer writes .debug_frame again: for each function of the output its
// CIE and its FDE as they are in the input, one after the other, so only the
// FDE's pointer to its CIE changes. Those of functions that are gone are left
// out. An entry begins with a length, four bytes or ff ff ff ff and eight;
// an identifier of the same width follows, all ones for a CIE, else the offset
// of the CIE; then, in an FDE, eight bytes for the function's address, for which
// a record stands.
//
//	0          4         12        20        28
//	ff ff ff ff | length  | CIE     | address | size ...
//
// Source: .debug_frame of 200 links by nvlink 13.0.88.

// The address is that of the code and an addend: where a function begins that is inside a kernel (-ewp). The
// CIE of such a one has the kernel's address in it, for which a record is as well.

// frame is one FDE with the CIE it names.
type frame struct {
	at    uint64 // of the FDE
	cie   cie
	fde   string // bytes after the identifier
	id    *link.Identity
	begin uint64 // of the function in its code
}

// cie is what a CIE says.
type cie struct {
	text  string // bytes after the identifier
	names string // where it names its function's code
}

// named is what a record names: a function's code and a place in it.
type named struct {
	id    *link.Identity
	begin uint64
}

// frames takes a .debug_frame apart. names says what is at an offset, and used is for how much of that there
// are frames.
// Of an input the CIE is the one before: ptxas writes its offset in the Mercury
// section, where frames have other lengths.
func frames(body []byte, names map[uint64]named, input bool) (list []frame, used int, ok bool) {
	cies := map[uint64]cie{}
	before := cie{}
	places := slices.Sorted(maps.Keys(names))
	for at := uint64(0); at < uint64(len(body)); {
		start, width, length := at, uint64(4), image.Number(body, at, 4)
		at += 4
		if length == 1<<32-1 {
			width, length = 8, image.Number(body, at, 8)
			at += 8
		}
		entry, ok := image.Cut(body, at, length)
		if !ok || length < width {
			return nil, 0, false
		}
		at += length
		name := image.Number(entry, 0, width)
		rest, _ := image.Cut(entry, width, length-width)
		if name == 1<<(8*width)-1 {
			before = cie{text: string(rest)}
			for ; len(places) > 0 && places[0] < at; places = places[1:] {
				if place := places[0]; place >= at-length+width && names[place].begin == 0 {
					before.names += fmt.Sprintf(" %d", place-start)
					used++
				}
			}
			cies[start] = before
			continue
		}
		if len(rest) < 16 { // address and size
			return nil, 0, false
		}
		// The address follows the length and the identifier.
		if input {
			cies[name] = before
		}
		code, known := names[at-length+width]
		if known {
			used++
		}
		list = append(list, frame{at: start, cie: cies[name], fde: string(rest), id: code.id, begin: code.begin})
	}
	return list, used, true
}

// compareFrames holds the frames of the output against those of the inputs.
func (c *check) compareFrames() error {
	a := c.ByKey[link.AreaKey{Base: ".debug_frame", Owner: nil}]
	if c.Out.Side != image.SassSide || a == nil {
		return nil
	}
	want, all := map[*link.Identity][]frame{}, map[*link.Identity][]frame{}
	for _, m := range c.Modules {
		for _, list := range m.Relocs {
			s := &m.Sections[list.Target]
			if s.Name != ".debug_frame" {
				continue
			}
			names := map[uint64]named{}
			for _, r := range list.List {
				if id := m.Refs[r.Symbol].ID; r.Kind == cuda.R_CUDA_64 && id != nil {
					names[r.Offset] = named{id.First(), beginOf(s, r)}
				}
			}
			found, _, ok := frames(s.Body, names, true)
			if !ok {
				continue // the Mercury side keeps it as it is
			}
			for _, f := range found {
				if f.id != nil && f.id.Live {
					all[f.id] = append(all[f.id], f)
				}
				if f.id != nil && f.id.Live && f.id.Mod == m {
					want[f.id] = append(want[f.id], f)
				}
			}
			if err := c.Budget.Spend(m.Name, uint64(len(found)+len(list.List))); err != nil {
				return err
			}
		}
	}
	if a.Out == nil {
		if len(want) > 0 {
			c.Verdict.Habit(verdict.Finding{Kind: verdict.SectionMissing, Section: a.Name, Detail: "omitted or stripped; no running code needs it"})
		}
		return nil
	}
	return c.compareFrameLists(a, want, all)
}

// compareFrameLists: what -r made of a weak function and the one that took its place has
// frames of both, under one name, and a link of that keeps them.
func (c *check) compareFrameLists(a *link.Area, want, all map[*link.Identity][]frame) error {
	names, records, strays := c.framesNamed(a)
	got, used, ok := frames(a.Out.Body, names, false)
	if !ok {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SectionBytes, Section: a.Name, Detail: "malformed frames"})
		return nil
	}
	switch {
	case records < len(got):
		c.Verdict.Add(verdict.Finding{Kind: verdict.RelocationMissing, Section: a.Name, Want: fmt.Sprintf("%d frames", len(got)), Got: fmt.Sprintf("%d records", records)})
	case records > used+strays:
		c.Verdict.Add(verdict.Finding{Kind: verdict.RelocationStray, Section: a.Name, Want: fmt.Sprintf("%d locations of functions", used), Got: fmt.Sprintf("%d records", records)})
	}
	seen := map[*link.Identity]int{}
	for _, g := range got {
		f := verdict.Finding{Section: a.Name, Symbol: g.id.String(), Offset: g.at}
		if c.judgeFrame(&f, g, want[g.id], seen[g.id], all); f.Kind != 0 {
			c.Verdict.Add(f)
		}
		seen[g.id]++
	}
	for _, id := range c.IDs {
		if of := want[id]; len(of) > 0 && (seen[id] == 0 || inner(id) && !id.Several && seen[id] < len(of)) {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionBytes, File: id.File, Section: a.Name, Symbol: id.Name, Offset: of[0].at, Detail: "the function's frame is missing"})
		}
	}
	return nil
}

// inner reports whether a kernel has functions inside.
func inner(id *link.Identity) bool { return id.Code != nil && id.Code.HoldsFunctions() }

// framesNamed are the functions whose addresses are at places of the output's frames, and how many records
// there are, strays that are told of among them.
func (c *check) framesNamed(a *link.Area) (names map[uint64]named, records, strays int) {
	names = map[uint64]named{}
	for _, l := range c.Out.Lists {
		if l.Target != a.Out.Index || l.Section.Kind == cuda.SHTCudaResolvedRela {
			continue
		}
		records += len(l.List)
		for _, r := range l.List {
			begin := beginOf(a.Out, r)
			if id := c.OutRef(r.Symbol).ID; r.Kind == cuda.R_CUDA_64 && id != nil && (begin == 0 || inner(id)) {
				names[r.Offset] = named{id, begin}
			} else {
				strays++
				c.Verdict.Add(verdict.Finding{Kind: verdict.RelocationStray, Section: a.Name, Offset: r.Offset, Relocation: image.RelocationName(r.Kind), Symbol: c.OutRef(r.Symbol).String()})
			}
		}
	}
	return names, records, strays
}

// beginOf is where the function begins that a record names in a section of frames.
func beginOf(s *image.Section, r image.Record) uint64 {
	if r.Rela || r.Addend != 0 {
		return uint64(r.Addend)
	}
	at, _ := image.Cut(s.Body, r.Offset, 8)
	return image.Number(at, 0, uint64(len(at)))
}

// judgeFrame holds a frame of the output against the input's of that function, of which some were met before. Where it is
// right the finding has no kind.
func (c *check) judgeFrame(f *verdict.Finding, g frame, of []frame, before int, all map[*link.Identity][]frame) {
	switch {
	case g.id == nil:
		f.Kind, f.Detail = verdict.RelocationMissing, "a frame without a record for its function"
	case c.Relocatable && !g.id.Several && len(all[g.id.First()]) == 0:
	case g.id.Several || g.id.Code != nil && len(g.id.Code.Names) > 1 && !inner(g.id) || len(of) == 0 && c.Relocatable:
		// That of a definition which was given up may stay, made over.
		if !madeOver(all[g.id.First()], g) {
			f.Kind, f.Got, f.Detail = verdict.SectionBytes, fmt.Sprintf("%x %x", g.cie.text, g.fde), "a frame that matches none of the function's definitions"
		}
	case len(of) == 0:
		f.Kind, f.Detail = verdict.SectionBytes, "a frame of no function of the link"
	case before >= len(of):
		f.Kind, f.Detail = verdict.SectionBytes, "a second frame of the function"
	case !slices.ContainsFunc(of, func(w frame) bool {
		return w.cie == g.cie && (w.begin == g.begin && w.fde == g.fde && !c.WasReworked(g.id) || c.sameRows(w, g))
	}):
		w := of[before]
		f.Kind, f.Want, f.Got = verdict.SectionBytes, fmt.Sprintf("%x %x", w.cie.text, w.fde), fmt.Sprintf("%x %x", g.cie.text, g.fde)
	}
}
