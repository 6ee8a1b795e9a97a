package check

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Call frames of the SASS side.
//
// The finalizer writes .debug_frame anew: for each function of the output its
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

// frame is one FDE with the CIE it names.
type frame struct {
	at       uint64 // of the FDE
	cie, fde string // bytes behind the identifier
	id       *identity
}

// frames takes a .debug_frame apart. names tells the function whose address
// stands at an offset.
// Of an input the CIE is the one before: ptxas writes its offset in the Mercury
// section, where frames have other lengths.
func frames(body []byte, names map[uint64]*identity, input bool) ([]frame, bool) {
	cies := map[uint64]string{}
	before := ""
	var list []frame
	for at := uint64(0); at < uint64(len(body)); {
		start, width, length := at, uint64(4), number(body, at, 4)
		at += 4
		if length == 1<<32-1 {
			width, length = 8, number(body, at, 8)
			at += 8
		}
		entry, ok := cut(body, at, length)
		if !ok || length < width {
			return nil, false
		}
		at += length
		name := number(entry, 0, width)
		rest, _ := cut(entry, width, length-width)
		if name == 1<<(8*width)-1 {
			before = string(rest)
			cies[start] = before
			continue
		}
		if len(rest) < 16 {
			return nil, false
		}
		// The address follows the length and the identifier.
		if input {
			cies[name] = before
		}
		list = append(list, frame{at: start, cie: cies[name], fde: string(rest), id: names[at-length+width]})
	}
	return list, true
}

// compareFrames holds the frames of the output against those of the inputs.
func (c *check) compareFrames() error {
	a := c.byKey[areaKey{".debug_frame", nil}]
	if c.out.side != sassSide || a == nil {
		return nil
	}
	want, all := map[*identity][]frame{}, map[*identity][]frame{}
	for _, m := range c.modules {
		for _, list := range m.relocs {
			s := &m.sections[list.target]
			if s.name != ".debug_frame" || s.body == nil {
				continue
			}
			names := map[uint64]*identity{}
			for _, r := range list.list {
				if id := m.refs[r.symbol].id; r.kind == cuda.R_CUDA_64 && id != nil {
					names[r.offset] = id.first()
				}
			}
			found, ok := frames(s.body, names, true)
			if !ok {
				continue // the Mercury side keeps it as it is
			}
			for _, f := range found {
				if f.id != nil && f.id.live {
					all[f.id] = append(all[f.id], f)
				}
				if f.id != nil && f.id.live && f.id.mod == m {
					want[f.id] = append(want[f.id], f)
				}
			}
			if err := c.budget.spend(m.name, uint64(len(found)+len(list.list))); err != nil {
				return err
			}
		}
	}
	if a.out == nil {
		if len(want) > 0 {
			c.verdict.habit(Finding{Kind: SectionMissing, Section: a.name, Detail: "left out or stripped; nothing that runs needs it"})
		}
		return nil
	}
	return c.compareFrameLists(a, want, all)
}

// compareFrameLists: what -r made of a weak function and the one that took its place has
// frames of both, under one name, and a link of that keeps them.
func (c *check) compareFrameLists(a *area, want, all map[*identity][]frame) error {
	names := map[uint64]*identity{}
	var records []uint64
	for _, l := range c.out.lists {
		if l.target != a.out.index || l.section.kind == cuda.SHTCudaResolvedRela {
			continue
		}
		for _, r := range l.list {
			records = append(records, r.offset)
			if id := c.outRef(r.symbol).id; r.kind == cuda.R_CUDA_64 && r.addend == 0 && id != nil {
				names[r.offset] = id
			} else {
				c.verdict.add(Finding{Kind: RelocationStray, Section: a.name, Offset: r.offset, Relocation: relocationName(r.kind), Symbol: c.outRef(r.symbol).String()})
			}
		}
	}
	got, ok := frames(a.out.body, names, false)
	if !ok {
		c.verdict.add(Finding{Kind: SectionBytes, Section: a.name, Detail: "frames that don't read"})
		return nil
	}
	if len(records) != len(got) {
		c.verdict.add(Finding{Kind: RelocationMissing, Section: a.name, Want: fmt.Sprintf("%d frames", len(got)), Got: fmt.Sprintf("%d records", len(records))})
	}
	seen := map[*identity]int{}
	for _, g := range got {
		of := want[g.id]
		wanted := len(of) > 0
		f := Finding{Section: a.name, Symbol: g.id.String(), Offset: g.at}
		switch {
		case g.id == nil:
			f.Kind, f.Detail = RelocationMissing, "a frame whose function no record names"
		case g.id.code != nil && len(g.id.code.names) > 1 || !wanted && c.relocatable && !g.id.several:
			// That of code with two names is made from Mercury's.
		case g.id.several:
			// That of a definition which was given up may stay, made over.
			if !madeOver(all[g.id], g) {
				f.Kind, f.Got, f.Detail = SectionBytes, fmt.Sprintf("%x %x", g.cie, g.fde), "a frame of none of the function's definitions"
			}
		case !wanted:
			f.Kind, f.Detail = SectionBytes, "a frame of no function of the link"
		case seen[g.id] >= len(of):
			f.Kind, f.Detail = SectionBytes, "a second frame of the function"
		case !slices.ContainsFunc(of, func(w frame) bool {
			return w.cie == g.cie && (w.fde == g.fde && !c.wasReworked(g.id) || c.sameRows(w, g))
		}):
			w := of[min(seen[g.id], len(of)-1)]
			f.Kind, f.Want, f.Got = SectionBytes, fmt.Sprintf("%x %x", w.cie, w.fde), fmt.Sprintf("%x %x", g.cie, g.fde)
		}
		seen[g.id]++
		if f.Kind != 0 {
			c.verdict.add(f)
		}
	}
	for _, id := range c.ids {
		if of := want[id]; seen[id] < min(len(of), 1) {
			c.verdict.add(Finding{Kind: SectionBytes, File: id.file, Section: a.name, Symbol: id.name, Offset: of[0].at, Detail: "the function's frame is missing"})
		}
	}
	return nil
}
