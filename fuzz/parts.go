package fuzz

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
)

// What compilers write has few records in few orders. Here parts of recorded links change as wholes, and every table stays
// in order: attributes come, go and change their place, names change their binding and meet each other, calls and
// relocations lead elsewhere, and code goes.

// readParts makes a recorded link with parts of one of its files changed, or of all.
func readParts(r *Reader) (Question, error) {
	list, err := editable()
	if err != nil {
		return Question{}, err
	}
	return partsOf(&list[int(r.Uint16())%len(list)], r), nil
}

func partsOf(c *corpus.Case, r *Reader) Question {
	p := parts{Reader: r}
	for _, in := range c.Inputs {
		if d, err := cubin.Decode(in.Name, in.Data); err == nil {
			p.names = append(p.names, namesOf(d)...)
		}
	}
	q := changed(c, r, p.change)
	switch extra := r.Byte() % 64; {
	case int(extra) < len(questionOptions):
		q.Args = append(q.Args, questionOptions[extra]...)
	case extra < 24 && len(q.Inputs) > 1: // one is there twice
		q.Inputs[0] = engine.Input{Name: q.Inputs[0].Name, Data: q.Inputs[1].Data}
	case extra < 32 && len(q.Inputs) > 1: // they change places
		i, j := r.Below(len(q.Inputs)), r.Below(len(q.Inputs))
		q.Inputs[i].Data, q.Inputs[j].Data = q.Inputs[j].Data, q.Inputs[i].Data
	}
	return q
}

// namesOf are the names that other files could mean too.
func namesOf(d *cubin.Editor) (names []string) {
	list, err := d.Symbols(d.Symtab())
	if err != nil {
		return nil
	}
	for i := range list {
		if s := &list[i]; s.Name != "" && s.Type() != cuda.STTSection {
			names = append(names, s.Name)
		}
	}
	return names
}

// sided are the recorded links of code with a Mercury side.
var sided = sync.OnceValues(func() ([]corpus.Case, error) {
	list, err := editable()
	return slices.DeleteFunc(slices.Clone(list), func(c corpus.Case) bool { return !strings.HasPrefix(c.Arch, "sm_1") }), err
})

// readSides makes a link of code with a Mercury side with parts of it changed on one side, or in its debug information.
func readSides(r *Reader) (Question, error) {
	list, err := sided()
	if err != nil {
		return Question{}, err
	}
	return sidesOf(&list[int(r.Uint16())%len(list)], r), nil
}

func sidesOf(c *corpus.Case, r *Reader) Question {
	p := parts{Reader: r}
	q := changed(c, r, p.changeSides)
	if extra := int(r.Byte() % 64); extra < len(questionOptions) {
		q.Args = append(q.Args, questionOptions[extra]...)
	}
	return q
}

// parts changes files of a link.
type parts struct {
	*Reader
	names []string
}

// changeSides returns a copy of a file with one to three changes of its Mercury side, or of tables that describe code.
func (p *parts) changeSides(_ *Reader, original []byte) []byte {
	d, err := cubin.Decode("original", original)
	if err != nil || d.Symtab() == 0 {
		return original
	}
	for range 1 + p.Byte()%3 {
		switch n := p.Byte() % 16; {
		case n < 6:
			p.sideRelocs(d)
		case n < 8:
			p.symbol(d, max(d.MercSymtab(), d.Symtab()))
		case n < 10:
			p.records(d)
		case n < 14:
			p.bytes(d, func(s *cubin.Part, name string) bool { return strings.Contains(name, "debug_") })
		default:
			p.bytes(d, func(s *cubin.Part, name string) bool { return s.Type == cuda.SHTCudaCapmerc })
		}
	}
	return encoded(d, original)
}

// sideRelocs changes a record of a Mercury section: its type to any, its symbol, its addend, or where it is.
func (p *parts) sideRelocs(d *cubin.Editor) {
	i := p.pick(d, func(s *cubin.Part) bool { return s.Type == cuda.SHTMercRela })
	list, err := d.Relocs(i)
	if err != nil || len(list) == 0 {
		return
	}
	list = slices.Clone(list)
	r := &list[p.Below(len(list))]
	switch p.Byte() % 8 {
	case 0, 1, 2:
		r.Type = cuda.MercuryBase + uint32(p.Below(cuda.MercuryRelocCount))
	case 3:
		r.Type = list[p.Below(len(list))].Type
	case 4:
		r.Symbol = list[p.Below(len(list))].Symbol
	case 5:
		if symbols, err := d.Symbols(d.Symtab()); err == nil {
			r.Symbol = uint32(p.Below(len(symbols)))
		}
	case 6:
		r.Addend += int64(p.Byte()) - 128
	default:
		r.Off += uint64([...]int64{4, -4, 8, 16, -16, 1, 112}[p.Byte()%7])
	}
	_ = d.SetRelocs(i, list)
}

