package check

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/internal/capsule"
)

// Capsules.
//
// A record of the Mercury side counts in Mercury code, whose bytes are in the
// capsule only where the SASS can't tell them. There the field is patched like
// any other; elsewhere the finalizer writes the SASS with the value, and the
// SASS side is where it shows. The first word of a capsule is the section of
// its SASS.

// capsuleSize is what is kept of a capsule: the bytes of Mercury code.
type capsuleSize struct {
	merc  uint64
	known bool
	reads bool
	other bool // has something in it that is not known
}

// capsuleOf takes the capsule of code apart; nil where it does not read. Only the last
// is kept: they take more memory than the file.
func (c *check) capsuleOf(b *body) *capsule.Capsule {
	if c.capsuleFor == b {
		return c.capsule
	}
	read, err := capsule.Read(b.section.body, b.mod.sassOf(b.section))
	if err != nil {
		read = nil
	}
	c.capsule, c.capsuleFor = read, b
	if c.capsuleSizes == nil {
		c.capsuleSizes = map[*body]capsuleSize{}
	}
	if read != nil {
		c.capsuleSizes[b] = capsuleSize{merc: read.Merc, known: read.Known, reads: true}
	} else {
		var e *capsule.Error
		c.capsuleSizes[b] = capsuleSize{other: errors.As(err, &e) && e.Unknown}
	}
	return read
}

// sizeOfCapsule is the size of the Mercury code of a capsule.
func (c *check) sizeOfCapsule(b *body) capsuleSize {
	size, known := c.capsuleSizes[b]
	if !known {
		c.capsuleOf(b)
		size = c.capsuleSizes[b]
	}
	return size
}

// sassOf is the SASS of a capsule.
func (f *image) sassOf(s *section) []byte {
	index := uint64(word(s.body, 0))
	if index >= uint64(len(f.all)) || f.all[index].kind != cuda.SHTProgbits && f.all[index].kind != cuda.SHTCudaUFT {
		return nil
	}
	return f.all[index].body
}

// locate turns an offset in Mercury code into one in the capsule. stored is
// false where the capsule has no such byte.
func (c *check) locate(a *area, offset uint64) (at uint64, stored bool) {
	if c.side != mercurySide || !a.code() || c.out.side == whole {
		return offset, true
	}
	read := c.capsuleOf(a.owner)
	if read == nil {
		return 0, false
	}
	at, stored, ok := read.Locate(offset)
	if !ok {
		c.unjudged(a, Finding{Kind: CodeBytes, Section: a.name, Offset: offset, Detail: "a field of Mercury code whose place in the capsule is not known"})
	}
	return at, stored
}

// compareCapsules wants the capsules of the inputs readable, and that each of
// the output names the SASS of its function.
func (c *check) compareCapsules() error {
	for _, a := range c.areas {
		if !a.code() || !a.owner.live || a.out == nil || len(a.want) < 4 {
			continue
		}
		switch size := c.sizeOfCapsule(a.owner); {
		case size.other:
			c.unjudged(a, Finding{Kind: CodeBytes, Section: a.name, Detail: "a capsule of the input with a record of unknown kind"})
		case !size.reads:
			c.verdict.add(Finding{Kind: InputConflict, File: a.owner.mod.name, Section: mercurySide.fileName(a.name), Detail: "a capsule that does not read"})
		}
		index := word(a.out.body, 0)
		if uint64(index) < uint64(len(c.out.all)) {
			if s := &c.out.all[index]; s.name == a.name && isCode(s) && c.pairs[index] == nil {
				c.pair(index, a)
				copy(a.want, a.out.body[:4])
				continue
			}
		}
		c.verdict.add(Finding{Kind: CodeBytes, Section: mercurySide.fileName(a.name), Symbol: a.owner.owner.String(), Want: "section of " + a.name, Got: hex(uint64(index)), Detail: "first word"})
		copy(a.want, a.out.body[:min(4, len(a.out.body))])
	}
	return nil
}

// pair notes which capsule speaks for a section of SASS.
func (c *check) pair(index uint32, a *area) {
	if c.pairs == nil {
		c.pairs = map[uint32]*area{}
	}
	c.pairs[index] = a
}

// nodeMap tells where the records of an input's capsule are in the output's.
type nodeMap struct {
	in, out *capsule.Capsule
	to      []int32 // by node of the input; -1: none
}

