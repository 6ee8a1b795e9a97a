package reduce

import (
	"context"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Key says how linkers part on a case; "" where they don't.
type Key func(context.Context, *Case) string

// Stats is what a reduction did.
type Stats struct{ Asked, Kept int }

// reducer is a reduction under way.
type reducer struct {
	ctx   context.Context
	key   Key
	want  string
	best  *Case
	asked map[string]bool
	stats Stats
}

// Reduce returns the smallest case that it finds with the key of c, at most limit questions later. A key that c doesn't
// have twice in a row makes it return c.
func Reduce(ctx context.Context, c *Case, key Key, limit int) (*Case, Stats) {
	want := key(ctx, c)
	r := &reducer{ctx: ctx, key: key, want: want, best: c, asked: map[string]bool{}}
	if want == "" || key(ctx, c) != want {
		return c, r.stats
	}
	passes := []func() bool{r.options, r.inputs, r.sections, r.relocs, r.symbols, r.bodies, r.values}
	for more := true; more && r.stats.Asked < limit; {
		more = false
		for _, pass := range passes {
			for r.stats.Asked < limit && ctx.Err() == nil && pass() {
				more = true
			}
		}
	}
	return r.best, r.stats
}

// try takes a smaller case if it has the key.
func (r *reducer) try(c *Case) bool {
	if c == nil || r.ctx.Err() != nil {
		return false
	}
	hash := c.Hash()
	if r.asked[hash] {
		return false
	}
	r.asked[hash] = true
	r.stats.Asked++
	if r.key(r.ctx, c) != r.want {
		return false
	}
	r.best = c
	r.stats.Kept++
	return true
}

// options omits one option, but for -arch.
func (r *reducer) options() bool {
	for i, o := range r.best.Options {
		if len(o) >= 5 && o[:5] == "-arch" {
			continue
		}
		c := r.best.clone()
		c.Options = slices.Delete(c.Options, i, i+1)
		if r.try(c) {
			return true
		}
	}
	return false
}

// inputs omits one input.
func (r *reducer) inputs() bool {
	for i := len(r.best.Inputs) - 1; i >= 0 && len(r.best.Inputs) > 1; i-- {
		c := r.best.clone()
		c.Inputs = slices.Delete(c.Inputs, i, i+1)
		if r.try(c) {
			return true
		}
	}
	return false
}

// drafts calls f for each input that can be read until it returns true.
func (r *reducer) drafts(f func(i int, read func() *cubin.Editor) bool) bool {
	for i := range r.best.Inputs {
		data := r.best.Inputs[i].Data
		if _, err := cubin.Decode("input", data); err != nil {
			continue
		}
		if f(i, func() *cubin.Editor {
			d, _ := cubin.Decode("input", data)
			return d
		}) {
			return true
		}
	}
	return false
}

// edited tries input i as a draft has it.
func (r *reducer) edited(i int, d *cubin.Editor) bool {
	if d.Layout() != nil {
		return false
	}
	data, err := d.Encode()
	return err == nil && r.try(r.best.with(i, data))
}

// sections omits a section with what belongs to it: a function's text takes its records, attributes and symbol along.
func (r *reducer) sections() bool {
	return r.drafts(func(i int, read func() *cubin.Editor) bool {
		d := read()
		for s := d.NumSections() - 1; s > 0; s-- {
			if t := d.Part(s).Type; t == cuda.SHTStrtab || t == cuda.SHTSymtab {
				continue
			}
			for _, alone := range []bool{false, true} {
				n := read()
				if _, err := n.Drop(family(d, s, alone), symbolsOf(d, s)); err == nil && r.edited(i, n) {
					return true
				}
			}
		}
		return false
	})
}

// family is a section and, unless it is to go alone, those that hang on it.
func family(d *cubin.Editor, s int, alone bool) []int {
	list := []int{s}
	for k := 1; k < d.NumSections() && !alone; k++ {
		if p := d.Part(k); k != s && int(p.Info) == s && (p.Flags&cuda.SHFInfoLink != 0 || cubin.IsRelocs(p.Type)) {
			list = append(list, k)
		}
	}
	return list
}

// symbolsOf are the symbols that are in a section.
func symbolsOf(d *cubin.Editor, s int) map[int][]int {
	tab := d.Symtab()
	syms, err := d.Symbols(tab)
	if err != nil {
		return nil
	}
	var list []int
	for k := range syms {
		if n, ok := syms[k].Section(); ok && int(n) == s && k > 0 {
			list = append(list, k)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return map[int][]int{tab: list}
}

// relocs omits half of a section's records, or one.
func (r *reducer) relocs() bool {
	return r.drafts(func(i int, read func() *cubin.Editor) bool {
		d := read()
		for s := 1; s < d.NumSections(); s++ {
			if !cubin.IsRelocs(d.Part(s).Type) {
				continue
			}
			list, err := d.Relocs(s)
			if err != nil {
				continue
			}
			for size := (len(list) + 1) / 2; size > 0; size /= 2 {
				for at := 0; at < len(list); at += size {
					n := read()
					if n.SetRelocs(s, slices.Delete(slices.Clone(list), at, min(at+size, len(list)))) == nil && r.edited(i, n) {
						return true
					}
				}
			}
		}
		return false
	})
}

// symbols omits one symbol.
func (r *reducer) symbols() bool {
	return r.drafts(func(i int, read func() *cubin.Editor) bool {
		d := read()
		syms, err := d.Symbols(d.Symtab())
		if err != nil {
			return false
		}
		for k := len(syms) - 1; k > 0; k-- {
			n := read()
			if _, err := n.Drop(nil, map[int][]int{d.Symtab(): {k}}); err == nil && r.edited(i, n) {
				return true
			}
		}
		return false
	})
}

// bodies empties a function or the data of a section, record by record where it is a table.
func (r *reducer) bodies() bool {
	return r.drafts(func(i int, read func() *cubin.Editor) bool {
		d := read()
		for s := 1; s < d.NumSections(); s++ {
			p := d.Part(s)
			if cubin.IsInfo(p.Type) {
				list, err := d.Info(s)
				for k := 0; err == nil && k < len(list); k++ {
					n := read()
					if n.SetInfo(s, slices.Delete(slices.Clone(list), k, k+1)) == nil && r.edited(i, n) {
						return true
					}
				}
				continue
			}
			if p.Type != cuda.SHTProgbits && p.Type != cuda.SHTCudaGlobalInit || len(d.Data(s)) == 0 {
				continue
			}
			n := read()
			if n.SetData(s, make([]byte, len(d.Data(s)))) == nil && r.edited(i, n) {
				return true
			}
		}
		return false
	})
}

// values makes addends zero and names short.
func (r *reducer) values() bool {
	return r.drafts(func(i int, read func() *cubin.Editor) bool {
		d := read()
		for s := 1; s < d.NumSections(); s++ {
			if !cubin.IsRelocs(d.Part(s).Type) {
				continue
			}
			list, err := d.Relocs(s)
			for k := 0; err == nil && k < len(list); k++ {
				if list[k].Addend == 0 {
					continue
				}
				simple := slices.Clone(list)
				simple[k].Addend = 0
				n := read()
				if n.SetRelocs(s, simple) == nil && r.edited(i, n) {
					return true
				}
			}
		}
		return false
	})
}
