package cubin

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// renumbering says which number every section and symbol gets; 0 is for what
// goes (and for the null entries, which stay).
type renumbering struct {
	sections []int
	symbols  map[int][]int // by the old number of their table; none: they stay
	budget   uint64        // bytes of contents that may still be read
}

// section maps a number that a header or record holds. Numbers that name
// nothing stay as they are.
func (r *renumbering) section(n uint32) (uint32, bool) {
	if n == 0 || int64(n) >= int64(len(r.sections)) {
		return n, true
	}
	return uint32(r.sections[n]), r.sections[n] != 0
}

// symbol maps a number of the table tab.
func (r *renumbering) symbol(tab, n uint32) (uint32, bool) {
	list, ok := r.symbols[int(tab)]
	if n == 0 || !ok || int64(n) >= int64(len(list)) {
		return n, true
	}
	return uint32(list[n]), list[n] != 0
}

// renumber rewrites every place of refs.go, drops the records about what goes
// and closes the gaps. Nothing is changed where it fails.
func (d *Editor) renumber(r *renumbering) error {
	work := d.clone()
	r.budget = d.weight()
	for i := 1; i < len(work.parts); i++ {
		if r.sections[i] == 0 {
			continue
		}
		if err := work.renumberContent(i, r); err != nil {
			return err
		}
	}
	for i := 1; i < len(work.parts); i++ {
		if r.sections[i] == 0 {
			continue
		}
		if err := work.renumberHeader(i, r); err != nil {
			return err
		}
	}
	if err := work.renumberFile(r); err != nil {
		return err
	}
	work.moveParts(r)
	*d = *work
	return nil
}

// clone copies what a renumbering changes; contents are replaced, not written
// over, so that they may be shared.
func (d *Editor) clone() *Editor {
	c := *d
	c.parts = slices.Clone(d.parts)
	c.progs = slices.Clone(d.progs)
	return &c
}

// renumberContent rewrites the records of section i.
func (d *Editor) renumberContent(i int, r *renumbering) error {
	p := &d.parts[i]
	_, symbolsMove := r.symbols[int(p.Link)]
	switch {
	case p.shared != i:
		return nil // rewritten with the other
	case p.Type == cuda.SHTCudaCapmerc:
		return d.renumberCapsule(i, r)
	case !symbolsMove && !IsSymbols(p.Type):
		return nil
	}
	if err := d.spend(i, &r.budget); err != nil {
		return err
	}
	switch {
	case IsSymbols(p.Type):
		return d.renumberSymbols(i, r)
	case IsRelocs(p.Type):
		return d.renumberRelocs(i, r)
	case IsInfo(p.Type) && p.Type != cuda.SHTCudaCompat:
		return d.renumberInfo(i, r)
	case IsCallgraph(p.Type):
		return d.renumberCallgraph(i, r)
	case IsPrototype(p.Type):
		return d.renumberPrototypes(i, r)
	case isUnifiedEntries(p.Type):
		return d.renumberUnified(i, r)
	}
	return nil
}

// spend takes the reading of section i from a budget: many sections may lie
// over the same bytes.
func (d *Editor) spend(i int, budget *uint64) error {
	n := uint64(len(d.Data(i)))
	if n > *budget {
		return d.src.fault(OverBudget, d.SectionName(i), 0, n, "the sections to rewrite are larger than the file")
	}
	*budget -= n
	return nil
}

func (d *Editor) renumberSymbols(i int, r *renumbering) error {
	list, err := d.Symbols(i)
	if err != nil {
		return err
	}
	moved, ok := r.symbols[i]
	size := len(list)
	if ok {
		size = slices.Max(append([]int{0}, moved...)) + 1
	}
	out := make([]Sym, size)
	shndx := d.shndxOf(i)
	for k := range list {
		s, to := list[k], k
		if n, has := s.Section(); has {
			at, stays := r.section(n)
			if stays {
				s.SetSection(at)
			} else if !ok || moved[k] != 0 {
				return d.src.fault(BadIndex, d.SectionName(i), uint64(k)*SymbolSize, uint64(n), "symbol %d is kept, but its section is removed", k)
			}
		}
		if ok {
			if to = moved[k]; to == 0 && k != 0 {
				continue
			}
		}
		if s.Shndx == xindex && r.sections[shndx] == 0 {
			return d.src.fault(BadIndex, d.SectionName(i), uint64(k)*SymbolSize, uint64(s.Word), "symbol %d needs a .symtab_shndx, which is removed", k)
		}
		out[to] = s
	}
	return d.SetSymbols(i, out)
}

