package capsules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
	"github.com/twinlink/twinlink/oracle/internal/capsule"
)

// Capsules.
//
// A record of the Mercury side counts in Mercury code, whose bytes are in the
// capsule only where the SASS can't tell them. There the field is patched like
// any other; elsewhere the finalizer writes the SASS with the value, and the
// SASS side is where it shows. The first word of a capsule is the section of
// its SASS.

// compareCapsules wants the capsules of the inputs readable, and that each of
// the output names the SASS of its function.
func (c *check) compareCapsules() error {
	for _, a := range c.Areas {
		if !a.Code() || !a.Owner.Live || a.Out == nil || len(a.Want) < 4 {
			continue
		}
		switch size := c.SizeOfCapsule(a.Owner); {
		case size.Other:
			c.Unjudged(a, verdict.Finding{Kind: verdict.CodeBytes, Section: a.Name, Detail: "a capsule of the input with a record of unknown kind"})
		case !size.Reads:
			c.Verdict.Add(verdict.Finding{Kind: verdict.InputConflict, File: a.Owner.Mod.Name, Section: image.MercurySide.FileName(a.Name), Detail: "a malformed capsule"})
		}
		index := image.Word(a.Out.Body, 0)
		if uint64(index) < uint64(len(c.Out.All)) {
			if s := &c.Out.All[index]; s.Name == a.Name && link.IsCode(s) && c.pairs[index] == nil {
				c.pairs[index] = a
				copy(a.Want, a.Out.Body[:4])
				continue
			}
		}
		c.Verdict.Add(verdict.Finding{Kind: verdict.CodeBytes, Section: image.MercurySide.FileName(a.Name), Symbol: a.Owner.Owner.String(), Want: "section of " + a.Name, Got: verdict.Hex(uint64(index)), Detail: "first word"})
		copy(a.Want, a.Out.Body[:min(4, len(a.Out.Body))])
	}
	return nil
}

// mapNodes pairs the nodes of two capsules by the words of the SASS that they
// stand for; notes, which have none, in their order.
func (c *check) mapNodes(a *link.Area) *link.NodeMap {
	in := c.CapsuleOf(a.Owner)
	out, err := capsule.Read(a.Out.Body, c.Out.SassOf(a.Out))
	if in == nil || err != nil {
		return nil
	}
	m := &link.NodeMap{In: in, Out: out, To: make([]int32, len(in.Nodes))}
	words := c.wordsOf(a)
	byWord := map[uint64]int32{}
	var notes []int32
	for j, n := range out.Nodes {
		if n.Kind == capsule.Note {
			notes = append(notes, int32(j))
			continue
		}
		for k := range max(n.Span, 1) {
			byWord[n.SASS/sass.Instruction+k] = int32(j)
		}
	}
	for i, n := range in.Nodes {
		m.To[i] = -1
		if n.Kind == capsule.Note {
			if len(notes) > 0 {
				m.To[i], notes = notes[0], notes[1:]
			}
			continue
		}
		for k := range max(n.Span, 1) {
			w := n.SASS/sass.Instruction + k
			if words != nil {
				if w >= uint64(len(words.To)) || words.To[w] < 0 {
					continue
				}
				w = uint64(words.To[w])
			}
			if j, ok := byWord[w]; ok {
				m.To[i] = j
				break
			}
		}
	}
	return m
}

// wordsOf is the map of the words of a function's SASS.
func (c *check) wordsOf(a *link.Area) *sass.WordMap {
	if c.Sass == nil {
		return nil
	}
	for _, b := range c.Sass.Modules[a.Owner.Mod.Number].Bodies {
		if b.Area != nil && link.SymbolOf(b.Section.Info) == link.SymbolOf(a.Owner.Section.Info) {
			return b.Area.Words
		}
	}
	return nil
}

