package place

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/oracletest"
	"github.com/twinlink/twinlink/internal/relayout"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/reach"
	"github.com/twinlink/twinlink/oracle/check/internal/resolve"
)

// placed finds where everything is in one side of an output.
func placed(t *testing.T, l *oracletest.Link, output []byte, side image.Side, other *Places, change ...func(c *Places)) *Places {
	t.Helper()
	c := &Places{Reach: &reach.Reach{Resolved: &resolve.Resolved{Link: link.New(1<<20, l.Options)}}}
	c.Side = side
	if other != nil {
		c.Hints, c.Sass = other.Hints, other.Link
	}
	for i, in := range l.Inputs {
		var counterpart *image.Image
		if other != nil {
			counterpart = other.Modules[i].Image
		}
		m, err := link.ReadModule(i, in, side, counterpart, c.Budget)
		if err != nil {
			t.Fatal(err)
		}
		c.Modules = append(c.Modules, m)
	}
	if err := c.ReadOutput(output); err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(c)
	}
	for _, phase := range []func() error{c.Resolve, c.ReadCalls, c.Alive, c.FindNeeds, c.FindPlaces} {
		if err := phase(); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// symbolAt is the place that the output's only symbol of a name has in a section.
func symbolAt(c *Places, name string, section int) (value uint64, only bool) {
	n := 0
	for _, s := range c.Out.Symbols {
		if s.Name == name && s.Shndx == section && !s.Special && s.Kind() != cuda.STTSection {
			value, n = s.Value, n+1
		}
	}
	return value, n == 1
}

// imagesOf are the slots for images that nvlink's records fill in a kernel's bank: the name and the place of each.
func imagesOf(c *Places, bank *link.Area) (list []string) {
	for _, l := range c.Out.Lists {
		if &c.Out.Sections[l.Target] != bank.Out || l.Section.Kind == cuda.SHTCudaResolvedRela {
			continue
		}
		for _, r := range l.List {
			if id := c.OutRef(r.Symbol).ID; fillsSlot(r.Kind) && id != nil {
				list = append(list, fmt.Sprintf("%s@%d", id.Name, r.Offset))
			}
		}
	}
	slices.Sort(list)
	return list
}

// layouts are an output as it is and in two others.
func layouts(t *testing.T, output []byte, seed uint64) [][]byte {
	t.Helper()
	list := [][]byte{output}
	for _, s := range [...]uint64{seed, seed + 1000} {
		other, err := relayout.File(output, relayout.All, s)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, other)
	}
	return list
}

// TestWithoutNames takes the names of local variables out of nvlink's images, as a stripper does: the fields of the code
// say the same places.
func TestWithoutNames(t *testing.T) {
	found, hidden := 0, 0
	for n, l := range oracletest.Links(t) {
		for layout, output := range layouts(t, l.Output, uint64(n)) {
			was := map[string][]uint64{}
			c := placed(t, &l, output, image.SassSide, nil, func(c *Places) {
				for i := range c.Out.Symbols {
					s := &c.Out.Symbols[i]
					if k := s.Kind(); k != cuda.STTObject && k != cuda.STTCudaObject || s.Bind() != cuda.STBLocal || s.Special || !s.Defined() || c.Out.Recorded(uint32(i)) {
						continue
					}
					was[s.Name] = append(was[s.Name], s.Value)
					*s = image.Symbol{Index: s.Index}
					hidden++
				}
			})
			for _, id := range c.IDs {
				at, told := c.Observed[link.ObservedKey{ID: id}]
				places := was[id.Name]
				if !told || len(places) == 0 || id.Several || id.InShared() {
					continue
				}
				if found++; !slices.Contains(places, at) {
					t.Errorf("%s, layout %d: %s is at %v, fields say 0x%x", l.Name, layout, id.Name, places, at)
				}
			}
			for _, a := range c.Areas {
				for _, p := range a.Parts {
					if !a.Present() || a.Optional || a.Out == nil || a.Code() || !p.Placed || p.Section.Body == nil || a.Out.Body == nil || c.Rewritten(a) || a.Base == ".nv_debug_info_reg_type" {
						continue
					}
					for _, piece := range p.Pieces() {
						if !p.Mod.Alike(p.Section, piece.From, piece.Size, a.Out.Body, piece.To) {
							t.Errorf("%s, layout %d: %s of %s is not at 0x%x", l.Name, layout, a.Name, p.Mod.Name, piece.To)
						}
					}
				}
			}
		}
	}
	if found < 50 || hidden < 100 {
		t.Errorf("only %d places of %d variables without a name", found, hidden)
	}
}

