package facts

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/reach"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// The attributes of the output are those of the inputs, and for kernels what
// they owe to the code they reach.
//
// Records carry symbol numbers, so both sides are first brought to a form that
// names what the number stands for.

func infoName(attr cuda.InfoAttr) string {
	if int(attr) < len(cuda.InfoAttrs) && cuda.InfoAttrs[attr].Name != "" {
		return cuda.InfoAttrs[attr].Name
	}
	return fmt.Sprintf("EIATTR %d", attr)
}

// factOf brings a record to the common form; resolve says what an index
// stands for.
func factOf(i *image.Image, a image.Attribute, resolve func(uint32) link.Ref) link.Fact {
	f := link.Fact{Format: a.Format, Attr: a.Attr, Rest: string(a.Value)}
	switch {
	case image.ListsSymbols(a.Attr):
		var names []string
		for at := uint64(0); at+4 <= uint64(len(a.Value)); at += 4 {
			names = append(names, resolve(image.Word(a.Value, at)).String())
		}
		slices.Sort(names)
		f.About, f.Rest = strings.Join(names, " "), ""
	case image.NamesSymbol(a.Attr) && len(a.Value) >= 4:
		f.Key = resolve(image.Word(a.Value, 0))
		f.Rest = string(a.Value[4:])
		if index := image.Word(a.Value, 0); f.Key == (link.Ref{}) && !i.Nameless(index) {
			f.About = "symbol " + fmt.Sprint(index)
		}
	}
	return f
}

func (c *check) compareFacts() error {
	lists, gotModule := c.writtenFacts()
	c.noteFacts(gotModule)
	module := make([]link.Fact, 0, len(gotModule))
	for _, m := range c.Modules {
		module = c.moduleFacts(module, m)
	}
	if !c.Relocatable {
		for _, k := range c.Kernels {
			f := minStack(k, c.NeedOf(k))
			f.Anything = c.anyFrame(cuda.AttrFrameSize, k)
			c.sameStack(k, f)
			module = append(module, c.asOtherSide(f))
		}
		for _, k := range c.unasked() {
			f := c.asOtherSide(minStack(k, c.NeedOf(k)))
			f.Optional = true
			module = append(module, f)
		}
		module = c.driverStacks(module)
	}
	c.compareList(".nv.info", "", module, gotModule)
	var got []link.Fact
	for _, a := range c.Areas {
		if !a.Code() || !a.Owner.Live || a.Out == nil {
			continue
		}
		got = got[:0]
		for _, i := range lists[a.Owner] {
			for _, x := range c.Out.Infos[i] {
				got = append(got, factOf(c.Out.Image, x, c.OutRef))
			}
		}
		if err := c.compareBody(a, got); err != nil {
			return err
		}
	}
	return nil
}

// compareBody compares the attributes of code with those that are written.
func (c *check) compareBody(a *link.Area, got []link.Fact) error {
	list := c.bodyFacts(a.Owner)
	c.ignoreIndices(list)
	c.ignoreIndices(got)
	c.counterpartBarriers(a.Owner, list, got)
	if err := c.Budget.Spend("", uint64(len(list))); err != nil {
		return err
	}
	if c.WasReworked(a.Owner.Owner) {
		c.movePlaces(a, list)
		for i := range list {
			if link.CountsWords(list[i].Attr) && (!onlyWords(list[i].Attr) || a.Words.Strange) {
				list[i].Also = append(list[i].Also, valuesOf(got, list[i].Attr)...)
			}
		}
	}
	c.compareList(a.Owner.InfoSection(), a.Owner.Owner.String(), list, got)
	return nil
}

// writtenFacts returns the output's attributes of the whole module, and for code the
// sections that have its own.
func (c *check) writtenFacts() (lists map[*link.Body][]int, module []link.Fact) {
	lists = map[*link.Body][]int{}
	for i, list := range c.Out.Infos {
		if c.Out.Sections[i].Kind != cuda.SHTCudaInfo {
			continue
		}
		s := &c.Out.Sections[i]
		if file := &c.Out.All[i]; c.Out.Side == image.MercurySide && (file.Kind != cuda.SHTMercInfo || file.Name != c.Out.Side.FileName(s.Name)) {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionHeader, Section: file.Name, Want: c.Out.Side.FileName(s.Name), Got: file.Name, Detail: fmt.Sprintf("attributes of the Mercury side, under type 0x%x", uint32(file.Kind))})
		}
		var to *link.Body
		if s.Info != 0 {
			if int(s.Info) >= len(c.Out.Bodies) || c.Out.Bodies[s.Info] == nil {
				c.Verdict.Add(verdict.Finding{Kind: verdict.SectionStray, Section: s.Name, Detail: "belongs to no code of the link"})
				continue
			}
			to = c.Out.Bodies[s.Info]
			if want := to.InfoSection(); s.Name != want {
				c.Verdict.Add(verdict.Finding{Kind: verdict.SectionHeader, Section: s.Name, Want: want, Got: s.Name, Detail: "name"})
			}
		}
		if to != nil {
			lists[to] = append(lists[to], i)
			continue
		}
		module = slices.Grow(module, len(list))
		for _, a := range list {
			module = append(module, factOf(c.Out.Image, a, c.OutRef))
		}
	}
	return lists, module
}