func (d *Editor) renumberCapsule(i int, r *renumbering) error {
	code, ok := d.capsuleCode(i)
	if !ok {
		return nil
	}
	to, _ := r.section(code)
	if to == code {
		return nil
	}
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], to)
	return d.replace(i, 0, b[:])
}

// replace is Patch into a copy, so that a failed renumbering leaves nothing.
func (d *Editor) replace(i int, off uint64, b []byte) error {
	data := slices.Clone(d.Data(i))
	copy(data[off:], b)
	return d.SetData(i, data)
}

func (d *Editor) renumberRelocs(i int, r *renumbering) error {
	list, err := d.Relocs(i)
	if err != nil {
		return err
	}
	kept := list[:0]
	for _, rec := range list {
		to, ok := r.symbol(d.parts[i].Link, rec.Symbol)
		if !ok {
			continue
		}
		rec.Symbol = to
		kept = append(kept, rec)
	}
	return d.SetRelocs(i, kept)
}

func (d *Editor) renumberInfo(i int, r *renumbering) error {
	list, err := d.Info(i)
	if err != nil {
		return err
	}
	kept := list[:0]
	for _, rec := range list {
		words := rec.symbolWords()
		if len(words) == 0 {
			kept = append(kept, rec)
			continue
		}
		data := make([]byte, 0, len(rec.Data))
		for _, at := range words {
			if to, ok := r.symbol(d.parts[i].Link, word(rec.Data, at)); ok {
				data = binary.LittleEndian.AppendUint32(data, to)
			}
		}
		if len(data) == 0 {
			continue
		}
		rec.Data = append(data, rec.Data[len(words)*4:]...)
		kept = append(kept, rec)
	}
	return d.SetInfo(i, kept)
}

func (d *Editor) renumberCallgraph(i int, r *renumbering) error {
	groups, err := d.Callgraph(i)
	if err != nil {
		return err
	}
	for k := range groups {
		g := &groups[k]
		g.Pairs = d.renumberPairs(i, g.Pairs, !g.NamesString(), r)
	}
	return d.SetCallgraph(i, groups)
}

func (d *Editor) renumberPrototypes(i int, r *renumbering) error {
	list, err := d.Pairs(i)
	if err != nil {
		return err
	}
	return d.SetPairs(i, d.renumberPairs(i, list, false, r))
}

// renumberPairs maps the first word of each pair, and where both are symbols
// the second.
func (d *Editor) renumberPairs(i int, list []Pair, both bool, r *renumbering) []Pair {
	tab := d.parts[i].Link
	kept := list[:0]
	for _, p := range list {
		x, ok := r.symbol(tab, p.X)
		if !ok {
			continue
		}
		if p.X = x; both {
			if p.Y, ok = r.symbol(tab, p.Y); !ok {
				continue
			}
		}
		kept = append(kept, p)
	}
	return kept
}

func (d *Editor) renumberUnified(i int, r *renumbering) error {
	data := d.Data(i)
	if len(data)%unifiedEntrySize != 0 {
		return d.src.fault(BadRecord, d.SectionName(i), 0, uint64(len(data)), "not a table of 32-byte entries")
	}
	kept := make([]byte, 0, len(data))
	for ; len(data) > 0; data = data[unifiedEntrySize:] {
		if to, ok := r.symbol(d.parts[i].Link, word(data, 0)); ok {
			kept = binary.LittleEndian.AppendUint32(kept, to)
			kept = append(kept, data[4:unifiedEntrySize]...)
		}
	}
	return d.SetData(i, kept)
}
