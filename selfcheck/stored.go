package selfcheck

import (
	"fmt"

	"github.com/twinlink/twinlink/capsule"
)

// atGuard is the byte of a record whose bits 3 to 7 are the guard.
const atGuard = 4

// stored compares the words of node i with what its record says.
func (c *checker) stored(fn *capsule.Func, i int) {
	n := &fn.Cap.Nodes[i]
	if n.Span == 0 {
		c.report.Nodes.Reconstituted++ // to nothing
		return
	}
	record := fn.Cap.Record(n)
	if p := record[atGuard] >> 3; p > 6 && p != 31 {
		c.add(Text, Content, fn.Capsule, 0, fmt.Sprintf("guard of the record at 0x%x of %s", n.SASS, fn.Name), "P0 to P6, or PT as 31", fmt.Sprint(p))
	}
	sass, want, mask := c.words(int(n.Span))
	for k := range sass {
		sass[k] = wordAt(fn.Code, n.SASS+uint32(k)*capsule.WordSize)
	}
	if reason := c.opts.Rules.Predict(c.sm, record, sass, want, mask); reason != "" {
		c.report.Nodes.Unknown++
		c.report.covered.unknown += int(n.Span)
		c.report.Forms[fmt.Sprintf("%08x/%d %s", fn.Cap.Tag(n), n.Span, reason)]++
		return
	}
	c.report.covered.made += int(n.Span)
	same := true
	for k := range sass {
		m := Word{mask[k].Lo, mask[k].Hi &^ schedule}
		if (sass[k].Lo^want[k].Lo)&m.Lo == 0 && (sass[k].Hi^want[k].Hi)&m.Hi == 0 {
			continue
		}
		same = false
		expected := Word{want[k].Lo&m.Lo | sass[k].Lo&^m.Lo, want[k].Hi&m.Hi | sass[k].Hi&^m.Hi}
		at := uint64(n.SASS) + uint64(k)*capsule.WordSize
		c.add(Text, Content, fn.Text, at, fmt.Sprintf("instruction of record %08x", fn.Cap.Tag(n)), expected.String(), sass[k].String())
		c.repairWord(fn.Text, at, expected)
	}
	if same {
		c.report.Nodes.Reconstituted++
	}
}

// words returns three buffers of n words.
func (c *checker) words(n int) (sass, want, mask []Word) {
	if len(c.buf) < 3*n {
		c.buf = make([]Word, 3*max(n, 32))
	}
	clear(c.buf[n : 3*n])
	return c.buf[:n], c.buf[n : 2*n : 2*n], c.buf[2*n : 3*n : 3*n]
}