// ignoreIndices lets KPARAM_INFO have any number where objects have 0: nvlink maps it as if
// it were a symbol, with -g and 12.4 to one without a name, and nothing reads it.
func (c *check) ignoreIndices(list []link.Fact) {
	for i := range list {
		if list[i].Attr == cuda.AttrKparamInfo && !c.Options.Strict {
			list[i].Key, list[i].About = link.Ref{}, ""
		}
	}
}

// movePlaces turns offsets of instructions into those of the output, where words
// moved.
func (c *check) movePlaces(a *link.Area, list []link.Fact) {
	for i := range list {
		if !onlyWords(list[i].Attr) {
			continue
		}
		b := []byte(list[i].Rest)
		for at := uint64(0); at+4 <= uint64(len(b)); at += 4 {
			copy(b[at:], sass.BytesOf(uint32(c.MovedTo(a, uint64(image.Word(b, at))))))
		}
		list[i].Rest = string(b)
	}
}

// valuesOf are the values that a list has of an attribute: of those that hold more
// than offsets nothing is known where words moved.
func valuesOf(list []link.Fact, attr cuda.InfoAttr) []string {
	var values []string
	for _, f := range list {
		if f.Attr == attr {
			values = append(values, f.Rest)
		}
	}
	return values
}

// onlyWords reports whether an attribute is a list of offsets of instructions.
func onlyWords(attr cuda.InfoAttr) bool {
	switch attr {
	case cuda.AttrExitInstrOffsets, cuda.AttrS2rctaidInstrOffsets, cuda.AttrCoopGroupInstrOffsets, cuda.AttrIntWarpWideInstrOffsets, cuda.AttrSwWarMembarSysInstrOffsets, link.AttrBulkCopyOffsets:
		return true
	}
	return false
}

// moduleFacts adds the records of a module's .nv.info that must be in the
// output's.
func (c *check) moduleFacts(list []link.Fact, m *link.Module) []link.Fact {
	for i := range m.Sections {
		if m.Sections[i].Info != 0 {
			continue
		}
		for _, a := range m.Infos[i] {
			if (a.Attr == cuda.AttrMaxStackSize || a.Attr == cuda.AttrMinStackSize && recursion(a)) && !c.Relocatable {
				continue
			}
			f := factOf(m.Image, a, func(index uint32) link.Ref { return c.InRef(m, index) })
			f.File = m.Name
			f.Optional = c.noStack(a)
			if f.Key.ID != nil {
				f.Key = m.Refs[image.Word(a.Value, 0)] // by the name that the input has, whichever of the code's it is
			}
			if id := f.Key.ID; id != nil && id.Function() {
				if !id.Live || !c.tells(m, image.Word(a.Value, 0)) {
					continue
				}
				f.Anything = c.anyFrame(a.Attr, id)
				if a.Attr == cuda.AttrRegcount && id.Kernel() && !c.Relocatable {
					if !id.Asked {
						f.Also = append(f.Also, f.Rest) // it stays, and counts for nothing
					}
					f.Rest, f.Least = sass.BytesOf(max(image.Word(a.Value, 4), c.NeedOf(id).Registers)), c.NeedOf(id).Least
					if f.Least {
						f.Most = c.MostRegister
					}
					f = c.asOtherSide(f)
				} else if a.Attr == cuda.AttrRegcount && id.LikeDriver() && !c.Relocatable {
					f = c.driverRegisters(f)
				}
			}
			list = append(list, f)
		}
	}
	return list
}

// noStack reports whether an attribute says of a function that it has no stack of its own to ask for:
// -r by 13.5 leaves that out where it makes code of an older toolkit with -g again, and it says nothing.
//
// Source: 18 links of two objects of ptxas 13.0.88 and 13.2 with -g for sm_100 to sm_120, by nvlink 13.5.37.
func (c *check) noStack(a image.Attribute) bool {
	return a.Attr == cuda.AttrMaxStackSize && c.Relocatable && c.Release >= 135 && c.Out.Side != image.Whole && image.Word(a.Value, 4) == 0
}

// recursion reports whether an attribute says that nobody knows how much stack a kernel or a function inside it needs, as
// -ewp tells of those that call themselves. The final link says so of kernels alone.
func recursion(a image.Attribute) bool { return image.Word(a.Value, 4) == reach.Unbounded }

// anyFrame reports whether an attribute is the frame of a kernel with functions inside (-ewp), or of one of these, on the SASS
// side: the finalizer writes for all of them that of one. How much stack the kernel needs comes from the Mercury side, and
// is compared.
//
// Source: 56 such kernels for sm_100 and up by nvlink 13.0 to 13.5.
func (c *check) anyFrame(attr cuda.InfoAttr, id *link.Identity) bool {
	return attr == cuda.AttrFrameSize && c.Out.Side == image.SassSide && id.Code != nil && id.Code.HoldsFunctions()
}

