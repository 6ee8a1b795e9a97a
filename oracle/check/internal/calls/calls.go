package calls

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// The call graph of the output: what the inputs say about the functions that
// stay. Prototypes are strings, equal numbers in one file mean equal strings.
// 11.8 writes what an indirect call may reach among the direct calls as well,
// and knows no edges.

// call is one pair under its heading.
type call struct {
	heading uint32
	x, y    *link.Identity
	text    string
}

func (k call) String() string {
	y := k.text
	if k.y != nil {
		y = k.y.Name
	}
	return k.x.String() + " -> " + y
}

var headingNames = map[uint32]string{
	cuda.CallgraphCalls: "call", cuda.CallgraphPrototypes: "address taken",
	cuda.CallgraphIndirect: "indirect call", cuda.CallgraphEdges: "takes the address", 0: "prototype",
}

func (c *check) compareCalls() error {
	if c.Out.Side == image.MercurySide && c.Out.TableOf(cuda.SHTMercCallgraph) == nil {
		return nil // both sides have one, which the other check looks at
	}
	want, err := c.wantedCalls()
	if err != nil {
		return err
	}
	c.Verdict.Calls = len(want)
	tell := func(kind verdict.Kind, section string, k call) {
		f := verdict.Finding{Kind: kind, Section: section, Symbol: k.x.String(), Want: k.String(), Detail: headingNames[k.heading]}
		if kind == verdict.CallStray {
			f.Want, f.Got = "", f.Want
		}
		c.Verdict.Add(f)
	}
	if !slices.ContainsFunc(c.Out.Sections, func(s image.Section) bool { return s.Kind == cuda.SHTCudaCallgraph }) {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SectionMissing, Section: ".nv.callgraph"})
	}
	told := map[*link.Identity]bool{} // functions whose prototype is there, whatever it says
	for i := range c.Out.Sections {
		s := &c.Out.Sections[i]
		if s.Kind != cuda.SHTCudaCallgraph && s.Kind != cuda.SHTCudaPrototype {
			continue
		}
		pairs, err := c.Out.ReadPairs(s, c.Budget)
		if err != nil {
			return c.Unreadable(err)
		}
		if s.Kind == cuda.SHTCudaCallgraph {
			c.compareHeadings(s)
		}
		for _, p := range pairs {
			k := c.callOf(p)
			if k.heading == 0 || k.heading == cuda.CallgraphPrototypes {
				told[k.x] = true
			}
			if p.X == 0 && k.heading == 0 && c.Release == 123 {
				continue // 12.3 leaves the prototype of a second name that it removes
			}
			if want[k] == 0 && !c.extraCall(k) {
				tell(verdict.CallStray, s.Name, k)
				continue
			}
			want[k] = max(want[k]-1, 0)
		}
	}
	c.comparePrototypes(want, told, tell)
	for _, f := range c.IDs {
		for _, k := range c.leftOver(want, f) {
			section := ".nv.callgraph"
			if k.heading == 0 {
				section = ".nv.prototype"
			}
			tell(verdict.CallMissing, section, k)
		}
	}
	return nil
}

// wantedCalls returns how often each pair of the call graph should be there.
func (c *check) wantedCalls() (map[call]int, error) {
	want := map[call]int{}
	for _, f := range c.IDs {
		if !c.stays(f) {
			continue
		}
		add := func(heading uint32, y *link.Identity, text string) { want[call{heading, f, y, text}]++ }
		for _, y := range f.Calls.List {
			if c.stays(y) {
				add(cuda.CallgraphCalls, y, "")
			}
		}
		switch {
		case f.Taken:
			add(cuda.CallgraphPrototypes, nil, f.Prototype)
		case f.Prototype != "":
			add(0, nil, f.Prototype)
		}
		for _, text := range f.Indirect {
			add(cuda.CallgraphIndirect, nil, text)
			if c.Release < matchesApart {
				for _, y := range c.Takers[text] {
					if !f.Calls.Set[y] { // of one that is called by name as well 11.8 writes one or two
						add(cuda.CallgraphCalls, y, "")
					}
				}
			}
		}
		if c.Release >= 119 {
			for _, y := range f.Edges.List {
				if c.stays(y) {
					add(cuda.CallgraphEdges, y, "")
				}
			}
		}
		if err := c.Budget.Spend("", uint64(len(f.Calls.List)+len(f.Indirect)+len(f.Edges.List))); err != nil {
			return nil, err
		}
	}
	return want, nil
}

// callOf reads a pair of the output's call graph.
func (c *check) callOf(p image.Pair) call {
	k := call{heading: p.Heading, x: c.OutRef(p.X).ID}
	if p.Heading == cuda.CallgraphCalls || p.Heading == cuda.CallgraphEdges {
		k.y = c.OutRef(p.Y).ID
	} else {
		k.text, _ = image.Text(c.Out.Strings(), uint64(p.Y))
	}
	return k
}

