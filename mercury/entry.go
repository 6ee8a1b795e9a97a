package mercury

import (
	"sort"
	"strings"
	"sync"
)

// firstTag is above all opcodes: rules for words and those for records stand in one table.
const firstTag = 1 << 12

// Forms of text are read when they are first asked for: few files have a tenth of all tags.
// The text is right, which a test sees to, and its forms are in the order of their numbers.

// formsOf returns the forms of a tag, or of an opcode.
func (t *Table) formsOf(number uint32) []*form {
	if known, ok := t.forms.Load(number); ok {
		return known.([]*form)
	}
	if t.missed.Load() && !numbers()[number] {
		return nil
	}
	at, end := formAt(t.text, number), formAt(t.text, number+1)
	if at >= end {
		t.missed.Store(t.text != "") // a file may ask for any others, which must not take long
		return nil
	}
	p := parser{t: &Table{}}
	if err := p.lines(t.text[at:end]); err != nil {
		panic("mercury: the table in this program: " + err.Error())
	}
	read, _ := p.t.forms.Load(number)
	for _, f := range read.([]*form) {
		f.at = at
	}
	read, _ = t.forms.LoadOrStore(number, read)
	return read.([]*form)
}

// formAt returns where in a text the first form of a number, or of one above, begins.
func formAt(text string, number uint32) int {
	at := sort.Search(len(text), func(i int) bool {
		i = formBehind(text, i)
		return i == len(text) || numberAt(text[i:]) >= number
	})
	return formBehind(text, at)
}

// formBehind returns where the first form that begins at a place or behind it does.
func formBehind(text string, at int) int {
	for at < len(text) {
		if (at == 0 || text[at-1] == '\n') && (strings.HasPrefix(text[at:], "form\t") || strings.HasPrefix(text[at:], "plain\t")) {
			return at
		}
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return len(text)
}

// numbers is those of all forms in this program.
var numbers = sync.OnceValue(func() map[uint32]bool {
	all := map[uint32]bool{}
	for at := formBehind(learned, 0); at < len(learned); at = formBehind(learned, at+1) {
		all[numberAt(learned[at:])] = true
	}
	return all
})

// numberAt returns the tag or opcode of the form that a text begins with.
func numberAt(text string) uint32 {
	_, text, _ = strings.Cut(text, "\t")
	text, _, _ = strings.Cut(text, "\t")
	var p parser
	return uint32(p.number(text, 16, 32))
}
