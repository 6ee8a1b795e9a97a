package fit

import (
	"maps"
	"slices"
)

// blocking returns the bits that are in the way of rules.
func (l *learner) blockingBits(wrong int) []int {
	count, open := map[int]int{}, 0
	for _, va := range l.model.Variants {
		for _, s := range va.Open {
			open++
			for i := range l.deps[va.Sig][s] {
				count[i]++
			}
			for i := range l.extra[va.Sig][s] {
				if !l.deps[va.Sig][s][i] {
					count[i]++
				}
			}
		}
	}
	var blocking []int
	for i, n := range count {
		if 4*n >= open && i < immediates && l.slotAt(i) == nil && !l.fixed[i] {
			blocking = append(blocking, i)
		}
	}
	if len(blocking) == 0 && (open > 0 || wrong > 0) {
		for i := range l.keyed {
			if !l.fixed[i] && l.slotAt(i) == nil {
				blocking = append(blocking, i)
			}
		}
		for _, byBit := range l.extra {
			for _, in := range byBit {
				for i := range in {
					if l.slotAt(i) == nil && !l.fixed[i] && !slices.Contains(blocking, i) {
						blocking = append(blocking, i)
					}
				}
			}
		}
	}
	if len(blocking) > maxHub {
		return nil // what is contradicted is struck out instead
	}
	slices.Sort(blocking)
	return blocking
}

// split learns a model of each value that the bits of blocking have in the seeds.
func (l *learner) split(blocking []int, seeds []Vec, depth int) ([]*Model, error) {
	type part struct {
		value string
		seeds []Vec
	}
	var parts []*part
	valid := l.ask(seeds)
	for i, v := range seeds {
		if valid[i].Sig == "" {
			continue
		}
		value := make([]byte, len(blocking))
		for k, at := range blocking {
			value[k] = byte(v.Bit(at))
		}
		at := slices.IndexFunc(parts, func(p *part) bool { return p.value == string(value) })
		if at < 0 {
			at = len(parts)
			parts = append(parts, &part{value: string(value)})
		}
		parts[at].seeds = append(parts[at].seeds, v)
	}
	slices.SortStableFunc(parts, func(a, b *part) int { return len(b.seeds) - len(a.seeds) })
	l.cfg.Trace("split by %v: %d values", blocking, len(parts))
	cfg := l.cfg
	cfg.Fixed = maps.Clone(cfg.Fixed)
	if cfg.Fixed == nil {
		cfg.Fixed = map[int]bool{}
	}
	for _, i := range blocking {
		cfg.Fixed[i] = true
	}
	var all []*Model
	for _, p := range parts[:min(len(parts), maxSplit)] {
		m, err := learn(l.ctx, cfg, l.ask0, p.seeds, l.cache, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, m...)
	}
	return all, nil
}