// compareCapsule holds a capsule against the input's, node by node. A node whose
// words were put in or omitted may have another record.
func (c *check) compareCapsule(a *link.Area) {
	if words := c.wordsOf(a); bytes.Equal(a.Want, a.Out.Body) || words != nil && words.Strange {
		return
	}
	m := a.Nodes
	if m == nil {
		if m = c.mapNodes(a); m == nil && c.SizeOfCapsule(a.Owner).Other {
			return
		} else if m == nil {
			c.Verdict.Add(verdict.Finding{Kind: verdict.CodeBytes, File: a.Parts0(), Section: a.Name, Symbol: a.Owner.Owner.String(), Detail: "a malformed capsule"})
			return
		}
	}
	if m.Out.SASS != uint64(len(c.Out.SassOf(a.Out))) {
		c.Verdict.Add(verdict.Finding{Kind: verdict.CodeBytes, File: a.Parts0(), Section: a.Name, Symbol: a.Owner.Owner.String(), Want: verdict.Hex(uint64(len(c.Out.SassOf(a.Out)))), Got: verdict.Hex(m.Out.SASS),
			Detail: "the nodes don't cover the function's instructions"})
		return
	}
	seen := make([]bool, len(m.Out.Nodes))
	for i, w := range m.In.Nodes {
		j := m.To[i]
		if j < 0 {
			if w.Kind == capsule.Note {
				c.Verdict.Add(c.CodeFinding(a, w.At, nil, nil, "a note of the capsule is missing"))
			}
			continue
		}
		g := m.Out.Nodes[j]
		seen[j] = true
		if w.Kind == capsule.Note && !sameNotePlace(c.wordsOf(a), w, g) {
			c.Verdict.Add(c.CodeFinding(a, g.At, nil, nil, "a note of the capsule is before another word than in the input"))
		}
		if w.Kind == g.Kind && w.Span == g.Span {
			c.compareNode(a, w, g)
		} else {
			c.respanned(a, w, g)
		}
	}
	for j, g := range m.Out.Nodes {
		if !seen[j] {
			c.respanned(a, capsule.Node{}, g)
		}
	}
}

// sameNotePlace reports whether a note is before the input's word, or before what was
// inserted before it.
func sameNotePlace(words *sass.WordMap, w, g capsule.Node) bool {
	if words == nil || words.Identity {
		return w.SASS == g.SASS
	}
	first, last, ok := words.LeadsTo(w.SASS / sass.Instruction)
	return !ok || first <= g.SASS/sass.Instruction && g.SASS/sass.Instruction <= last
}

// compareNode compares the records of two nodes.
func (c *check) compareNode(a *link.Area, w, g capsule.Node) {
	x, _ := image.Cut(a.Want, w.At, w.Length)
	y, _ := image.Cut(a.Out.Body, g.At, g.Length)
	x = bytes.Clone(x)
	for k := range min(len(x), len(y)) {
		if a.IsFree(w.At + uint64(k)) {
			x[k] = y[k]
		}
	}
	if bytes.Equal(x, y) || isShort(x, y) && multipliesIntegers(x) {
		return
	}
	for k := range min(len(x), len(y)) {
		if x[k] == y[k] {
			continue
		}
		for i := range a.Fields {
			if f := &a.Fields[i]; f.Offset <= w.At+uint64(k) && w.At+uint64(k) < f.Offset+f.Size {
				c.Trace(f)
				c.Verdict.Add(verdict.Finding{Kind: verdict.RelocationField, File: a.Parts0(), Section: a.Name, Symbol: c.TargetName(f.Mod, f.Rec), Offset: g.At,
					Relocation: image.RelocationName(f.Rec.Kind), Number: f.Rec.Kind, Want: fmt.Sprintf("%x", x), Got: fmt.Sprintf("%x", y)})
				return
			}
		}
		break
	}
	f := c.CodeFinding(a, g.At, x, y, "a record that is not the input's")
	if onlyBit(x, y, loadMark) && c.isFirst(a) && c.isLoad(a, g) {
		f.Detail = "a load's record, one bit of which 12.8 writes differently: when is not known"
		c.Unjudged(a, f)
		return
	}
	c.Verdict.Add(f)
}

// multipliesIntegers reports whether a record is of a product of matrices of integers (IMMA). From
// 13.2 on such records of older toolkits' code are short: the word has their operands, and is held
// against the input's.
//
// Source: 80 kernels by ptxas 13.0.88 with mma.sync of 8-bit integers, linked by nvlink 13.3 and
// 13.5.37 for sm_100 and sm_103.
func multipliesIntegers(record []byte) bool {
	tag := image.Number(record, 0, 4)
	return tag == 0x26085a02 || tag == 0x26105a02
}

