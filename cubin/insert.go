package cubin

import "github.com/twinlink/twinlink/cuda"

// Insert puts a section in as number at; the numbers from there on grow by one
// wherever they stand. sh_link and sh_info of h are numbers after that. Layout
// must follow.
func (d *Editor) Insert(at int, name string, h Section, data []byte) error {
	if at < 1 || at > len(d.parts) {
		return d.src.fault(BadIndex, name, 0, uint64(at), "a section can't be inserted there: there are %d", len(d.parts))
	}
	if h.NoBits() && len(data) > 0 {
		return d.src.fault(BadExtent, name, 0, uint64(len(data)), "a section of type %s has no bytes", h.Type)
	}
	work := d.clone()
	off, err := work.Intern(work.namesIndex(), name)
	if err != nil {
		return err
	}
	r := &renumbering{sections: make([]int, len(d.parts))}
	for i := range r.sections {
		if r.sections[i] = i; i >= at {
			r.sections[i]++
		}
	}
	if err := work.renumber(r); err != nil {
		return err
	}
	if at == len(work.parts) {
		work.parts = append(work.parts, Part{})
	}
	h.NameOff, h.Off = off, work.placeBehind(at)
	work.parts[at] = Part{Section: h, data: data, own: true, shared: at}
	work.growSegments(at)
	*d = *work
	return nil
}

// placeBehind returns the place of the last section before number at that has
// one of its own.
func (d *Editor) placeBehind(at int) uint64 {
	for i := at - 1; i > 0; i-- {
		if d.parts[i].shared == i {
			return d.parts[i].Off
		}
	}
	return 0
}

// InsertSymbol puts a symbol into table tab as number at; the numbers from
// there on grow by one wherever they stand. Layout must follow.
func (d *Editor) InsertSymbol(tab, at int, s Sym) error {
	p, err := d.symbols(tab)
	if err != nil {
		return err
	}
	n := len(d.Data(tab)) / SymbolSize
	if at < 1 || at > n {
		return d.src.fault(BadIndex, d.SectionName(tab), 0, uint64(at), "a symbol can't be inserted there: there are %d", n)
	}
	local := s.Binding() == cuda.STBLocal && uint64(at) == uint64(p.Info)
	moved := make([]int, n)
	for k := range moved {
		if moved[k] = k; k >= at {
			moved[k]++
		}
	}
	work := d.clone()
	r := &renumbering{sections: sameNumbers(len(d.parts)), symbols: map[int][]int{tab: moved}}
	if err := work.renumber(r); err != nil {
		return err
	}
	list, err := work.Symbols(tab)
	if err != nil {
		return err
	}
	if at == len(list) {
		list = append(list, s)
	} else {
		list[at] = s
	}
	if local {
		work.parts[tab].Info++
	}
	if err := work.SetSymbols(tab, list); err != nil {
		return err
	}
	*d = *work
	return nil
}

func sameNumbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
