package selfcheck

import (
	"fmt"

	"github.com/twinlink/twinlink/capsule"
)

// atGuard is the byte of a record whose bits 3 to 7 are the guard.
const atGuard = 4

// storedOne is stored for a record of one word, which nearly all are.
func (c *checker) storedOne(fn *capsule.Func, n *capsule.Node) {
	record := fn.Cap.Record(n)
	if same, known := c.decoder.Same(record, wordAt(fn.Code, n.SASS)); !same || !known || badGuard(record) {
		c.stored(fn, n) // says what is wrong with it
		return
	}
	c.report.covered.made++
	c.report.Nodes.Reconstituted++
}

// badGuard reports whether the guard of a record is no predicate.
func badGuard(record []byte) bool {
	p := record[atGuard] >> 3
	return p > 6 && p != 31
}

// stored compares the words of a node with what its record says.
func (c *checker) stored(fn *capsule.Func, n *capsule.Node) {
	record := fn.Cap.Record(n)
	if badGuard(record) {
		c.add(Text, Content, fn.Capsule, 0, fmt.Sprintf("guard of the record at 0x%x of %s", n.SASS, fn.Name), "P0 to P6, or PT as 31", fmt.Sprint(record[atGuard]>>3))
	}
	sass, want, mask := c.words(int(n.Span))
	for k := range sass {
		sass[k] = wordAt(fn.Code, n.SASS+uint32(k)*capsule.WordSize)
	}
	if reason := c.predict(record, sass, want, mask); reason != "" {
		c.unknown(fn, n, reason)
		return
	}
	behindSkips(fn, n, want, sass)
	c.report.covered.made += int(n.Span)
	same := true
	for k := range sass {
		m := Word{Lo: mask[k].Lo, Hi: mask[k].Hi &^ schedule}
		if (sass[k].Lo^want[k].Lo)&m.Lo == 0 && (sass[k].Hi^want[k].Hi)&m.Hi == 0 {
			continue
		}
		same = false
		expected := Word{Lo: want[k].Lo&m.Lo | sass[k].Lo&^m.Lo, Hi: want[k].Hi&m.Hi | sass[k].Hi&^m.Hi}
		at := uint64(n.SASS) + uint64(k)*capsule.WordSize
		c.add(Text, Content, fn.Text, at, fmt.Sprintf("instruction of record %08x", fn.Cap.Tag(n)), expected.String(), sass[k].String())
		c.repairWord(fn.Text, at, expected)
	}
	if same {
		c.report.Nodes.Reconstituted++
	}
}

// predict is Predict of the rules.
func (c *checker) predict(record []byte, sass, want, mask []Word) string {
	if c.ownRules {
		return string(c.decoder.Decode(record, sass, want, mask))
	}
	return c.opts.Rules.Predict(c.sm, record, sass, want, mask)
}

// unknown counts a record whose words are not known.
func (c *checker) unknown(fn *capsule.Func, n *capsule.Node, reason string) {
	c.report.Nodes.Unknown++
	c.report.covered.unknown += int(n.Span)
	form := unknownForm{fn.Cap.Tag(n), n.Span, reason}
	text := c.forms[form]
	if text == "" {
		text = fmt.Sprintf("%08x/%d %s", form.tag, form.span, reason)
		c.forms[form] = text
	}
	c.report.Forms[text]++
}

// unknownForm is a form of unknown records, as a report counts them.
type unknownForm struct {
	tag    uint32
	span   uint16
	reason string
}

// words returns three buffers of n words.
func (c *checker) words(n int) (sass, want, mask []Word) {
	if len(c.buf) < 3*n {
		c.buf = make([]Word, 3*max(n, 32))
	}
	clear(c.buf[n : 3*n])
	return c.buf[:n], c.buf[n : 2*n : 2*n], c.buf[2*n : 3*n : 3*n]
}
