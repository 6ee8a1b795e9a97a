// Vary asks nvlink which bits of the words of PLAIN and tag-only nodes may be
// otherwise, and adds them to mercury/seen.tsv. A word is put into a capsule as such
// a node; where the same node with the same word comes back, the word is an
// instruction as this nvlink writes it. Of the cubins in the folders that are named
// some words of each opcode, and of each tag, are taken to begin at; single
// bits are inverted, then single bits of what was accepted.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/families"
	"github.com/twinlink/twinlink/mercury"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

func main() {
	release := flag.String("release", "13.5", "of nvlink")
	samples := flag.Int("samples", 4, "words of each opcode and tag to begin at")
	rounds := flag.Int("rounds", 3, "how many bits at most are inverted together")
	only := flag.String("only", "", "opcodes and tags, by commas")
	tags := flag.String("tags", "", "TAG:OPCODE,...: tags that no node of the folders has, to be tried on words of an opcode")
	flag.Parse()
	v := vary{seeds: map[key][]mercury.Word{}, most: *samples, only: *only, tags: map[uint16][]uint32{}, made: map[key][2]mercury.Word{}}
	for s := range strings.SplitSeq(*tags, ",") {
		var tag uint32
		var op uint16
		if _, err := fmt.Sscanf(s, "%x:%x", &tag, &op); err == nil {
			v.tags[op] = append(v.tags[op], tag)
		}
	}
	for _, place := range flag.Args() {
		if err := families.Each(place, v.file); err != nil {
			fmt.Fprintln(os.Stderr, "vary:", err)
			os.Exit(1)
		}
	}
	if err := v.ask(context.Background(), *release, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "vary:", err)
		os.Exit(1)
	}
}

// key is a kind of node on one architecture: an opcode, with the tag of a
// tag-only node.
type key struct {
	arch string
	tag  uint32
	op   uint16
}

func (k key) String() string {
	if k.tag == 0 {
		return fmt.Sprintf("plain\t%03x", k.op)
	}
	return fmt.Sprintf("tag\t%08x\t%03x", k.tag, k.op)
}

func (k key) sm() cuda.SM {
	if k.arch == "sm_120" {
		return 120
	}
	return 100
}

type vary struct {
	seeds map[key][]mercury.Word
	most  int
	only  string
	tags  map[uint16][]uint32     // to be tried, by opcode
	made  map[key][2]mercury.Word // bits clear and set in all words that came back with such a tag
}

// archOf is the architecture that answers for an SM; the table keeps two apart.
func archOf(sm cuda.SM) string {
	if sm >= 120 {
		return "sm_120"
	}
	return "sm_100"
}

// file takes words to begin at out of a cubin.
func (v *vary) file(name string, data []byte) {
	f, err := cubin.Open(name, data)
	if err != nil {
		return
	}
	arch := archOf(f.Header.SM())
	m := capsule.Open(f)
	for i := range m.Funcs {
		fn := &m.Funcs[i]
		if fn.Cap == nil {
			continue
		}
		for k := range fn.Cap.Nodes {
			n := &fn.Cap.Nodes[k]
			if n.Span != 1 || n.Kind == capsule.Skip {
				continue
			}
			w := mercury.GetWord(fn.Code[n.SASS:])
			w.Hi &^= mercury.Schedule
			for _, tag := range v.tags[uint16(w.Lo&0xfff)] {
				v.take(key{arch, tag, uint16(w.Lo & 0xfff)}, w)
			}
			if len(v.tags) > 0 || n.Kind == capsule.Full {
				continue
			}
			at := key{arch, fn.Cap.Tag(n) &^ 0x80000000, uint16(w.Lo & 0xfff)}
			if v.only != "" && !strings.Contains(v.only, fmt.Sprintf("%03x", at.op)) && !strings.Contains(v.only, fmt.Sprintf("%08x", at.tag)) {
				continue
			}
			v.take(at, w)
		}
	}
}

// take keeps words that differ outside of registers, immediates and the guard.
func (v *vary) take(at key, w mercury.Word) {
	list := v.seeds[at]
	if len(list) >= v.most {
		return
	}
	for _, l := range list {
		if (l.Lo^w.Lo)&^operandsLo == 0 && (l.Hi^w.Hi)&^operandsHi == 0 {
			return
		}
	}
	v.seeds[at] = append(list, w)
}

const (
	operandsLo = 0xfffffffffffff000
	operandsHi = 0xff
)

// question is a word with a bit inverted.
type question struct {
	key
	word mercury.Word
	bit  int
}

