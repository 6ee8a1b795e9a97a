package diff

import (
	"strconv"
	"strings"
)

// element is something with a key and fields: a section, a symbol, a record. A
// thing with a value and no fields has one field without a name.
type element struct {
	key    string
	fields []field
}

type field struct{ name, value string }

func (t *element) fieldKey(i int) string {
	if t.fields[i].name == "" {
		return t.key
	}
	return t.key + "." + t.fields[i].name
}

// String tells a thing that one file lacks.
func (t *element) String() string {
	var parts []string
	for _, f := range t.fields {
		switch {
		case f.value == "":
		case f.name == "":
			parts = append(parts, f.value)
		default:
			parts = append(parts, f.name+"="+f.value)
		}
	}
	if len(parts) == 0 {
		return "present"
	}
	return strings.Join(parts, " ")
}

// group is the things of one sort in one file.
type group struct {
	things    []element
	index     map[string]int
	seen      map[string]int // how often a key was asked for
	orders    map[string][]string
	orderKeys []string
}

func newGroup() *group {
	return &group{index: make(map[string]int), seen: make(map[string]int), orders: make(map[string][]string)}
}

// add adds a thing and returns the key it got.
func (g *group) add(key string, fields ...field) string {
	g.seen[key]++
	if n := g.seen[key]; n > 1 {
		key += "#" + strconv.Itoa(n)
	}
	g.index[key] = len(g.things)
	g.things = append(g.things, element{key, fields})
	return key
}

// follow appends a key to an order.
func (g *group) follow(order, key string) {
	if _, ok := g.orders[order]; !ok {
		g.orderKeys = append(g.orderKeys, order)
	}
	g.orders[order] = append(g.orders[order], key)
}

// dotted makes a name a part of a key: section names bring their own dot.
func dotted(name string) string {
	if strings.HasPrefix(name, ".") {
		return name
	}
	return "." + name
}
