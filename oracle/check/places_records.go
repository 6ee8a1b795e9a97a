package check

// placeByRecords takes the places that the records tell which name functions: they
// stay, and name the same function in the input and in the output. Where they leave a
// choice, as where several inputs have a frame for a function of which one definition
// stands, the others go first.
func (c *check) placeByRecords(a *area, open []*part) (left []*part, err error) {
	if a.owner != nil || !isDebug(a.name) || len(open) == 0 {
		return open, nil
	}
	if err := c.indexFunctions(a); err != nil {
		return nil, err
	}
	choices := make([][]uint64, len(open))
	for i, p := range open {
		if choices[i], err = c.recordPlaces(a, p); err != nil {
			return nil, err
		}
		if len(choices[i]) == 1 {
			if p.placed, err = c.fits(a, p, choices[i][0], nil); err != nil {
				return nil, err
			}
			if p.placed {
				p.base = choices[i][0]
			}
		}
	}
	taken := a.takenSpans()
	for i, p := range open {
		for _, at := range choices[i] {
			if p.placed || len(choices[i]) == 1 {
				break
			}
			if p.placed, err = c.fits(a, p, at, taken); err != nil {
				return nil, err
			}
			if p.placed {
				p.base = at
				taken = append(taken, span{at, at + p.section.size})
			}
		}
		if !p.placed {
			left = append(left, p)
		}
	}
	return left, nil
}

// indexFunctions notes where the records of the output name what.
func (c *check) indexFunctions(a *area) error {
	a.byFunction = map[uint32][]uint64{}
	for _, i := range c.out.listsOf[a.out.index] {
		if err := c.budget.spend("output", uint64(len(c.out.lists[i].list))); err != nil {
			return err
		}
		for _, r := range c.out.lists[i].list {
			a.byFunction[r.symbol] = append(a.byFunction[r.symbol], r.offset)
		}
	}
	return nil
}

// recordPlaces are the places where most of a part's records have one of the output
// that names the same function, the first first.
func (c *check) recordPlaces(a *area, p *part) ([]uint64, error) {
	votes := map[uint64]int{}
	most, looked := 0, 0
	for _, i := range p.mod.relocsOf[p.section.index] {
		for _, r := range p.mod.relocs[i].list {
			id := p.mod.refs[r.symbol].id.first()
			if id == nil || !id.function() || id.out == 0 || id.mod != p.mod || looked > maxVotes || isFunctionSize(r.kind) {
				continue
			}
			for _, at := range a.byFunction[uint32(id.out)] {
				if looked++; at >= r.offset {
					votes[at-r.offset]++
					most = max(most, votes[at-r.offset])
				}
			}
		}
	}
	var best []uint64
	for at, n := range votes {
		if n == most {
			best = append(best, at)
		}
	}
	sortPlaces(best, p.base)
	return best, c.budget.spend(p.mod.name, uint64(looked))
}

// maxVotes bounds how many records of one part are asked.
const maxVotes = 4096

// named is what a record that stays says: the name of its symbol and the addend.
type named struct {
	symbol string
	addend int64
	index  uint32 // of the symbol, in the output
}

// same compares what two records of different files say.
func (n named) same(o named) bool { return n.symbol == o.symbol && n.addend == o.addend }

// namedBy is what a record of a section says; a REL record has its addend in the
// bytes.
func (f *image) namedBy(s *section, r record) named {
	n := named{symbol: f.symbols[r.symbol].name, addend: r.addend}
	if !r.rela {
		n.addend = int64(number(s.body, r.offset, min(8, uint64(len(s.body))-min(r.offset, uint64(len(s.body))))))
	}
	return n
}

// namesAt lists what the records of a section of the output say.
func (o *output) namesAt(index int) map[uint64]named {
	if o.named == nil {
		o.named = map[int]map[uint64]named{}
	}
	names, known := o.named[index]
	if !known {
		names = map[uint64]named{}
		o.named[index] = names
		for _, i := range o.listsOf[index] {
			for _, r := range o.lists[i].list {
				if int(r.symbol) < len(o.symbols) {
					n := o.namedBy(&o.sections[index], r)
					n.index = r.symbol
					names[r.offset] = n
				}
			}
		}
	}
	return names
}

// recordsAgree reports whether the records of a part name at a place what the
// output's do there. A part without any agrees.
func (c *check) recordsAgree(a *area, p *part, at uint64) (bool, error) {
	if !c.byRecords || a.owner != nil || len(p.mod.relocsOf[p.section.index]) == 0 {
		return true, nil
	}
	names := c.out.namesAt(a.out.index)
	if len(names) == 0 {
		return true, nil
	}
	same := 0
	for _, i := range p.mod.relocsOf[p.section.index] {
		if err := c.budget.spend(p.mod.name, 1+uint64(len(p.mod.relocs[i].list))/4); err != nil {
			return false, err
		}
		for _, r := range p.mod.relocs[i].list {
			name, there := names[at+r.offset]
			if there && !name.same(p.mod.namedBy(p.section, r)) {
				return false, nil
			}
			if there {
				same++
			}
		}
	}
	return same > 0, nil
}