// at is where a byte of the input's capsule is in the output's.
func (m *nodeMap) at(offset uint64) uint64 {
	i := sort.Search(len(m.in.Nodes), func(i int) bool { return m.in.Nodes[i].At > offset })
	for ; i > 0; i-- {
		if n := m.in.Nodes[i-1]; stored(n) && n.At <= offset && offset < n.At+n.Length {
			if j := m.to[i-1]; j >= 0 && stored(m.out.Nodes[j]) {
				return m.out.Nodes[j].At + offset - n.At
			}
			break
		}
	}
	return offset
}

// stored reports whether a node has bytes in the capsule.
func stored(n capsule.Node) bool { return n.Kind == capsule.Record || n.Kind == capsule.Note }

// mapNodes pairs the nodes of two capsules by the words of the SASS that they
// stand for; notes, which have none, in their order.
func (c *check) mapNodes(a *area) *nodeMap {
	in := c.capsuleOf(a.owner)
	out, err := capsule.Read(a.out.body, c.out.sassOf(a.out))
	if in == nil || err != nil {
		return nil
	}
	m := &nodeMap{in: in, out: out, to: make([]int32, len(in.Nodes))}
	words := c.wordsOf(a)
	byWord := map[uint64]int32{}
	var notes []int32
	for j, n := range out.Nodes {
		if n.Kind == capsule.Note {
			notes = append(notes, int32(j))
			continue
		}
		for k := range max(n.Span, 1) {
			byWord[n.SASS/instruction+k] = int32(j)
		}
	}
	for i, n := range in.Nodes {
		m.to[i] = -1
		if n.Kind == capsule.Note {
			if len(notes) > 0 {
				m.to[i], notes = notes[0], notes[1:]
			}
			continue
		}
		for k := range max(n.Span, 1) {
			w := n.SASS/instruction + k
			if words != nil && !words.identity {
				if w >= uint64(len(words.to)) || words.to[w] < 0 {
					continue
				}
				w = uint64(words.to[w])
			}
			if j, ok := byWord[w]; ok {
				m.to[i] = j
				break
			}
		}
	}
	return m
}

// wordsOf is the map of the words of a function's SASS.
func (c *check) wordsOf(a *area) *wordMap {
	if c.sass == nil {
		return nil
	}
	for _, b := range c.sass.modules[a.owner.mod.number].bodies {
		if b.area != nil && symbolOf(b.section.info) == symbolOf(a.owner.section.info) {
			return b.area.words
		}
	}
	return nil
}

// compareCapsule holds a capsule against the input's, node by node. A node whose
// words were put in or left out may have another record.
func (c *check) compareCapsule(a *area) {
	if words := c.wordsOf(a); bytes.Equal(a.want, a.out.body) || words != nil && words.strange {
		return
	}
	m := a.nodes
	if m == nil {
		if m = c.mapNodes(a); m == nil && c.sizeOfCapsule(a.owner).other {
			return
		} else if m == nil {
			c.verdict.add(Finding{Kind: CodeBytes, File: a.parts0(), Section: a.name, Symbol: a.owner.owner.String(), Detail: "a capsule that does not read"})
			return
		}
	}
	if m.out.SASS != uint64(len(c.out.sassOf(a.out))) {
		c.verdict.add(Finding{Kind: CodeBytes, File: a.parts0(), Section: a.name, Symbol: a.owner.owner.String(), Want: hex(uint64(len(c.out.sassOf(a.out)))), Got: hex(m.out.SASS),
			Detail: "the nodes don't cover the function's instructions"})
		return
	}
	seen := make([]bool, len(m.out.Nodes))
	for i, w := range m.in.Nodes {
		j := m.to[i]
		if j < 0 {
			if w.Kind == capsule.Note {
				c.verdict.add(c.codeFinding(a, w.At, nil, nil, "a note of the capsule is missing"))
			}
			continue
		}
		g := m.out.Nodes[j]
		seen[j] = true
		if w.Kind == capsule.Note && !sameNotePlace(c.wordsOf(a), w, g) {
			c.verdict.add(c.codeFinding(a, g.At, nil, nil, "a note of the capsule stands before another word than in the input"))
		}
		if w.Kind == g.Kind && w.Span == g.Span {
			c.compareNode(a, w, g)
		} else if w.Kind != g.Kind || w.Span != g.Span {
			c.respanned(a, w, g)
		}
	}
	for j, g := range m.out.Nodes {
		if !seen[j] {
			c.respanned(a, capsule.Node{}, g)
		}
	}
}

