package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/corpus/internal/expect"
	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
)

// random asks nvlink about vectors that nobody wrote down, and holds its
// answers against the rules of the oracle.
func (r *regen) random(ctx context.Context, count int, seed uint64, only string) error {
	var templates []*relocs.Template
	for _, t := range r.manifest.Templates {
		if strings.Contains(t.Name, only) {
			templates = append(templates, t)
		}
	}
	queue := make(chan *relocs.Vector)
	var done sync.WaitGroup
	var lock sync.Mutex
	tally := map[string]int{}
	shown := 0
	for range workers {
		done.Go(func() {
			for v := range queue {
				lines := r.trial(ctx, v, func(key string) {
					lock.Lock()
					tally[key]++
					lock.Unlock()
				})
				lock.Lock()
				for _, line := range lines {
					if shown++; shown <= r.show {
						fmt.Println(line)
					}
					r.differences++
				}
				lock.Unlock()
			}
		})
	}
	d := &rng{rand.New(rand.NewPCG(seed, 77)), true}
	for i := range count {
		v, err := d.vector(r.manifest, templates[d.IntN(len(templates))])
		if err != nil {
			return err
		}
		v.ID = fmt.Sprintf("random-%d-%d", seed, i)
		queue <- v
	}
	close(queue)
	done.Wait()
	for _, key := range slices.Sorted(maps.Keys(tally)) {
		fmt.Printf("%8d %s\n", tally[key], key)
	}
	return nil
}

// trial runs one vector under all of its releases and returns what the rules
// got wrong.
func (r *regen) trial(ctx context.Context, v *relocs.Vector, count func(string)) (lines []string) {
	inputs, err := v.Inputs()
	if err != nil {
		return []string{err.Error()}
	}
	c, err := expect.New(r.manifest, v, inputs)
	if err != nil {
		return []string{err.Error()}
	}
	for _, release := range v.Template.Releases {
		got, err := r.ask(ctx, v, inputs, release)
		if err != nil {
			return append(lines, err.Error())
		}
		got.Verdict = verdict(v, got)
		err = c.Check(release, got)
		var unknown *expect.Unknown
		switch {
		case err == nil:
			count(release + " agree " + string(got.Did))
		case errors.As(err, &unknown):
			count(release + " " + unknown.Error() + ": " + string(got.Did))
		default:
			count(release + " DISAGREE")
			rec := v.Records[0]
			lines = append(lines, fmt.Sprintf("%s %s %s %s type %#x sym %s at %#x A %#x before %x edits %v keep %v options %v recs %v: %v", v.Template.Name, release, v.Place, v.Form,
				rec.Type, rec.Symbol, rec.Offset, rec.Addend, v.Before, v.Edits, v.Keep, v.Options, v.Records[1:], err))
		}
	}
	return lines
}

// rng draws vectors.
type rng struct {
	*rand.Rand
	wide bool // with what few of the corpus have
}

// number draws a 64-bit number: an edge, a run of ones, a single byte or
// anything.
func (d *rng) number() uint64 {
	edges := []uint64{0, 1, 2, 3, 4, 0x38, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, math.MaxInt32, 1 << 31, math.MaxUint32, 1 << 32,
		math.MaxInt64, 1 << 63, math.MaxUint64, math.MaxUint64 - 7, 0xffffffff80000000}
	switch d.IntN(5) {
	case 0:
		return edges[d.IntN(len(edges))]
	case 1:
		return 0xff << (8 * d.IntN(8))
	case 2:
		return uint64(1) << d.IntN(64)
	case 3:
		return uint64(math.MaxUint64) >> d.IntN(64) << d.IntN(64)
	}
	return d.Uint64()
}

func (d *rng) old() []byte {
	b := make([]byte, 16)
	switch d.IntN(4) {
	case 0:
		for i := range b {
			b[i] = 0xff
		}
	case 1:
	case 2:
		x := byte(d.number())
		for i := range b {
			b[i] = x
		}
	default:
		for i := range b {
			b[i] = byte(d.Uint32())
		}
	}
	return b
}

func pick[T any](d *rng, list []T) T { return list[d.IntN(len(list))] }

// vector draws one vector of a template.
func (d *rng) vector(m *relocs.Manifest, t *relocs.Template) (*relocs.Vector, error) {
	places, err := t.Places()
	if err != nil {
		return nil, err
	}
	mercury := slices.ContainsFunc(places, func(p relocs.Place) bool { return p.Type == cuda.SHTMercSymtab })
	v := &relocs.Vector{Template: t, Form: relocs.RELA, Before: d.old()}
	if !mercury && d.IntN(2) == 0 {
		v.Form = relocs.REL
	}
	places = slices.DeleteFunc(places, func(p relocs.Place) bool { return !takesRecords(p, mercury) })
	rec := d.record(v, d.place(v, places, mercury), mercury)
	symbols := symbolsOf(m, t, places, mercury)
	for {
		rec.Symbol = pick(d, symbols)
		v.Records = []relocs.Record{rec}
		if _, err := v.Inputs(); err == nil {
			break
		}
	}
	d.edit(v, mercury)
	if d.IntN(6) == 0 && len(t.Nodes) == 0 {
		d.more(v, mercury)
	}
	if d.wide {
		d.widen(v, mercury)
	}
	if t.Program == "extern" && d.IntN(4) > 0 {
		v.Edits = append(v.Edits, weakFunction...)
	}
	if t.Program == "externvar" && d.IntN(4) > 0 {
		v.Edits = append(v.Edits, weakVariables...)
	}
	return v, nil
}

