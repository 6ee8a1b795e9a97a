package check

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// The attributes of the output are those of the inputs, and for kernels what
// they owe to the code they reach.
//
// Records carry symbol numbers, so both sides are first brought to a form that
// names what the number stands for.

// fact is an attribute in that form.
type fact struct {
	format   cuda.InfoFormat
	attr     cuda.InfoAttr
	optional bool   // may be missing
	least    bool   // a larger number is right as well
	anything bool   // any value is right
	about    string // what its symbol index stands for; for lists all of them
	key      ref
	rest     string // the other bytes
	file     string
	also     []string // other values of rest (of about, for a list) that are right as well
}

// is reports whether another fact says what this one wants.
func (f fact) is(g fact) bool {
	if f.anything {
		return true
	}
	if f.format != g.format {
		return false
	}
	if f.least && !listsSymbols(f.attr) && f.about == g.about && len(f.rest) == len(g.rest) && len(g.rest) <= 8 {
		width := uint64(len(f.rest))
		return number([]byte(g.rest), 0, width) >= number([]byte(f.rest), 0, width) || slices.Contains(f.also, g.rest)
	}
	if listsSymbols(f.attr) {
		return f.about == g.about || slices.Contains(f.also, g.about) || f.least && hasAll(g.about, f.about)
	}
	return f.about == g.about && (f.rest == g.rest || slices.Contains(f.also, g.rest))
}

// hasAll reports whether a list of names has all of another.
func hasAll(list, of string) bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		names[name] = true
	}
	for name := range strings.FieldsSeq(of) {
		if !names[name] {
			return false
		}
	}
	return true
}

func (f fact) value() string {
	if f.attr == cuda.AttrExterns {
		return f.about
	}
	return fmt.Sprintf("%x", f.rest)
}

// apart prints what two facts that differ say: of lists the names that one alone has.
func (f fact) apart(g fact) (string, string) {
	if !listsSymbols(f.attr) || f.format != g.format {
		return f.value(), g.value()
	}
	want, got := lacking(g.about, f.about), lacking(f.about, g.about)
	if want == "" && got == "" { // a name stands twice
		return f.value(), g.value()
	}
	return want, got
}