// tells reports whether a module's records about a function count: not where
// its definition lost or was replaced.
func (c *check) tells(m *link.Module, index uint32) bool {
	s := &m.Symbols[index]
	if s.Special {
		return true
	}
	code := m.Bodies[s.Shndx]
	return code == nil || code.Disposition == link.Won
}

// unasked are the kernels that stay though nobody asked for them, since code takes their addresses. How much
// stack they need may be said: nvlink 11.8 to 13.5 do where no kernel is asked for.
func (c *check) unasked() []*link.Identity {
	var list []*link.Identity
	for _, f := range c.Graph.Functions {
		if f.Live && f.Kernel() && !f.Asked {
			list = append(list, f)
		}
	}
	return list
}

func minStack(k *link.Identity, n *reach.Need) link.Fact {
	f := link.Fact{Format: cuda.FormatSized, Attr: cuda.AttrMinStackSize, Key: link.Ref{ID: k}, Rest: sass.BytesOf(1<<32 - 1), File: k.File, Least: (n.Least || n.Takes) && n.Known}
	if n.Known {
		f.Rest = sass.BytesOf(uint32(n.Stack))
	}
	return f
}

// compareList compares records regardless of their order.
func (c *check) compareList(section, symbol string, want, got []link.Fact) {
	c.Verdict.Attributes += len(want)
	inOrder(want)
	inOrder(got)
	tell := func(kind verdict.Kind, f link.Fact, want, got string) {
		name := symbol
		if f.Key.ID != nil {
			name = f.Key.String()
		}
		c.Verdict.Add(verdict.Finding{Kind: kind, File: f.File, Section: section, Symbol: name, Want: want, Got: got, Detail: infoName(f.Attr)})
	}
	for len(want) > 0 || len(got) > 0 {
		switch side := nextOf(want, got); {
		case side < 0:
			if !want[0].Optional && !(want[0].Attr == finalizerMark && c.Release == 132) {
				tell(verdict.FactMissing, want[0], want[0].Value(), "")
			}
			want = want[1:]
		case side > 0:
			if c.Release <= 130 || !madeByLinker(got[0].Attr) || len(want) > 0 && want[0].Attr == got[0].Attr {
				tell(verdict.FactStray, got[0], "", got[0].Value())
			}
			got = got[1:]
		default:
			if w, g := want[0], got[0]; !w.Is(g) && !(w.Attr == gridLaunch && c.launchesGrids()) {
				want, got := w.Apart(g)
				tell(verdict.FactValue, w, want, got)
			}
			want, got = want[1:], got[1:]
		}
	}
}

// inOrder sorts records by attribute, by what they are about, and by value.
func inOrder(list []link.Fact) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.Attr != b.Attr {
			return a.Attr < b.Attr
		}
		if a.Key != b.Key {
			return a.Key.Before(b.Key)
		}
		return a.Rest < b.Rest
	})
}

// nextOf says of two sorted lists which has something first that the other lacks: less than 0 that which is wanted, more the
// other, and 0 that both begin with the same attribute of the same.
func nextOf(want, got []link.Fact) int {
	switch {
	case len(got) == 0:
		return -1
	case len(want) == 0:
		return 1
	case want[0].Attr != got[0].Attr:
		return cmp.Compare(want[0].Attr, got[0].Attr)
	case want[0].Key.Before(got[0].Key):
		return -1
	case got[0].Key.Before(want[0].Key):
		return 1
	}
	return 0
}

// madeByLinker names the attributes that releases after 13.0 (seen: 13.2 to 13.5) write of themselves
// for code of sm_100 and up, 103 for sm_107; what most say is not known.
func madeByLinker(attr cuda.InfoAttr) bool {
	return attr == 102 || attr == 103 || attr == finalizerMark || attr == gridLaunch
}

// finalizerMark is on the SASS side of code by nvlink and ptxas from 13.2.86 on. Builds 13.2.51 and 13.2.78 omit
// what objects of 13.2.86 have of it; which build linked is not looked at.
const finalizerMark = 107

// gridLaunch says whether a kernel, or a function that it reaches, lets the dependent grid begin. Which
// functions a kernel reaches is not looked at for it: one in the link is enough for either value.
const gridLaunch = 109

// launchesGrids reports whether any code of the link lets the dependent grid begin.
func (c *check) launchesGrids() bool {
	const preexit = 0x82d
	for _, a := range c.Areas {
		if !a.Code() || a.Out == nil {
			continue
		}
		for at := 0; at+sass.Instruction <= len(a.Out.Body); at += sass.Instruction {
			if sass.Opcode(a.Out.Body[at:]) == preexit {
				return true
			}
		}
	}
	return false
}