func (v *vary) ask(ctx context.Context, release string, rounds int) error {
	tools, err := probe.Tools(ctx)
	if err != nil {
		return err
	}
	keys := make([]key, 0, len(v.seeds))
	for k := range v.seeds {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.tag, b.tag), cmp.Compare(a.op, b.op), cmp.Compare(a.arch, b.arch))
	})
	free := map[key]mercury.Word{}
	oracles := map[string]*probe.Oracle{}
	for _, arch := range [...]string{"sm_100", "sm_120"} {
		if oracles[arch], err = probe.NewOracle(ctx, tools, release, arch); err != nil {
			return err
		}
	}
	for i, k := range keys {
		o := oracles[k.arch]
		links := o.Links
		o.Budget = &probe.Budget{Left: patience}
		asked, accepted, err := v.askOne(ctx, o, k, rounds, free)
		note := ""
		if errors.Is(err, probe.ErrBudget) {
			note, err = ", given up", nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%d of %d, %s %s: %d asked, %d accepted, %d links%s\n", i+1, len(keys), k, k.arch, asked, accepted, o.Links-links, note)
	}
	for _, k := range keys {
		f := free[k]
		if len(v.tags) > 0 {
			w, ok := v.made[k]
			if !ok {
				continue
			}
			fmt.Printf("%s\t%s\t0\t%x.%016x\t%x.%016x\n", k, strings.TrimPrefix(k.arch, "sm_"), w[0].Hi&(1<<41-1), w[0].Lo, w[1].Hi, w[1].Lo)
		}
		fmt.Printf("free\t%s\t%s\t%x.%016x\n", k, strings.TrimPrefix(k.arch, "sm_"), f.Hi, f.Lo)
	}
	return nil
}

// patience is how many links one kind of node may take: words that nvlink crashes on
// or never ends with cost many to find.
const patience = 1500

// askOne asks about one kind of node and adds the bits that may be otherwise.
func (v *vary) askOne(ctx context.Context, o *probe.Oracle, k key, rounds int, free map[key]mercury.Word) (asked, accepted int, err error) {
	begin := v.seeds[k]
	if len(v.tags) > 0 {
		if begin, err = v.accepted(ctx, o, k); err != nil || len(begin) == 0 {
			return len(v.seeds[k]), 0, err
		}
	}
	for range rounds {
		var list []question
		for _, w := range begin {
			list = append(list, inverted(k, w, free[k])...)
		}
		begin = nil
		nodes := make([]probe.Node, len(list))
		for i, q := range list {
			nodes[i] = q.node()
		}
		answers, err := o.Ask(ctx, nodes)
		if err != nil {
			return asked, accepted, err
		}
		asked += len(list)
		for i, q := range list {
			if !q.same(&answers[i]) {
				continue
			}
			accepted++
			f := free[k]
			if q.bit < 64 {
				f.Lo |= 1 << q.bit
			} else {
				f.Hi |= 1 << (q.bit - 64)
			}
			free[k] = f
			if len(begin) < 24 {
				begin = append(begin, q.word)
			}
		}
		if len(begin) == 0 {
			break
		}
	}
	return asked, accepted, nil
}

// accepted returns the words that come back with a tag that is tried.
func (v *vary) accepted(ctx context.Context, o *probe.Oracle, k key) (list []mercury.Word, err error) {
	var nodes []probe.Node
	for _, w := range v.seeds[k] {
		nodes = append(nodes, (&question{key: k, word: w}).node())
	}
	answers, err := o.Ask(ctx, nodes)
	if err != nil {
		return nil, err
	}
	for i, w := range v.seeds[k] {
		if q := (question{key: k, word: w}); q.same(&answers[i]) {
			list = append(list, w)
		}
	}
	for i, w := range list {
		m := v.made[k]
		if i == 0 {
			m = [2]mercury.Word{{Lo: ^uint64(0), Hi: ^uint64(0)}, {Lo: ^uint64(0), Hi: ^uint64(0)}}
		}
		m[0] = mercury.Word{Lo: m[0].Lo &^ w.Lo, Hi: m[0].Hi &^ w.Hi}
		m[1] = mercury.Word{Lo: m[1].Lo & w.Lo, Hi: m[1].Hi & w.Hi}
		v.made[k] = m
	}
	return list, nil
}

// inverted returns a word with each bit inverted that isn't known to be free.
func inverted(k key, w, free mercury.Word) []question {
	var list []question
	care, ok := mercury.Care(k.sm(), k.tag, k.op)
	if !ok {
		care = mercury.Word{Lo: ^uint64(0xffff), Hi: 1<<41 - 1}
	}
	for bit := 16; bit < 105; bit++ {
		x, y := w, uint64(0)
		if bit < 64 {
			y = (care.Lo &^ free.Lo) >> bit & 1
			x.Lo ^= 1 << bit
		} else {
			y = (care.Hi &^ free.Hi) >> (bit - 64) & 1
			x.Hi ^= 1 << (bit - 64)
		}
		if y != 0 {
			list = append(list, question{k, x, bit})
		}
	}
	return list
}

func (q *question) node() probe.Node {
	n := probe.Node{Words: make([]byte, 16)}
	q.word.Put(n.Words)
	if q.tag != 0 {
		n.Record = binary.BigEndian.AppendUint32(nil, q.tag)
	}
	return n
}

// same reports whether the node came back as it was.
func (q *question) same(a *probe.Answer) bool {
	if len(a.Words) != 16 || a.Kind != 'P' && a.Kind != 'M' {
		return false
	}
	w := mercury.GetWord(a.Words)
	w.Hi &^= mercury.Schedule
	return w == q.word && bytes.Equal(a.Record, q.node().Record)
}
