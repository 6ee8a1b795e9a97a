package diff

import (
	"bytes"
	"fmt"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/dump"
)

// Difference is one key and what the two files have there; nil is nothing.
type Difference struct {
	Key string
	A   *string
	B   *string
}

// Input is one of the files.
type Input struct {
	Name string
	Data []byte
}

// Compare returns the differences in the order of the first file, those of
// which only the second has something after their like. The error is a
// *cubin.Error of one of the files.
func Compare(a, b Input) ([]Difference, error) {
	if bytes.Equal(a.Data, b.Data) {
		return nil, nil
	}
	x, err := open(a)
	if err != nil {
		return nil, err
	}
	y, err := open(b)
	if err != nil {
		return nil, err
	}
	c := &comparison{a: x, b: y}
	for _, facts := range [...]func(*side) *group{
		headerFacts, programFacts, sectionFacts, symbolFacts, relocFacts, infoFacts,
		callgraphFacts, relactionFacts, noteFacts,
	} {
		c.groups(facts(x), facts(y))
	}
	c.strings()
	c.contents()
	if len(c.found) == 0 {
		c.bytes(a.Data, b.Data)
	}
	return c.found, nil
}

// side is one file, decoded.
type side struct {
	file   *cubin.File
	model  *dump.File
	byName map[string]int // first section of a name
	relas  map[int][]int  // RELA sections by target
}

func open(in Input) (*side, error) {
	model, err := dump.Read(in.Name, in.Data, dump.All)
	if err != nil {
		return nil, err
	}
	file, err := cubin.Open(in.Name, in.Data)
	if err != nil {
		return nil, err
	}
	out := &side{file, model, make(map[string]int), make(map[int][]int)}
	for i := 1; i < file.NumSections(); i++ {
		s := file.Section(i)
		if name := file.SectionName(&s); out.byName[name] == 0 {
			out.byName[name] = i
		}
		if s.Type == cuda.SHTRela {
			out.relas[int(s.Info)] = append(out.relas[int(s.Info)], i)
		}
	}
	return out, nil
}

type comparison struct {
	a, b  *side
	found []Difference
}

func (c *comparison) differ(key string, a, b *string) {
	c.found = append(c.found, Difference{key, a, b})
}

func (c *comparison) values(key, a, b string) {
	if a != b {
		c.differ(key, &a, &b)
	}
}

// groups compares two lists of things of one sort.
func (c *comparison) groups(a, b *group) {
	for i := range a.things {
		x := &a.things[i]
		j, ok := b.index[x.key]
		if !ok {
			text := x.String()
			c.differ(x.key, &text, nil)
			continue
		}
		c.fields(x, &b.things[j])
	}
	for i := range b.things {
		y := &b.things[i]
		if _, ok := a.index[y.key]; !ok {
			text := y.String()
			c.differ(y.key, nil, &text)
		}
	}
	for _, key := range a.orderKeys {
		c.order(key, a.orders[key], b.orders[key])
	}
}

// fields compares a thing both files have. Its fields are in the same order
// in both, as far as both have them.
func (c *comparison) fields(x, y *element) {
	for i := range max(len(x.fields), len(y.fields)) {
		switch {
		case i >= len(y.fields):
			c.differ(x.fieldKey(i), &x.fields[i].value, nil)
		case i >= len(x.fields):
			c.differ(y.fieldKey(i), nil, &y.fields[i].value)
		default:
			c.values(x.fieldKey(i), x.fields[i].value, y.fields[i].value)
		}
	}
}

// order compares the order of what both lists have.
func (c *comparison) order(key string, a, b []string) {
	inA, inB := set(a), set(b)
	a, b = keep(a, inB), keep(b, inA)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			x := fmt.Sprintf("%s at %d", a[i], i)
			y := fmt.Sprintf("%s at %d", b[i], i)
			c.differ(key, &x, &y)
			return
		}
	}
}

func set(list []string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, s := range list {
		m[s] = true
	}
	return m
}

func keep(list []string, in map[string]bool) []string {
	var out []string
	for _, s := range list {
		if in[s] {
			out = append(out, s)
		}
	}
	return out
}

// bytes tells the first byte that differs.
func (c *comparison) bytes(a, b []byte) {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	tell := func(data []byte) *string {
		text := "end"
		if at < len(data) {
			text = fmt.Sprintf("0x%02x at 0x%x", data[at], at)
		}
		return &text
	}
	c.differ("file.bytes", tell(a), tell(b))
}
