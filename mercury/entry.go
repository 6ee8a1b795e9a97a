package mercury

import (
	"strconv"
	"strings"
	"sync"
)

// entry is the forms of one tag. Those of the table in this program are read when
// they are first asked for: few files have a tenth of all tags.
type entry struct {
	once  sync.Once
	text  []part
	forms []*form
}

// part is lines of a table that belong to one form, and how many stand before.
type part struct {
	text  string
	above int
}

func newTable() *Table { return &Table{forms: map[uint32]*entry{}, plain: map[uint32]*entry{}} }

func (t *Table) formsOf(tag uint32) []*form    { return t.forms[tag].get() }
func (t *Table) plainOf(opcode uint32) []*form { return t.plain[opcode].get() }

// get returns the forms, which are right: a test reads the whole table.
func (e *entry) get() []*form {
	if e == nil {
		return nil
	}
	e.once.Do(func() {
		for _, s := range e.text {
			p := parser{t: newTable()}
			if err := p.lines(s.text, s.above); err != nil {
				panic("mercury: the table in this program: " + err.Error())
			}
			for _, by := range [...]map[uint32]*entry{p.t.forms, p.t.plain} {
				for _, one := range by {
					e.forms = append(e.forms, one.forms...)
				}
			}
		}
		e.text = nil
	})
	return e.forms
}

// index finds the forms of a table that is right, and reads none.
func index(text string) *Table {
	t := newTable()
	type start struct {
		at, above int
		by        map[uint32]*entry
		tag       uint32
	}
	var last start
	end := func(at int) {
		if last.by == nil {
			return
		}
		e := last.by[last.tag]
		if e == nil {
			e = &entry{}
			last.by[last.tag] = e
		}
		e.text = append(e.text, part{text[last.at:at], last.above})
	}
	for at, n := 0, 0; at < len(text); n++ {
		line := text[at:]
		for _, kind := range [...]struct {
			prefix string
			by     map[uint32]*entry
		}{{"form\t", t.forms}, {"plain\t", t.plain}} {
			if rest, ok := strings.CutPrefix(line, kind.prefix); ok {
				end(at)
				tag, _, _ := strings.Cut(rest, "\t")
				number, err := strconv.ParseUint(tag, 16, 32)
				if err != nil {
					panic("mercury: the table in this program: form " + tag)
				}
				last = start{at, n, kind.by, uint32(number)}
			}
		}
		next := strings.IndexByte(line, '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	end(len(text))
	return t
}
