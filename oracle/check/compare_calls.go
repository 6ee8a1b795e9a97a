package check

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// The call graph of the output: what the inputs say about the functions that
// stay. Prototypes are strings, equal numbers in one file mean equal strings.
// 11.8 writes what an indirect call may reach among the direct calls as well,
// and knows no edges.

// call is one pair under its heading.
type call struct {
	heading uint32
	x, y    *identity
	text    string
}

func (k call) String() string {
	y := k.text
	if k.y != nil {
		y = k.y.name
	}
	return k.x.String() + " -> " + y
}

var headingNames = map[uint32]string{
	cuda.CallgraphCalls: "call", cuda.CallgraphPrototypes: "address taken",
	cuda.CallgraphIndirect: "indirect call", cuda.CallgraphEdges: "takes the address", 0: "prototype",
}

func (c *check) compareCalls() error {
	want, err := c.wantedCalls()
	if err != nil {
		return err
	}
	c.verdict.Calls = len(want)
	tell := func(kind Kind, section string, k call) {
		f := Finding{Kind: kind, Section: section, Symbol: k.x.String(), Want: k.String(), Detail: headingNames[k.heading]}
		if kind == CallStray {
			f.Want, f.Got = "", f.Want
		}
		c.verdict.add(f)
	}
	if !slices.ContainsFunc(c.out.sections, func(s section) bool { return s.kind == cuda.SHTCudaCallgraph }) {
		c.verdict.add(Finding{Kind: SectionMissing, Section: ".nv.callgraph"})
	}
	told := map[*identity]bool{} // functions whose prototype is there, whatever it says
	for i := range c.out.sections {
		s := &c.out.sections[i]
		if s.kind != cuda.SHTCudaCallgraph && s.kind != cuda.SHTCudaPrototype {
			continue
		}
		pairs, err := c.out.readPairs(s, c.budget)
		if err != nil {
			return c.unreadable(err)
		}
		if s.kind == cuda.SHTCudaCallgraph {
			c.compareHeadings(s)
		}
		for _, p := range pairs {
			k := c.callOf(p)
			if k.heading == 0 || k.heading == cuda.CallgraphPrototypes {
				told[k.x] = true
			}
			if p.x == 0 && k.heading == 0 && c.release == 123 {
				continue // 12.3 leaves the prototype of a second name that it removes
			}
			if want[k] == 0 && !c.extraCall(k) {
				tell(CallStray, s.name, k)
				continue
			}
			want[k] = max(want[k]-1, 0)
		}
	}
	c.comparePrototypes(want, told, tell)
	for _, f := range c.ids {
		for _, k := range c.leftOver(want, f) {
			section := ".nv.callgraph"
			if k.heading == 0 {
				section = ".nv.prototype"
			}
			tell(CallMissing, section, k)
		}
	}
	return nil
}

// wantedCalls returns how often each pair of the call graph should be there.
func (c *check) wantedCalls() (map[call]int, error) {
	want := map[call]int{}
	for _, f := range c.ids {
		if !f.function() || !c.stays(f) {
			continue
		}
		add := func(heading uint32, y *identity, text string) { want[call{heading, f, y, text}]++ }
		for _, y := range f.calls.list {
			if c.stays(y) {
				add(cuda.CallgraphCalls, y, "")
			}
		}
		switch {
		case f.taken:
			add(cuda.CallgraphPrototypes, nil, f.prototype)
		case f.prototype != "":
			add(0, nil, f.prototype)
		}
		for _, text := range f.indirect {
			add(cuda.CallgraphIndirect, nil, text)
			if c.release < matchesApart {
				for _, y := range c.takers[text] {
					if !f.calls.set[y] { // of one that is called by name as well 11.8 writes one or two
						add(cuda.CallgraphCalls, y, "")
					}
				}
			}
		}
		if c.release >= 119 {
			for _, y := range f.edges.list {
				if c.stays(y) {
					add(cuda.CallgraphEdges, y, "")
				}
			}
		}
		if err := c.budget.spend("", uint64(len(f.calls.list)+len(f.indirect)+len(f.edges.list))); err != nil {
			return nil, err
		}
	}
	return want, nil
}

// callOf reads a pair of the output's call graph.
func (c *check) callOf(p pair) call {
	k := call{heading: p.heading, x: c.outRef(p.x).id}
	if p.heading == cuda.CallgraphCalls || p.heading == cuda.CallgraphEdges {
		k.y = c.outRef(p.y).id
	} else {
		k.text, _ = text(c.out.strings(), uint64(p.y))
	}
	return k
}

// comparePrototypes wants some prototype of each function of which there are several
// definitions: whose word counts depends on the order of the inputs.
func (c *check) comparePrototypes(want map[call]int, told map[*identity]bool, tell func(Kind, string, call)) {
	for _, f := range c.ids {
		if !f.function() || !f.several || f.code == nil || !f.code.live || told[f] {
			continue
		}
		if k := (call{heading: 0, x: f, text: f.prototype}); want[k] > 0 {
			tell(CallMissing, ".nv.prototype", k)
		}
	}
}

