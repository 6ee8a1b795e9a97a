package mercury

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// firstTag is above all opcodes: rules for words and those for records are in one table.
const firstTag = 1 << 12

// formPlace is where in the text of a table a form begins.
type formPlace struct {
	number uint32 // its tag or opcode
	at     int
}

// formPlaces is those of the table in this program, and at last one for its end. A test sees to
// it that the table is right and in order.
var formPlaces = sync.OnceValue(func() []formPlace {
	list := make([]formPlace, 0, 2048)
	for at := 0; ; {
		dot := strings.IndexByte(learned[at:], '.') // in the release, and in no line else
		if dot < 0 {
			return append(list, formPlace{at: len(learned)})
		}
		at += dot + 1
		begins := strings.LastIndexByte(learned[:at], '\n') + 1
		if kind, rest, _ := strings.Cut(learned[begins:at], "\t"); kind == "form" || kind == "plain" {
			number, _, _ := strings.Cut(rest, "\t")
			list = append(list, formPlace{uint32(new(parser).number(number, 16, 32)), begins})
		}
	}
})

// formsOf returns the forms of a tag, or of an opcode. Those of the table in this program are read
// when they are first asked for: few files have a tenth of all tags.
func (t *Table) formsOf(number uint32) []*form {
	if known, ok := t.forms.Load(number); ok {
		return known.([]*form)
	}
	if !t.lazy {
		return nil
	}
	list := formPlaces()
	i, found := slices.BinarySearchFunc(list[:len(list)-1], number, func(p formPlace, number uint32) int { return cmp.Compare(p.number, number) })
	if !found {
		return nil
	}
	known, _ := t.forms.LoadOrStore(number, readForms(list[i:]))
	return known.([]*form)
}

// readForms reads the forms of the first number in a list.
func readForms(list []formPlace) []*form {
	number, at := list[0].number, list[0].at
	end := slices.IndexFunc(list, func(p formPlace) bool { return p.number != number })
	p := parser{t: &Table{}}
	if err := p.lines(learned[at:list[end].at]); err != nil {
		panic("mercury: the table in this program: " + err.Error())
	}
	forms := p.t.formsOf(number)
	for _, f := range forms {
		f.at = at
	}
	return forms
}