// lacking are the names of a list that another lacks.
func lacking(of, list string) string {
	var names []string
	for name := range strings.FieldsSeq(list) {
		if !hasAll(of, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

func infoName(attr cuda.InfoAttr) string {
	if int(attr) < len(cuda.InfoAttrs) && cuda.InfoAttrs[attr].Name != "" {
		return cuda.InfoAttrs[attr].Name
	}
	return fmt.Sprintf("EIATTR %d", attr)
}

// nameless reports whether a symbol index stands for nothing: 0, or a function
// without a name, which 12.x writes for it.
func (i *image) nameless(index uint32) bool {
	if index == 0 || int(index) >= len(i.symbols) {
		return index == 0
	}
	s := &i.symbols[index]
	return s.name == "" && s.kind() == cuda.STTFunc && !s.defined()
}

// factOf brings a record to the common form; resolve tells what an index
// stands for.
func (i *image) factOf(a attribute, resolve func(uint32) ref) fact {
	f := fact{format: a.format, attr: a.attr, rest: string(a.value)}
	switch {
	case listsSymbols(a.attr):
		var names []string
		for at := uint64(0); at+4 <= uint64(len(a.value)); at += 4 {
			names = append(names, resolve(word(a.value, at)).String())
		}
		slices.Sort(names)
		f.about, f.rest = strings.Join(names, " "), ""
	case namesSymbol(a.attr) && len(a.value) >= 4:
		f.key = resolve(word(a.value, 0))
		f.rest = string(a.value[4:])
		if index := word(a.value, 0); f.key == (ref{}) && !i.nameless(index) {
			f.about = "symbol " + fmt.Sprint(index)
		}
	}
	return f
}

func (c *check) compareFacts() error {
	lists, gotModule := c.writtenFacts()
	c.noteFacts(gotModule)
	module := make([]fact, 0, len(gotModule))
	for _, m := range c.modules {
		module = c.moduleFacts(module, m)
	}
	if !c.relocatable {
		for _, k := range c.kernels {
			module = append(module, c.asOtherSide(minStack(k, c.needOf(k))))
		}
		for _, k := range c.unasked() {
			f := c.asOtherSide(minStack(k, c.needOf(k)))
			f.optional = true
			module = append(module, f)
		}
	}
	c.compareList(".nv.info", "", module, gotModule)
	var got []fact
	for _, a := range c.areas {
		if !a.code() || !a.owner.live || a.out == nil {
			continue
		}
		got = got[:0]
		for _, i := range lists[a.owner] {
			for _, x := range c.out.infos[i] {
				got = append(got, c.out.factOf(x, c.outRef))
			}
		}
		if err := c.compareBody(a, got); err != nil {
			return err
		}
	}
	return nil
}

// compareBody compares the attributes of code with those that are written.
func (c *check) compareBody(a *area, got []fact) error {
	list := c.bodyFacts(a.owner)
	c.ignoreIndices(list)
	c.ignoreIndices(got)
	c.twinBarriers(a.owner, list, got)
	if err := c.budget.spend("", uint64(len(list))); err != nil {
		return err
	}
	if c.wasReworked(a.owner.owner) {
		c.movePlaces(a, list)
		for i := range list {
			if countsWords(list[i].attr) && (!onlyWords(list[i].attr) || a.words.strange) {
				list[i].also = append(list[i].also, valuesOf(got, list[i].attr)...)
			}
		}
	}
	c.compareList(a.owner.infoSection(), a.owner.owner.String(), list, got)
	return nil
}

// writtenFacts returns the output's attributes of the whole module, and for code the
// sections that have its own.
func (c *check) writtenFacts() (lists map[*body][]int, module []fact) {
	lists = map[*body][]int{}
	for i, list := range c.out.infos {
		if c.out.sections[i].kind != cuda.SHTCudaInfo {
			continue
		}
		s := &c.out.sections[i]
		if file := &c.out.all[i]; c.out.side == mercurySide && (file.kind != cuda.SHTMercInfo || file.name != c.out.side.fileName(s.name)) {
			c.verdict.add(Finding{Kind: SectionHeader, Section: file.name, Want: c.out.side.fileName(s.name), Got: file.name, Detail: fmt.Sprintf("attributes of the Mercury side, under type 0x%x", uint32(file.kind))})
		}
		var to *body
		if s.info != 0 {
			if int(s.info) >= len(c.out.bodies) || c.out.bodies[s.info] == nil {
				c.verdict.add(Finding{Kind: SectionStray, Section: s.name, Detail: "belongs to no code of the link"})
				continue
			}
			to = c.out.bodies[s.info]
			if want := to.infoSection(); s.name != want {
				c.verdict.add(Finding{Kind: SectionHeader, Section: s.name, Want: want, Got: s.name, Detail: "name"})
			}
		}
		if to != nil {
			lists[to] = append(lists[to], i)
			continue
		}
		module = slices.Grow(module, len(list))
		for _, a := range list {
			module = append(module, c.out.factOf(a, c.outRef))
		}
	}
	return lists, module
}

// infoSection names the attributes of code: after its section, of a stub in the table of
// unified functions after the stub.
func (b *body) infoSection() string {
	if b.section.kind == cuda.SHTCudaUFT {
		return ".nv.info." + b.owner.String()
	}
	return ".nv.info." + strings.TrimPrefix(b.section.name, ".text.")
}

// ignoreIndices lets KPARAM_INFO have any number where objects have 0: nvlink maps it as if
// it were a symbol, with -g and 12.4 to one without a name, and nothing reads it.
func (c *check) ignoreIndices(list []fact) {
	for i := range list {
		if list[i].attr == cuda.AttrKparamInfo && !c.options.Strict {
			list[i].key, list[i].about = ref{}, ""
		}
	}
}

// movePlaces turns offsets of instructions into those of the output, where words
// moved.
func (c *check) movePlaces(a *area, list []fact) {
	for i := range list {
		if !onlyWords(list[i].attr) {
			continue
		}
		b := []byte(list[i].rest)
		for at := uint64(0); at+4 <= uint64(len(b)); at += 4 {
			copy(b[at:], bytesOf(uint32(c.movedTo(a, uint64(word(b, at))))))
		}
		list[i].rest = string(b)
	}
}

// valuesOf are the values that a list has of an attribute: of those that hold more
// than offsets nothing is known where words moved.
func valuesOf(list []fact, attr cuda.InfoAttr) []string {
	var values []string
	for _, f := range list {
		if f.attr == attr {
			values = append(values, f.rest)
		}
	}
	return values
}

// onlyWords reports whether an attribute is a list of offsets of instructions.
func onlyWords(attr cuda.InfoAttr) bool {
	switch attr {
	case cuda.AttrExitInstrOffsets, cuda.AttrS2rctaidInstrOffsets, cuda.AttrCoopGroupInstrOffsets, cuda.AttrIntWarpWideInstrOffsets, cuda.AttrSwWarMembarSysInstrOffsets, attrBulkCopyOffsets:
		return true
	}
	return false
}

// outRef is what a symbol index of the output stands for.
func (c *check) outRef(index uint32) ref {
	if int(index) >= len(c.out.refs) {
		return ref{}
	}
	return c.out.refs[index]
}

// moduleFacts adds the records of a module's .nv.info that must be in the
// output's.
func (c *check) moduleFacts(list []fact, m *module) []fact {
	for i := range m.sections {
		if m.sections[i].info != 0 {
			continue
		}
		for _, a := range m.infos[i] {
			if a.attr == cuda.AttrMaxStackSize && !c.relocatable {
				continue
			}
			f := m.factOf(a, func(index uint32) ref { return c.inRef(m, index) })
			f.file = m.name
			f.optional = f.optional || c.noStack(a)
			if f.key.id != nil {
				f.key = m.refs[word(a.value, 0)] // by the name that the input has, whichever of the code's it is
			}
			if id := f.key.id; id != nil && id.function() {
				if !id.live || !c.tells(m, word(a.value, 0)) {
					continue
				}
				if a.attr == cuda.AttrRegcount && id.kernel() && !c.relocatable {
					if !id.asked {
						f.also = append(f.also, f.rest) // it stays, and counts for nothing
					}
					f.rest, f.least = bytesOf(max(word(a.value, 4), c.needOf(id).registers)), c.needOf(id).least
					f = c.asOtherSide(f)
				}
			}
			list = append(list, f)
		}
	}
	return list
}

// noStack reports whether an attribute says of a function that it has no stack of its own to ask for:
// -r by 13.5 leaves that out where it makes code of an older toolkit with -g anew, and it says nothing.
//
// Source: 18 links of two objects of ptxas 13.0.88 and 13.2 with -g for sm_100 to sm_120, by nvlink 13.5.37.
func (c *check) noStack(a attribute) bool {
	return a.attr == cuda.AttrMaxStackSize && c.relocatable && c.release >= 135 && c.out.side != whole && word(a.value, 4) == 0
}

// tells reports whether a module's records about a function count: not where
// its definition lost or was replaced.
func (c *check) tells(m *module, index uint32) bool {
	s := &m.symbols[index]
	if s.special {
		return true
	}
	code := m.bodies[s.shndx]
	return code == nil || code.disposition == won
}

func (c *check) inRef(m *module, index uint32) ref {
	if int(index) >= len(m.refs) {
		return ref{}
	}
	return c.refOf(m, index)
}

func bytesOf(n uint32) string {
	return string([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
}

// unasked are the kernels that stay though nobody asked for them, since code takes their addresses. How much
// stack they need may be said: nvlink 11.8 to 13.5 do where no kernel is asked for.
func (c *check) unasked() []*identity {
	var list []*identity
	for _, f := range c.graph.functions {
		if f.live && f.kernel() && !f.asked {
			list = append(list, f)
		}
	}
	return list
}

func minStack(k *identity, n *need) fact {
	f := fact{format: cuda.FormatSized, attr: cuda.AttrMinStackSize, key: ref{id: k}, rest: bytesOf(1<<32 - 1), file: k.file, least: n.least && n.known}
	if n.known {
		f.rest = bytesOf(uint32(n.stack))
	}
	return f
}

// before gives references an order: by name, and by first mention among equal
// names.
func (r ref) before(o ref) bool {
	if x, y := r.String(), o.String(); x != y {
		return x < y
	}
	return r.id != nil && o.id != nil && r.id.order < o.id.order
}

// compareList compares records regardless of their order.
func (c *check) compareList(section, symbol string, want, got []fact) {
	c.verdict.Attributes += len(want)
	order := func(list []fact) {
		sort.SliceStable(list, func(i, j int) bool {
			a, b := list[i], list[j]
			if a.attr != b.attr {
				return a.attr < b.attr
			}
			if a.key != b.key {
				return a.key.before(b.key)
			}
			return a.rest < b.rest
		})
	}
	order(want)
	order(got)
	tell := func(kind Kind, f fact, want, got string) {
		name := symbol
		if f.key.id != nil {
			name = f.key.String()
		}
		c.verdict.add(Finding{Kind: kind, File: f.file, Section: section, Symbol: name, Want: want, Got: got, Detail: infoName(f.attr)})
	}
	for len(want) > 0 || len(got) > 0 {
		switch {
		case len(got) == 0 || len(want) > 0 && (want[0].attr < got[0].attr):
			if !want[0].optional {
				tell(FactMissing, want[0], want[0].value(), "")
			}
			want = want[1:]
		case len(want) == 0 || got[0].attr < want[0].attr:
			if c.release <= 130 || !madeByLinker(got[0].attr) {
				tell(FactStray, got[0], "", got[0].value())
			}
			got = got[1:]
		default:
			w, g := want[0], got[0]
			switch {
			case w.key.before(g.key):
				if !w.optional {
					tell(FactMissing, w, w.value(), "")
				}
				want = want[1:]
				continue
			case g.key.before(w.key):
				tell(FactStray, g, "", g.value())
				got = got[1:]
				continue
			case !w.is(g) && !(w.attr == gridLaunch && c.launchesGrids()):
				want, got := w.apart(g)
				tell(FactValue, w, want, got)
			}
			want, got = want[1:], got[1:]
		}
	}
}

// madeByLinker names the attributes that releases after 13.0 (seen: 13.2 to 13.5) write of themselves
// for code of sm_100 and up, 103 for sm_107; what most say is not known.
func madeByLinker(attr cuda.InfoAttr) bool {
	return attr == 102 || attr == 103 || attr == 107 || attr == gridLaunch
}

// gridLaunch says whether a kernel, or a function that it reaches, lets the dependent grid begin. Which
// functions a kernel reaches is not looked at for it: one in the link is enough for either value.
const gridLaunch = 109

// launchesGrids reports whether any code of the link lets the dependent grid begin.
func (c *check) launchesGrids() bool {
	const preexit = 0x82d
	for _, a := range c.areas {
		if !a.code() || a.out == nil {
			continue
		}
		for at := 0; at+instruction <= len(a.out.body); at += instruction {
			if opcode(a.out.body[at:]) == preexit {
				return true
			}
		}
	}
	return false
}