// isLoad reports whether a node stands for an LDC.
func (c *check) isLoad(a *link.Area, n capsule.Node) bool {
	word, ok := image.Cut(c.Out.SassOf(a.Out), n.SASS, sass.Instruction)
	return ok && sass.Opcode(word) == sass.OpLdc
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
// be ones that were put in or omitted.
func (c *check) respanned(a *link.Area, w, g capsule.Node) {
	words := c.wordsOf(a)
	moved := words != nil && !words.Identity
	if g.Kind == capsule.Note {
		c.Verdict.Add(c.CodeFinding(a, g.At, nil, nil, "a note of the capsule that is not the input's"))
		return
	}
	if g.Kind == capsule.Record && !c.recordFits(a, w, g) {
		return
	}
	if moved && (g.Kind == capsule.Skip || c.touchesChange(words, w, g)) || c.isFirst(a) && c.secondForm(a, w, g) {
		return
	}
	for k := range max(g.Span, 1) {
		if words != nil && words.Short[int32(g.SASS/sass.Instruction+k)] {
			return
		}
	}
	c.Verdict.Add(c.CodeFinding(a, g.At, nil, nil, "a node with another span than in the input"))
}

// isFirst reports whether the input's capsule is of the first form, and the linker's are of
// another: 12.8 keeps it.
func (c *check) isFirst(a *link.Area) bool {
	in := c.CapsuleOf(a.Owner)
	return in != nil && in.First && c.Release != lastFirstForm
}

const lastFirstForm oracle.Release = 128

// secondForm reports whether a node is what a capsule of the first form has otherwise. CALL and
// RET are PLAIN in it, and so is the loop after the end, which is skipped; words without
// operands of their own, as MUFU, have short records, and are PLAIN.
//
// Source: 344 objects of ptxas 12.8.93, sm_100 and sm_120, linked by nvlink 13.0.88; 12.9.86 of
// nvJitLink does the same.
func (c *check) secondForm(a *link.Area, w, g capsule.Node) bool {
	switch g.Kind {
	case capsule.Record:
		return g.Span == 1
	case capsule.Plain:
		return w.Span == 1 && w.Length == shortRecord
	}
	return c.behindEnd(a, g)
}

// shortRecord is the size of a record whose operands the SASS has.
const shortRecord = 4

// behindEnd reports whether a node is the loop after a function's end with the padding.
func (c *check) behindEnd(a *link.Area, g capsule.Node) bool {
	code := c.Out.SassOf(a.Out)
	word, ok := image.Cut(code, g.SASS, sass.Instruction)
	return ok && g.SASS+g.Span*sass.Instruction == uint64(len(code)) && sass.Opcode(word) == sass.OpBra && sass.IsLoop(word)
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
func (c *check) recordFits(a *link.Area, w, g capsule.Node) bool {
	is, _ := image.Cut(a.Out.Body, g.At, g.Length)
	if was, _ := image.Cut(a.Want, w.At, w.Length); w.Kind == capsule.Record && !(w.Length == shortRecord && c.isFirst(a)) {
		if bytes.Equal(was, is) || w.Span == 2 && g.Span == 1 && isShort(was, is) {
			return true
		}
		c.Verdict.Add(c.CodeFinding(a, g.At, was, is, "a record that is not the input's"))
		return false
	}
	last, ok := image.Cut(c.Out.SassOf(a.Out), g.SASS+sass.Instruction*(max(g.Span, 1)-1), sass.Instruction)
	if !ok {
		return true
	}
	begin, known := recordOf(last, g)
	if !known {
		c.Unjudged(a, verdict.Finding{Kind: verdict.CodeBytes, Section: a.Name, Symbol: a.Owner.Owner.String(), Offset: g.At, Detail: fmt.Sprintf("a record for words that were inserted before opcode 0x%x: its correct value is not known", sass.Opcode(last))})
		return true
	}
	if !strings.HasPrefix(fmt.Sprintf("%x", is), begin) {
		f := c.CodeFinding(a, g.At, nil, is, "the record of inserted words")
		f.Want = begin
		c.Verdict.Add(f)
		return false
	}
	return true
}

// recordOf is the record that nvlink writes for words that were put in or regenerated, by
// the last of them; where not all of it is known, how it begins.
//
// Source: 17,000 records of such words in code of ptxas 13.5.37 and nvlink 13.5.37; IADD.X: 75.
func recordOf(word []byte, g capsule.Node) (begin string, known bool) {
	always := word[1]>>4 == 7
	wide := image.Number(word, 8, 8)>>(73-64)%2 == 1
	carry := image.Number(word, 8, 8)>>(74-64)%2 == 1 // IADD.X
	switch op := sass.Opcode(word); {
	case op == sass.OpCall:
		return "420a020e", true
	case op == sass.OpRet:
		return "4233000e", true
	case op == sass.OpExit && always:
		return "0111000af8000000000000f800000000", true
	case op == sass.OpExit:
		return "0111", true
	case op == sass.OpBsync && always && word[9]%4 == 1: // .RELIABLE
		return fmt.Sprintf("0109040af80000000000%02x0000000000", 2*word[2]), true
	case op == sass.OpBsync && always:
		return fmt.Sprintf("0109020af80001000000%02x0000000000", 2*word[2]), true
	case op == sass.OpBsync:
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

// touchesChange reports whether some word of a node was put in or omitted.
func (c *check) touchesChange(words *sass.WordMap, w, g capsule.Node) bool {
	for k := range w.Span {
		if i := w.SASS/sass.Instruction + k; i >= uint64(len(words.To)) || words.To[i] < 0 {
			return true
		}
	}
	for k := range g.Span {
		if j := g.SASS/sass.Instruction + k; j >= uint64(len(words.From)) || words.From[j] < 0 {
			return true
		}
	}
	return false
}