// bytes changes one byte of a section.
func (p *parts) bytes(d *cubin.Editor, fits func(s *cubin.Part, name string) bool) {
	var list []int
	for i := 1; i < d.NumSections(); i++ {
		if fits(d.Part(i), d.SectionName(i)) && len(d.Data(i)) > 0 {
			list = append(list, i)
		}
	}
	at := p.Below(len(list))
	if at >= len(list) {
		return
	}
	data := d.Data(list[at])
	off := p.Below(len(data))
	b := data[off]
	switch p.Byte() % 5 {
	case 0:
		b++
	case 1:
		b--
	case 2:
		b ^= 1 << (p.Byte() % 8)
	case 3:
		b = p.Byte()
	default:
		b = data[p.Below(len(data))]
	}
	_ = d.Patch(list[at], uint64(off), []byte{b})
}

// encoded is the changed file, the file itself where it makes none.
func encoded(d *cubin.Editor, original []byte) []byte {
	if d.Layout() != nil {
		return original
	}
	data, err := d.Encode()
	if err != nil {
		return original
	}
	return data
}

// change returns a copy of a file with one to four changes, the file itself where it has no such parts.
func (p *parts) change(_ *Reader, original []byte) []byte {
	d, err := cubin.Decode("original", original)
	if err != nil || d.Symtab() == 0 {
		return original
	}
	for range 1 + p.Byte()%4 {
		switch n := p.Byte() % 16; {
		case n < 6:
			p.records(d)
		case n < 10:
			p.symbol(d, d.Symtab())
		case n < 12:
			p.calls(d)
		case n < 14:
			p.relocs(d)
		case n < 15:
			p.section(d)
		default:
			_, _ = d.Drop([]int{p.pick(d, func(s *cubin.Part) bool { return s.Flags&cuda.SHFExec != 0 })}, nil)
		}
	}
	return encoded(d, original)
}

// pick is a section of those that fit, the null section where none does.
func (p *parts) pick(d *cubin.Editor, fits func(*cubin.Part) bool) int {
	var list []int
	for i := 1; i < d.NumSections(); i++ {
		if fits(d.Part(i)) {
			list = append(list, i)
		}
	}
	if at := p.Below(len(list)); at < len(list) {
		return list[at]
	}
	return 0
}

// given are attributes that say by themselves what a kernel owes to the code that it reaches.
var given = [...]cubin.InfoRecord{
	{Format: cuda.FormatNone, Attr: cuda.AttrCtaidzUsed}, {Format: cuda.FormatNone, Attr: cuda.AttrReservedSmemUsed},
	{Format: cuda.FormatNone, Attr: cuda.AttrTcgen051ctaUsed}, {Format: cuda.FormatNone, Attr: cuda.AttrTcgen052ctaUsed},
	{Format: cuda.FormatNone, Attr: cuda.AttrExplicitCluster}, {Format: cuda.FormatNone, Attr: cuda.AttrBlocksAreClusters},
	{Format: cuda.FormatByte, Attr: cuda.AttrNumBarriers, Value: 3}, {Format: cuda.FormatByte, Attr: cuda.AttrNumBarriers, Value: 16},
	{Format: cuda.FormatHalf, Attr: cuda.AttrNumMbarriers, Value: 2}, {Format: cuda.FormatHalf, Attr: cuda.AttrNumMbarriers, Value: 5},
	{Format: cuda.FormatHalf, Attr: cuda.AttrSparseMmaMask, Value: 1}, {Format: cuda.FormatHalf, Attr: cuda.AttrSparseMmaMask, Value: 0x8000},
	{Format: cuda.FormatHalf, Attr: cuda.AttrSparseMmaMask}, {Format: cuda.FormatHalf, Attr: cuda.AttrMaxregCount, Value: 24},
	{Format: cuda.FormatHalf, Attr: cuda.AttrVrcCtaInitCount, Value: 1}, {Format: cuda.FormatHalf, Attr: cuda.AttrCbankParamSize, Value: 8},
	{Format: cuda.FormatByte, Attr: 0x66, Value: 1}, {Format: cuda.FormatNone, Attr: 0x62},
	{Format: cuda.FormatSized, Attr: cuda.AttrCrsStackSize, Data: []byte{16, 0, 0, 0}},
	{Format: cuda.FormatSized, Attr: cuda.AttrAtEntryFragements, Data: []byte{4, 0, 0, 0}},
	{Format: cuda.FormatSized, Attr: cuda.AttrReqntid, Data: []byte{32, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0}},
	{Format: cuda.FormatSized, Attr: cuda.AttrMaxThreads, Data: []byte{0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}},
}

// records changes .nv.info or that of a function: a record more, one less, one of another function's, or one elsewhere.
func (p *parts) records(d *cubin.Editor) {
	info := func(s *cubin.Part) bool { return cubin.IsInfo(s.Type) }
	i := p.pick(d, info)
	list, err := d.Info(i)
	if err != nil {
		return
	}
	list = slices.Clone(list)
	at := p.Below(len(list) + 1)
	switch n := p.Byte() % 8; {
	case n < 4:
		list = slices.Insert(list, at, given[p.Below(len(given))])
	case n < 5:
		other, err := d.Info(p.pick(d, info))
		if err != nil || len(other) == 0 {
			return
		}
		list = slices.Insert(list, at, other[p.Below(len(other))])
	case at == len(list):
		return
	case n < 7:
		list = slices.Delete(list, at, at+1)
	default:
		other := p.Below(len(list))
		list[at], list[other] = list[other], list[at]
	}
	_ = d.SetInfo(i, list)
}