// sameNotePlace reports whether a note stands before the input's word, or before what was
// put in before it.
func sameNotePlace(words *wordMap, w, g capsule.Node) bool {
	if words == nil || words.identity {
		return w.SASS == g.SASS
	}
	first, last, ok := words.leadsTo(w.SASS / instruction)
	return !ok || first <= g.SASS/instruction && g.SASS/instruction <= last
}

// compareNode compares the records of two nodes.
func (c *check) compareNode(a *area, w, g capsule.Node) {
	if !stored(w) {
		return
	}
	x, _ := cut(a.want, w.At, w.Length)
	y, _ := cut(a.out.body, g.At, g.Length)
	x = bytes.Clone(x)
	for k := range min(len(x), len(y)) {
		if a.isFree(w.At + uint64(k)) {
			x[k] = y[k]
		}
	}
	if bytes.Equal(x, y) {
		return
	}
	for k := range min(len(x), len(y)) {
		if x[k] == y[k] {
			continue
		}
		for i := range a.fields {
			if f := &a.fields[i]; f.offset <= w.At+uint64(k) && w.At+uint64(k) < f.offset+f.size {
				c.trace(f)
				c.verdict.add(Finding{Kind: RelocationField, File: a.parts0(), Section: a.name, Symbol: c.targetName(f.mod, f.rec), Offset: g.At,
					Relocation: relocationName(f.rec.kind), number: f.rec.kind, Want: fmt.Sprintf("%x", x), Got: fmt.Sprintf("%x", y)})
				return
			}
		}
		break
	}
	f := c.codeFinding(a, g.At, x, y, "a record that is not the input's")
	if onlyBit(x, y, loadMark) && c.isFirst(a) {
		f.Detail = "a record of 12.8 without a bit that later ones have: when is not known"
		c.unjudged(a, f)
		return
	}
	c.verdict.add(f)
}

// loadMark is a bit of LDC's record that some have, by bytes and bits of them.
//
// Source: 4 of 39 such records of ptxas 12.8.93 in links by nvlink 13.0 to 13.5.
const loadMark = 8*29 + 7

// onlyBit reports whether two records differ in one bit alone.
func onlyBit(x, y []byte, bit int) bool {
	if len(x) != len(y) || bit >= 8*len(x) || x[bit/8]^y[bit/8] != 1<<(bit%8) {
		return false
	}
	return bytes.Equal(x[:bit/8], y[:bit/8]) && bytes.Equal(x[bit/8+1:], y[bit/8+1:])
}

// respanned looks at a node with another span than in the input: its words must
// be ones that were put in or left out.
func (c *check) respanned(a *area, w, g capsule.Node) {
	words := c.wordsOf(a)
	moved := words != nil && !words.identity
	if g.Kind == capsule.Note {
		c.verdict.add(c.codeFinding(a, g.At, nil, nil, "a note of the capsule that is not the input's"))
		return
	}
	if g.Kind == capsule.Record && !c.recordFits(a, w, g) {
		return
	}
	if moved && (g.Kind == capsule.Skip || c.touchesChange(words, w, g)) || c.isFirst(a) && c.secondForm(a, w, g) {
		return
	}
	for k := range max(g.Span, 1) {
		if words != nil && words.short[int32(g.SASS/instruction+k)] {
			return
		}
	}
	c.verdict.add(c.codeFinding(a, g.At, nil, nil, "a node with another span than in the input"))
}

// isFirst reports whether the input's capsule is of the first form.
func (c *check) isFirst(a *area) bool {
	in := c.capsuleOf(a.owner)
	return in != nil && in.First
}

// secondForm reports whether a node is what a capsule of the first form has otherwise. CALL and
// RET are PLAIN in it, and so is the loop behind the end, which is skipped; words without
// operands of their own, as MUFU, have short records, and are PLAIN.
//
// Source: 344 objects of ptxas 12.8.93, sm_100 and sm_120, linked by nvlink 13.0.88.
func (c *check) secondForm(a *area, w, g capsule.Node) bool {
	switch g.Kind {
	case capsule.Record:
		return g.Span == 1
	case capsule.Plain:
		return w.Kind == capsule.Record && w.Span == 1 && w.Length == shortRecord
	}
	return g.Kind == capsule.Skip && c.behindEnd(a, g)
}

// shortRecord is the size of a record whose operands the SASS has.
const shortRecord = 4

