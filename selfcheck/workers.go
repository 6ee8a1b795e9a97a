package selfcheck

import (
	"maps"
	"runtime"
	"runtime/debug"
	"sync"

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

// nodes checks the instructions of all functions, several functions at once where
// there are processors. What comes out doesn't depend on how many.
func (c *checker) nodes() {
	c.traits = make([]uint8, len(c.m.Funcs))
	parts, limits := c.share(c.workers()), c.limits()
	if len(parts) == 1 {
		c.nodesOfAll(0, len(c.m.Funcs), limits)
		return
	}
	list, panics := make([]*checker, len(parts)), make([]any, len(parts))
	onFault := debug.SetPanicOnFault(true)
	debug.SetPanicOnFault(onFault)
	var wait sync.WaitGroup
	for i := range parts {
		w := *c
		w.report, w.repairs, w.buf, w.starts, w.quick, w.forms = newReport(c.report.File), nil, nil, nil, nil, map[unknownForm]string{}
		if i > 0 {
			w.decoder = decoderFor(c.sm)
		}
		list[i] = &w
		wait.Go(func() {
			// A fault of the file's memory, which a caller may map, is the caller's.
			debug.SetPanicOnFault(onFault)
			defer func() { panics[i] = recover() }()
			w.nodesOfAll(parts[i][0], parts[i][1], limits)
		})
	}
	wait.Wait()
	for i, w := range list {
		if panics[i] != nil {
			panic(panics[i])
		}
		c.join(w)
		if i > 0 {
			putDecoder(c.sm, w.decoder)
		}
	}
}

// nodesOfAll checks the functions from first to end, which is excluded.
func (c *checker) nodesOfAll(first, end int, limits map[uint32]uint32) {
	for i := first; i < end; i++ {
		if fn := &c.m.Funcs[i]; fn.Cap != nil {
			c.traits[i] = c.nodesOf(fn, limits[fn.Symbol])
		}
	}
}

// leastShare is the number of nodes that make another worker worth its start.
var leastShare = 20_000

// workers returns how many share the work. Rules of others are asked by one alone.
func (c *checker) workers() int {
	if !c.ownRules {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// share splits the functions into at most n parts with about the same number of
// nodes.
func (c *checker) share(n int) [][2]int {
	total := 0
	for i := range c.m.Funcs {
		if p := c.m.Funcs[i].Cap; p != nil {
			total += len(p.Nodes)
		}
	}
	n = max(1, min(n, total/leastShare))
	var parts [][2]int
	first, nodes := 0, 0
	for i := range c.m.Funcs {
		if p := c.m.Funcs[i].Cap; p != nil {
			nodes += len(p.Nodes)
		}
		if nodes >= total/n && len(parts) < n-1 {
			parts = append(parts, [2]int{first, i + 1})
			first, nodes = i+1, 0
		}
	}
	return append(parts, [2]int{first, len(c.m.Funcs)})
}

// join adds what a worker found.
func (c *checker) join(w *checker) {
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
	n.Mini += m.Mini
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
