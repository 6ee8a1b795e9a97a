package selfcheck

import (
	"maps"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
)

// decoders are those that no check uses, by SM: what they remember of one file helps
// with the next.
var decoders sync.Map

func decoderFor(sm cuda.SM) *mercury.Decoder {
	pool, _ := decoders.LoadOrStore(sm, new(sync.Pool))
	if d, ok := pool.(*sync.Pool).Get().(*mercury.Decoder); ok {
		return d
	}
	return mercury.Default().Decoder(sm)
}

// putDecoder keeps a decoder for later, but for one that can't learn any more.
func putDecoder(sm cuda.SM, d *mercury.Decoder) {
	if pool, ok := decoders.Load(sm); ok && !d.Full() {
		pool.(*sync.Pool).Put(d)
	}
}

// functions decodes all functions and checks their instructions and attributes, several
// at once where there are processors. What comes out doesn't depend on how many. It is
// added to the report by join.
func (c *checker) functions() (code, infos []*checker) {
	c.traits, c.calls = make([]uint8, len(c.m.Funcs)), make([][]uint32, len(c.m.Funcs))
	workers := c.workers()
	parts, limits := c.share(workers*partsEach), c.limits()
	code, infos = make([]*checker, len(parts)), make([]*checker, len(parts))
	for i := range parts {
		code[i], infos[i] = c.worker(), c.worker()
	}
	panics := make([]any, min(workers, len(parts)))
	onFault := debug.SetPanicOnFault(true)
	debug.SetPanicOnFault(onFault)
	var wait sync.WaitGroup
	var taken atomic.Int64
	for k := range panics {
		wait.Go(func() {
			// A fault of the file's memory, which a caller may map, is the caller's.
			debug.SetPanicOnFault(onFault)
			defer func() { panics[k] = recover() }()
			decoder := c.decoder
			if k > 0 {
				decoder = decoderFor(c.sm)
			}
			for i := int(taken.Add(1)) - 1; i < len(parts); i = int(taken.Add(1)) - 1 {
				code[i].decoder = decoder
				functionsOf(code[i], infos[i], parts[i], limits)
			}
			if k > 0 {
				putDecoder(c.sm, decoder)
			}
		})
	}
	wait.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
	c.m.Decoded()
	return code, infos
}

// partsEach is how many parts a worker has on average: one that other programs leave less of its
// processor takes fewer, and the last to end is not late by much.
const partsEach = 4

// worker returns a checker with a report of its own.
func (c *checker) worker() *checker {
	w := *c
	w.report, w.repairs, w.buf, w.starts, w.forms = newReport(c.report.File), nil, nil, nil, map[unknownForm]string{}
	w.recordsOf = [3][]record{}
	return &w
}

// functionsOf decodes and checks functions: a part from its first to its second, which is
// excluded. Each is done with before the next, while what it reads is in the cache.
func functionsOf(code, infos *checker, part [2]int, limits map[uint32]uint32) {
	s := scan{table: quickTableFor(code.sm)}
	recent := capsule.Recent{Words: &s}
	m := code.m
	for i := part[0]; i < part[1]; i++ {
		fn := &m.Funcs[i]
		limit := limits[fn.Symbol]
		s.begin(fn, limit)
		m.Decode(i, &recent)
		if fn.Cap != nil {
			code.traits[i], code.calls[i] = code.nodesOf(fn, limit, &s)
		}
		infos.info(fn)
	}
}

// leastShare is the number of instructions that make another worker worth its start.
var leastShare = 20_000

// workers returns how many share the work. Rules of others are asked by one alone.
func (c *checker) workers() int {
	if !c.ownRules {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// share splits the functions into at most n parts with about the same number of
// instructions.
func (c *checker) share(n int) [][2]int {
	total := 0
	for i := range c.m.Funcs {
		total += len(c.m.Funcs[i].Code) / capsule.WordSize
	}
	n = max(1, min(n, total/leastShare))
	var parts [][2]int
	first, words := 0, 0
	for i := range c.m.Funcs {
		words += len(c.m.Funcs[i].Code) / capsule.WordSize
		if words >= total/n && len(parts) < n-1 {
			parts = append(parts, [2]int{first, i + 1})
			first, words = i+1, 0
		}
	}
	return append(parts, [2]int{first, len(c.m.Funcs)})
}

// join adds what workers found.
func (c *checker) join(list []*checker) {
	for _, w := range list {
		c.joinOne(w)
	}
}

func (c *checker) joinOne(w *checker) {
	r, more := c.report, w.report
	room := max(0, c.opts.Limit-len(r.Findings))
	kept := more.Findings[:min(room, len(more.Findings))]
	r.Findings = append(r.Findings, kept...)
	r.More += more.More + len(more.Findings) - len(kept)
	r.Nodes.add(&more.Nodes)
	r.covered.add(&more.covered)
	for _, pair := range [...]struct{ to, from map[string]int }{{r.Forms, more.Forms}, {r.Unknown, more.Unknown}, {r.Unchecked, more.Unchecked}} {
		for k := range maps.Keys(pair.from) {
			pair.to[k] += pair.from[k]
		}
	}
	c.repairs = append(c.repairs, w.repairs...)
}

func (n *Nodes) add(m *Nodes) {
	n.Total += m.Total
	n.Plain += m.Plain
	n.TagOnly += m.TagOnly
	n.Stored += m.Stored
	n.Skip += m.Skip
	n.Reconstituted += m.Reconstituted
	n.Unknown += m.Unknown
}

func (k *wordCount) add(m *wordCount) {
	k.made += m.made
	k.alike += m.alike
	k.unknown += m.unknown
	k.padding += m.padding
}