// behindEnd reports whether a node is the loop behind a function's end with the padding.
func (c *check) behindEnd(a *area, g capsule.Node) bool {
	code := c.out.sassOf(a.out)
	word, ok := cut(code, g.SASS, instruction)
	return ok && g.SASS+g.Span*instruction == uint64(len(code)) && opcode(word) == opBra && isLoop(word)
}

// isShort reports whether a record is the short form of another: its operands are read
// from the one word that is left, as where a UTCATOMSWS lost its DEPBAR.
func isShort(long, short []byte) bool {
	return len(short) == shortRecord && len(long) > shortRecord && short[0] == long[0]|shortForm && bytes.Equal(short[1:], long[1:4])
}

const shortForm = 0x40

// recordFits wants the record of a node with another span to be the input's or, where
// the input's node has none, what nvlink writes for its last word.
//
// Source: 313 such nodes in links by nvlink 13.0.88 and 13.5.37.
func (c *check) recordFits(a *area, w, g capsule.Node) bool {
	is, _ := cut(a.out.body, g.At, g.Length)
	if was, ok := cut(a.want, w.At, w.Length); w.Kind == capsule.Record && !(w.Length == shortRecord && c.isFirst(a)) {
		if ok && (bytes.Equal(was, is) || w.Span == 2 && g.Span == 1 && isShort(was, is)) {
			return true
		}
		c.verdict.add(c.codeFinding(a, g.At, was, is, "a record that is not the input's"))
		return false
	}
	last, ok := cut(c.out.sassOf(a.out), g.SASS+instruction*(max(g.Span, 1)-1), instruction)
	if !ok {
		return true
	}
	begin, known := recordOf(last, g)
	if !known {
		c.unjudged(a, Finding{Kind: CodeBytes, Section: a.name, Symbol: a.owner.owner.String(), Offset: g.At, Detail: fmt.Sprintf("a record for words that were put in before opcode 0x%x: what it must be is not known", opcode(last))})
		return true
	}
	if !strings.HasPrefix(fmt.Sprintf("%x", is), begin) {
		f := c.codeFinding(a, g.At, nil, is, "the record of words that were put in")
		f.Want = begin
		c.verdict.add(f)
		return false
	}
	return true
}

// recordOf is the record that nvlink writes for words that were put in or made anew, by
// the last of them; where not all of it is known, how it begins.
//
// Source: 17,000 records of such words in code of ptxas 13.5.37 and nvlink 13.5.37; IADD.X: 75.
func recordOf(word []byte, g capsule.Node) (begin string, known bool) {
	always := word[1]>>4 == 7
	wide := number(word, 8, 8)>>(73-64)%2 == 1
	carry := number(word, 8, 8)>>(74-64)%2 == 1 // IADD.X
	switch op := opcode(word); {
	case op == opCall:
		return "420a020e", true
	case op == opRet:
		return "4233000e", true
	case op == opExit && always:
		return "0111000af8000000000000f800000000", true
	case op == opExit:
		return "0111", true
	case op == opBsync && always && word[9]%4 == 1: // .RELIABLE
		return fmt.Sprintf("0109040af80000000000%02x0000000000", 2*word[2]), true
	case op == opBsync && always:
		return fmt.Sprintf("0109020af80001000000%02x0000000000", 2*word[2]), true
	case op == opBsync:
		return "0109", true
	case carry && op == 0x235 && g.Size == 32 && !wide:
		return "420c3014", true
	case carry && op == 0x835 && g.Size == 32 && !wide:
		return "420c3206", true
	case op == 0x235 && g.Size == 16 && !wide:
		return "410c4004", true
	case op == 0x235 && g.Size == 16:
		return "410c5004", true
	case op == 0x835 && g.Size == 32 && !wide:
		return "420c4206", true
	case op == 0xc35 && g.Size == 16 && !wide:
		return "410c4404", true
	case op == 0xc35 && g.Size == 16:
		return "410c5404", true
	case op%0x100 == 0x35 && g.Size == 32:
		return "420c", true
	case op%0x100 == 0x35:
		return "410c", true
	}
	return "", false
}

// touchesChange reports whether some word of a node was put in or left out.
func (c *check) touchesChange(words *wordMap, w, g capsule.Node) bool {
	for k := range w.Span {
		if i := w.SASS/instruction + k; i >= uint64(len(words.to)) || words.to[i] < 0 {
			return true
		}
	}
	for k := range g.Span {
		if j := g.SASS/instruction + k; j >= uint64(len(words.from)) || words.from[j] < 0 {
			return true
		}
	}
	return false
}