// matchesApart is the first release that doesn't list what an indirect call may
// reach among the calls. Source: nvlink 11.8.89, nvJitLink 12.0 to 12.2.
const matchesApart oracle.Release = 121

// extraCall reports whether a pair may be there though the inputs don't ask for
// it: one of a function that need not be named, one of several definitions of a
// function twice; and 11.8 lists kernels that are launched from the device, with no
// prototype.
func (c *check) extraCall(k call) bool {
	if k.x == nil || !k.x.function() {
		return false
	}
	if k.y != nil && k.x.mayCall.set[k.y] || k.y == nil && k.x.mayName[k.text] {
		return true
	}
	if k.x.code == nil {
		return (k.heading == 0 || k.heading == cuda.CallgraphPrototypes) && (k.text == k.x.prototype || slices.Contains(c.alsoNamed[k.x], k.text))
	}
	if k.heading == cuda.CallgraphPrototypes && c.release < 119 && k.x.kernel() && k.text == "" {
		return true
	}
	if k.heading == cuda.CallgraphPrototypes || k.heading == 0 {
		return k.text == k.x.prototype && (!k.x.live || k.x.several)
	}
	if k.x.several && (k.y != nil && (k.x.calls.set[k.y] || k.x.edges.set[k.y] || k.y.twin) || k.y == nil && slices.Contains(k.x.indirect, k.text)) {
		return true // twice, of two definitions
	}
	if k.y != nil && !k.y.function() {
		return false
	}
	return c.release < 119 && k.x.several || c.release < matchesApart && k.y != nil && slices.ContainsFunc(k.x.indirect, k.y.mayBeOf)
}

// mayBeOf reports whether a function's prototype is, or some definition of it says, a given one.
func (d *identity) mayBeOf(prototype string) bool {
	return d.prototype == prototype || d.mayName[prototype]
}

// leftOver lists what is missing about a function, in a fixed order.
func (c *check) leftOver(want map[call]int, f *identity) []call {
	if !f.function() {
		return nil
	}
	var list []call
	look := func(k call) {
		for ; want[k] > 0; want[k]-- {
			list = append(list, k)
		}
	}
	for _, heading := range [...]uint32{cuda.CallgraphPrototypes, 0} {
		if f.several || f.code == nil {
			break // whose word counts depends on the order of the inputs
		}
		look(call{heading, f, nil, f.prototype})
	}
	for _, text := range f.indirect {
		look(call{cuda.CallgraphIndirect, f, nil, text})
		if c.release >= matchesApart {
			continue
		}
		for _, y := range c.takers[text] {
			if y.several {
				continue // as above
			}
			look(call{cuda.CallgraphCalls, f, y, ""})
		}
	}
	for _, y := range f.calls.list {
		if y.code == nil && c.release == 122 {
			continue // 12.2 leaves out calls of what the driver defines
		}
		if c.neverCalled(f.code, y) {
			continue
		}
		look(call{cuda.CallgraphCalls, f, y, ""})
	}
	for _, y := range f.edges.list {
		look(call{cuda.CallgraphEdges, f, y, ""})
	}
	return list
}

// stays reports whether a function has a symbol in the output.
func (c *check) stays(f *identity) bool {
	return f.live || f.def == nil && f.named || f.code != nil && f.code.live && c.release < 119
}

// compareHeadings wants the three headings, from 12.x on four, in their order.
func (c *check) compareHeadings(s *section) {
	want := []uint32{cuda.CallgraphCalls, cuda.CallgraphPrototypes, cuda.CallgraphIndirect, cuda.CallgraphEdges}
	if c.release < 119 {
		want = want[:3]
	}
	var got []uint32
	for at := uint64(0); at+8 <= s.size; at += 8 {
		if y := word(s.body, at+4); word(s.body, at) == 0 && y >= cuda.CallgraphEdges {
			got = append(got, y)
		}
	}
	if !slices.Equal(want, got) {
		c.verdict.add(Finding{Kind: CallMissing, Section: s.name, Detail: "headings"})
	}
}

// strings is the table of the symbols' names, which prototypes share.
func (f *image) strings() []byte {
	if f.symtab == 0 || int(f.sections[f.symtab].link) >= len(f.sections) {
		return nil
	}
	return f.sections[f.sections[f.symtab].link].body
}

// neverCalled reports whether a call may be gone: of a static function, by code that stays
// though no kernel reaches it, as a function in a table that nobody calls through. The one
// that is there may be another input's.
//
// Source: a link by nvlink 13.0.88, in which the table's function stays and what it calls
// goes, in both orders of the inputs.
func (c *check) neverCalled(code *body, y *identity) bool {
	if c.relocatable || code == nil || y == nil || !y.local || !y.function() || y.reached || y.out > 0 && !y.twin {
		return false
	}
	return !slices.ContainsFunc(code.names, func(f *identity) bool { return f.reached })
}