// comparePrototypes wants some prototype of each function of which there are several
// definitions: whose word counts depends on the order of the inputs.
func (c *check) comparePrototypes(want map[call]int, told map[*link.Identity]bool, tell func(verdict.Kind, string, call)) {
	for _, f := range c.IDs {
		if !f.Several || f.Code == nil || !f.Code.Live || told[f] {
			continue
		}
		if k := (call{heading: 0, x: f, text: f.Prototype}); want[k] > 0 {
			tell(verdict.CallMissing, ".nv.prototype", k)
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
	if k.x == nil || !k.x.Function() {
		return false
	}
	if k.x.MayCall.Set[k.y] || k.x.MayName[k.text] {
		return true
	}
	if k.x.Code == nil {
		return (k.heading == 0 || k.heading == cuda.CallgraphPrototypes) && (k.text == k.x.Prototype || slices.Contains(c.AlsoNamed[k.x], k.text))
	}
	if k.heading == cuda.CallgraphPrototypes && c.Release < 119 && k.x.Kernel() && k.text == "" {
		return true
	}
	if k.heading == cuda.CallgraphPrototypes || k.heading == 0 {
		return k.text == k.x.Prototype && (!k.x.Live || k.x.Several)
	}
	if k.x.Several && (k.x.Calls.Set[k.y] || k.x.Edges.Set[k.y] || k.y != nil && k.y.Duplicate || slices.Contains(k.x.Indirect, k.text)) {
		return true // twice, of two definitions
	}
	if k.y != nil && !k.y.Function() {
		return false
	}
	return c.Release < 119 && k.x.Several || c.Release < matchesApart && k.y != nil && slices.ContainsFunc(k.x.Indirect, k.y.MayBeOf)
}

// leftOver lists what is missing about a function, in a fixed order.
func (c *check) leftOver(want map[call]int, f *link.Identity) []call {
	var list []call
	look := func(k call) {
		for ; want[k] > 0; want[k]-- {
			list = append(list, k)
		}
	}
	for _, heading := range [...]uint32{cuda.CallgraphPrototypes, 0} {
		if f.Several || f.Code == nil {
			break // whose word counts depends on the order of the inputs; what the driver defines has its own
		}
		look(call{heading, f, nil, f.Prototype})
	}
	for _, text := range f.Indirect {
		look(call{cuda.CallgraphIndirect, f, nil, text})
		if c.Release >= matchesApart {
			continue
		}
		for _, y := range c.Takers[text] {
			if y.Several {
				continue // as above
			}
			look(call{cuda.CallgraphCalls, f, y, ""})
		}
	}
	for _, y := range f.Calls.List {
		if y.Code == nil && c.Release == 122 {
			continue // 12.2 omits calls of what the driver defines
		}
		if c.NeverCalled(f.Code, y) || c.saidBelow(f, y) {
			continue
		}
		look(call{cuda.CallgraphCalls, f, y, ""})
	}
	for _, y := range f.Edges.List {
		look(call{cuda.CallgraphEdges, f, y, ""})
	}
	return list
}

// saidBelow reports whether a call of what the driver defines may be gone, since a function
// that is called, or whose address is taken, has it too: where the SASS side alone knows the call, nvlink 13.4 and
// 13.5 write it down or not from run to run.
func (c *check) saidBelow(f, y *link.Identity) bool {
	if !c.DriverReads || y.Code != nil {
		return false
	}
	return slices.ContainsFunc(slices.Concat(f.Calls.List, f.Edges.List), func(z *link.Identity) bool {
		_, found := slices.BinarySearch(c.NeedOf(z).Externs, y.Name)
		return z != f && z.Code != nil && found
	})
}

// stays reports whether a function has a symbol in the output.
func (c *check) stays(f *link.Identity) bool {
	return f.Live || f.Def == nil && f.Named || f.Code != nil && f.Code.Live && c.Release < 119
}

// compareHeadings wants the three headings, from 12.x on four, each once. nvlink has them in one order.
func (c *check) compareHeadings(s *image.Section) {
	want := []uint32{cuda.CallgraphCalls, cuda.CallgraphPrototypes, cuda.CallgraphIndirect, cuda.CallgraphEdges}
	if c.Release < 119 {
		want = want[:3]
	}
	var got []uint32
	for at := uint64(0); at+8 <= s.Size; at += 8 {
		if y := image.Word(s.Body, at+4); image.Word(s.Body, at) == 0 && y >= cuda.CallgraphEdges {
			got = append(got, y)
		}
	}
	if slices.Equal(want, got) {
		return
	}
	slices.Sort(want)
	if slices.Sort(got); slices.Equal(want, got) {
		c.Verdict.Habit(verdict.Finding{Kind: verdict.CallMissing, Section: s.Name, Detail: "headings in another order"})
		return
	}
	c.Verdict.Add(verdict.Finding{Kind: verdict.CallMissing, Section: s.Name, Detail: "headings"})
}