// symbol changes one symbol's binding, size, kind or name.
func (p *parts) symbol(d *cubin.Editor, tab int) {
	list, err := d.Symbols(tab)
	if err != nil {
		return
	}
	list = slices.Clone(list)
	var own []int
	for i := range list {
		if s := &list[i]; s.Name != "" && s.Type() != cuda.STTSection {
			own = append(own, i)
		}
	}
	at := p.Below(len(own))
	if at >= len(own) {
		return
	}
	s := &list[own[at]]
	switch n := p.Byte() % 16; {
	case n < 5:
		s.Info = s.Info&15 | byte([...]cuda.Binding{cuda.STBGlobal, cuda.STBWeak, cuda.STBLocal}[p.Byte()%3])<<4
	case n < 7:
		s.Size += [...]uint64{4, 16, 8, ^uint64(3)}[p.Byte()%4]
	case n < 8:
		s.Other ^= cuda.STOEntry
	case n < 9:
		s.Other ^= [...]byte{cuda.STOInternal, cuda.STOManaged, cuda.STOObscure, cuda.STOVisibility, 0x20}[p.Byte()%5]
	case n < 10:
		s.Shndx, s.Value = cuda.SHNCommon, 8
	case n < 12:
		s.Shndx, s.Value = cuda.SHNUndef, 0
	default:
		if name := p.Below(len(p.names)); name < len(p.names) {
			p.rename(d, s, p.names[name])
		}
	}
	_ = d.SetSymbols(tab, list)
}

// rename gives a symbol another name, and to the sections that are named for it.
func (p *parts) rename(d *cubin.Editor, s *cubin.Sym, name string) {
	for _, front := range [...]string{".text.", ".nv.info.", ".nv.constant0.", ".nv.constant2.", ".nv.shared.", ".rel.text.", ".rela.text."} {
		if i := d.Lookup(front + s.Name); i > 0 && s.Type() == cuda.STTFunc {
			_ = d.Rename(i, front+name)
		}
	}
	s.Name = name
}

// calls changes who calls whom, or whose address is taken.
func (p *parts) calls(d *cubin.Editor) {
	i := p.pick(d, func(s *cubin.Part) bool { return cubin.IsCallgraph(s.Type) })
	groups, err := d.Callgraph(i)
	list, failed := d.Symbols(d.Symtab())
	if err != nil || failed != nil || len(groups) == 0 {
		return
	}
	var functions []uint32
	for k := range list {
		if list[k].Type() == cuda.STTFunc {
			functions = append(functions, uint32(k))
		}
	}
	g := &groups[p.Below(len(groups))]
	g.Pairs = slices.Clone(g.Pairs)
	x, y := p.Below(len(functions)), p.Below(len(functions))
	at := p.Below(len(g.Pairs))
	switch n := p.Byte() % 4; {
	case len(functions) == 0:
		return
	case (g.NamesString() || n == 0) && at < len(g.Pairs):
		g.Pairs = slices.Delete(g.Pairs, at, at+1)
	case g.NamesString():
		return
	default:
		g.Pairs = append(g.Pairs, cubin.Pair{X: functions[x], Y: functions[y]})
	}
	_ = d.SetCallgraph(i, groups)
}

// relocs changes a record: another symbol, another type of the file's, another addend, or it goes or comes twice.
func (p *parts) relocs(d *cubin.Editor) {
	i := p.pick(d, func(s *cubin.Part) bool { return cubin.IsRelocs(s.Type) })
	list, err := d.Relocs(i)
	if err != nil || len(list) == 0 {
		return
	}
	list = slices.Clone(list)
	at, other := p.Below(len(list)), p.Below(len(list))
	switch p.Byte() % 6 {
	case 0, 1:
		if symbols, err := d.Symbols(d.Symtab()); err == nil {
			list[at].Symbol = uint32(p.Below(len(symbols)))
		}
	case 2:
		list[at].Type = list[other].Type
	case 3:
		list[at].Addend += int64(p.Byte()) - 128
	case 4:
		list = slices.Delete(list, at, at+1)
	default:
		list = append(list, list[at])
	}
	_ = d.SetRelocs(i, list)
}

// section changes flags, alignment, registers or barriers of a section.
func (p *parts) section(d *cubin.Editor) {
	s := d.Part(p.pick(d, func(s *cubin.Part) bool { return s.Flags&cuda.SHFAlloc != 0 }))
	switch p.Byte() % 4 {
	case 0:
		s.Align = 1 << (p.Byte() % 9)
	case 1:
		s.Flags ^= cuda.SectionFlags(p.Byte()%32) << cuda.SHFBarrierShift
	case 2:
		s.Info ^= uint32(p.Byte()) << 24
	default:
		_ = d.Rename(int(p.Below(d.NumSections())), fmt.Sprintf(".nv.part%d", p.Byte()%4))
	}
}