// TestRecorded finds every section, part and object of recorded links in nvlink's image, and in the same image written in another
// layout: the bytes of each part are the input's, and an object is where its symbol says.
func TestRecorded(t *testing.T) {
	parts, objects, slots, told := 0, 0, 0, 0
	for n, l := range oracletest.Links(t) {
		for layout, output := range layouts(t, l.Output, uint64(n)) {
			var first *Places
			for _, side := range []image.Side{image.SassSide, image.MercurySide} {
				c := placed(t, &l, output, side, first)
				where := fmt.Sprintf("%s, layout %d, side %d", l.Name, layout, side)
				if c.Verdict.Total > 0 {
					t.Errorf("%s: %s", where, c.Verdict.Findings[0])
				}
				for _, a := range c.Areas {
					switch {
					case !a.Present() || a.Optional || side == image.MercurySide && image.NoBits(a.Kind) || c.Rewritten(a):
						continue
					case a.Out == nil:
						if !strings.HasPrefix(a.Name, ".debug") && !a.Code() && c.neededArea(a) {
							t.Errorf("%s: %s is not found", where, a.Name)
						}
						continue
					case a.Code():
						continue
					}
					for _, p := range a.Parts {
						if p.Section.Size == 0 || !p.Placed && layout > 0 && !c.NeededPart(a, p) {
							continue
						}
						parts++
						for _, piece := range p.Pieces() {
							if !p.Placed || piece.To+piece.Size > a.Out.Size || p.Section.Body != nil && a.Out.Body != nil && !p.Mod.Alike(p.Section, piece.From, piece.Size, a.Out.Body, piece.To) && a.Base != ".nv_debug_info_reg_type" {
								t.Errorf("%s: %s of %s is not at 0x%x, placed: %v", where, a.Name, p.Mod.Name, piece.To, p.Placed)
							}
						}
					}
					if a.Owner != nil && a.Owner.Kernel() && strings.HasPrefix(a.Base, ".nv.constant0.") && !c.Relocatable && a.Owner.Owner.Asked {
						var want []string
						for _, id := range c.IDs {
							if id.Image() && c.HasSlot(id, a.Owner) {
								want = append(want, fmt.Sprintf("%s@%d", id.Name, c.SlotOf(id, a.Owner)))
							}
						}
						slices.Sort(want)
						if got := imagesOf(c, a); a.Slots && !slices.Equal(got, want) {
							t.Errorf("%s: the images of %s are %v, nvlink has %v", where, a.Name, want, got)
						}
						slots += len(want)
					}
				}
				for _, id := range c.IDs {
					if id.At == nil || id.At.Out == nil || !id.Placed || id.Function() || id.Several {
						continue
					}
					index := slices.IndexFunc(c.Out.Sections, func(s image.Section) bool { return s.Index == id.At.Out.Index })
					if at, only := symbolAt(c, id.Name, index); only {
						if objects++; at != id.Value {
							t.Errorf("%s: %s is at 0x%x, nvlink says 0x%x", where, id.Name, id.Value, at)
						}
					}
				}
				told += len(c.Observed)
				if first = c; c.Out.Side != image.SassSide {
					break
				}
			}
		}
	}
	if parts < 1500 || objects < 500 || slots < 20 || told < 100 {
		t.Errorf("only %d parts, %d objects, %d slots for images, %d places told by fields", parts, objects, slots, told)
	}
}

// neededArea reports whether some part of an area is.
func (c *Places) neededArea(a *link.Area) bool {
	return slices.ContainsFunc(a.Parts, func(p *link.Part) bool { return c.NeededPart(a, p) })
}