// takesRecords tells the places that a vector's records may be in.
func takesRecords(p relocs.Place, mercury bool) bool {
	if mercury {
		return p.Rela && strings.HasPrefix(p.Name, ".nv.merc.")
	}
	return p.Rel || p.Rela || strings.HasPrefix(p.Name, ".text.") || strings.HasPrefix(p.Name, ".nv.constant")
}

// place draws the vector's place, every other time the code of the kernel.
func (d *rng) place(v *relocs.Vector, places []relocs.Place, mercury bool) relocs.Place {
	place := pick(d, places)
	if d.IntN(2) == 0 {
		for _, p := range places {
			if p.Name == ".text.k" {
				place = p
			}
		}
	}
	v.Place = place.Name
	if mercury && strings.Contains(v.Place, "debug") {
		v.Before = nil // the finalizer reads it
	}
	return place
}

// record draws the vector's first record, but for its symbol.
func (d *rng) record(v *relocs.Vector, place relocs.Place, mercury bool) (rec relocs.Record) {
	rec.Type = uint32(d.IntN(117))
	if mercury {
		rec.Type = cuda.MercuryBase + uint32(d.IntN(64))
	}
	rec.Offset = d.Uint64N(max(place.Size, 16) - 15)
	if d.IntN(2) == 0 {
		rec.Offset &^= 15
	}
	if d.IntN(12) == 0 {
		rec.Offset = max(place.Size, 16) - 16 + d.Uint64N(20)
	}
	if nodes := v.Template.Nodes; len(nodes) > 0 && d.IntN(2) == 0 {
		n := pick(d, nodes)
		v.Place, v.Before, rec.Offset = ".nv.capmerc.text."+n.Function, nil, n.At
	}
	if v.Form == relocs.RELA {
		rec.Addend = int64(d.number())
	}
	return rec
}

// symbolsOf lists what a record may name. cvar is there four times: its
// value can be edited.
func symbolsOf(m *relocs.Manifest, t *relocs.Template, places []relocs.Place, mercury bool) (symbols []string) {
	for _, p := range m.Programs {
		if p.Name == t.Program {
			symbols = slices.Sorted(maps.Keys(p.Symbols))
		}
	}
	for _, p := range places {
		symbols = append(symbols, p.Name)
	}
	symbols = append(symbols, "#0", "cvar", "cvar", "cvar", "cvar", ".nv.constant3", ".nv.global", ".nv_debug.shared")
	if mercury {
		symbols = slices.DeleteFunc(symbols, func(s string) bool { return strings.HasPrefix(s, ".") })
	}
	return symbols
}

// edit draws the value of cvar and its bank, where the record names it.
func (d *rng) edit(v *relocs.Vector, mercury bool) {
	if v.Records[0].Symbol != "cvar" {
		return
	}
	if d.IntN(2) == 0 {
		v.Edits = append(v.Edits, relocs.Edit{Symbol: "cvar", Set: "value", To: relocs.Number(d.number())})
	}
	if d.IntN(3) == 0 && !mercury && v.Place != ".nv.constant3" && v.Template.Program != "pair" {
		bank := d.IntN(34)
		if bank == 2 {
			bank = 34
		}
		v.Edits = append(v.Edits, relocs.Edit{Section: ".nv.constant3", Set: "bank", To: relocs.Number(bank)})
	}
}

// widen adds what is seldom: numbers that are no type, options, records of the
// template that stay, and values of symbols other than cvar.
func (d *rng) widen(v *relocs.Vector, mercury bool) {
	first := &v.Records[0]
	switch d.IntN(30) {
	case 0:
		first.Type = uint32(d.number())
	case 1:
		first.Type = uint32(d.IntN(256))
	case 2:
		first.Type = cuda.MercuryBase + uint32(d.IntN(256))
	}
	if d.IntN(8) == 0 && !mercury {
		v.Options = []string{"--preserve-relocs"}
	}
	if d.IntN(8) == 0 {
		v.Keep = true
	}
	if d.IntN(6) > 0 {
		return
	}
	var e relocs.Edit
	switch first.Symbol {
	case "cvis", "cweak", "gvar", "gvis", "gweak", "ginit", "givis", "giweak":
		e = relocs.Edit{Symbol: first.Symbol, Set: "value", To: relocs.Number(d.number())}
	case "svar", "sfun", "sdead":
		e = relocs.Edit{Symbol: first.Symbol, Set: "value", To: 1 << d.IntN(8)}
	default:
		return
	}
	v.Edits = append(v.Edits, e)
}

// more adds records to a vector, near the first.
func (d *rng) more(v *relocs.Vector, mercury bool) {
	symbols := []string{"cvar", v.Records[0].Symbol, v.Records[0].Symbol}
	for range 1 + d.IntN(3) {
		r := v.Records[0]
		r.Symbol = pick(d, symbols)
		if d.IntN(2) == 0 {
			r.Offset += d.Uint64N(6)
		}
		if d.IntN(3) > 0 {
			r.Type = uint32(d.IntN(116))
			if mercury {
				r.Type = cuda.MercuryBase + uint32(d.IntN(64))
			}
		}
		if v.Form == relocs.RELA {
			r.Addend = int64(d.number())
		}
		v.Records = append(v.Records, r)
	}
	if _, err := v.Inputs(); err != nil {
		v.Records = v.Records[:1]
	}
}
