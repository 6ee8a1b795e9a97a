package fit

import (
	"maps"
	"slices"
)

// hub returns the bits that are in the way of rules.
func (l *learner) hub(wrong int) []int {
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
	var hub []int
	for i, n := range count {
		if 4*n >= open && i < immediates && l.slotAt(i) == nil && !l.fixed[i] {
			hub = append(hub, i)
		}
	}
	if len(hub) == 0 && (open > 0 || wrong > 0) {
		for i := range l.keyed {
			if !l.fixed[i] && l.slotAt(i) == nil {
				hub = append(hub, i)
			}
		}
		for _, byBit := range l.extra {
			for _, in := range byBit {
				for i := range in {
					if l.slotAt(i) == nil && !l.fixed[i] && !slices.Contains(hub, i) {
						hub = append(hub, i)
					}
				}
			}
		}
	}
	if len(hub) > maxHub {
		return nil // what is contradicted is struck out instead
	}
	slices.Sort(hub)
	return hub
}

// split learns a model of each value that the bits of hub have in the seeds.
func (l *learner) split(hub []int, seeds []Vec, depth int) ([]*Model, error) {
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
		value := make([]byte, len(hub))
		for k, at := range hub {
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
	l.cfg.Trace("split by %v: %d values", hub, len(parts))
	cfg := l.cfg
	cfg.Fixed = maps.Clone(cfg.Fixed)
	if cfg.Fixed == nil {
		cfg.Fixed = map[int]bool{}
	}
	for _, i := range hub {
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
