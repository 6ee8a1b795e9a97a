package reach

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/resolve"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// linkOf is a link of one input's functions by letters: k and l are kernels, others functions, capitals have no code, and
// those in several have other definitions. A pair "f>g" is a call, "f=p" a function whose address is taken, of the
// prototype p, "f*p" a call through that, and "f&g" says that f takes the address of g.
func linkOf(t *testing.T, letters, several, pairs string, o verdict.Options) (*Reach, map[string]*link.Identity) {
	t.Helper()
	c := &Reach{Resolved: &resolve.Resolved{Link: link.New(1<<20, o)}}
	c.Out = &link.Output{Image: &image.Image{}, Areas: nil}
	names := "\x00pqr\x00p\x00q\x00"
	m := &link.Module{Image: &image.Image{Name: "m.cubin", Sections: []image.Section{{}, {Kind: cuda.SHTStrtab, Body: []byte(names)}, {Kind: cuda.SHTSymtab, Link: 1}}, Symtab: 2, Symbols: []image.Symbol{{}}},
		Refs: []link.Ref{{}}, Bodies: map[int]*link.Body{}, Silent: map[*link.Identity]bool{}}
	ids := map[string]*link.Identity{}
	for i, letter := range letters {
		id := &link.Identity{Name: string(letter), Order: i, Info: byte(cuda.STTFunc), Several: strings.ContainsRune(several, letter)}
		if letter == 'k' || letter == 'l' {
			id.Other = cuda.STOEntry
		}
		if letter >= 'a' {
			id.Def = &image.Symbol{}
			id.Code = &link.Body{Mod: m, Owner: id, Names: []*link.Identity{id}, Section: &image.Section{Index: 10 + i, Name: ".text." + id.Name}}
			m.Bodies[10+i] = id.Code
		}
		ids[id.Name] = id
		c.IDs, m.Refs, m.Symbols = append(c.IDs, id), append(m.Refs, link.Ref{ID: id}), append(m.Symbols, image.Symbol{Info: byte(cuda.STTFunc)})
	}
	number := func(letter byte) uint32 { return uint32(strings.IndexByte(letters, letter) + 1) }
	prototypes := map[byte]uint32{'p': 5, 'q': 7}
	for pair := range strings.FieldsSeq(pairs) {
		p := image.Pair{X: number(pair[0])}
		switch pair[1] {
		case '>':
			p.Heading, p.Y = cuda.CallgraphCalls, number(pair[2])
		case '&':
			p.Heading, p.Y = cuda.CallgraphEdges, number(pair[2])
		case '=':
			p.Heading, p.Y = cuda.CallgraphPrototypes, prototypes[pair[2]]
		case '*':
			p.Heading, p.Y = cuda.CallgraphIndirect, prototypes[pair[2]]
		}
		m.Pairs = append(m.Pairs, p)
	}
	c.Modules = []*link.Module{m}
	return c, ids
}

// lettersOf are the functions that a test is true of.
func lettersOf(c *Reach, is func(*link.Identity) bool) (list string) {
	for _, id := range c.IDs {
		if is(id) {
			list += id.Name
		}
	}
	return list
}

// TestGraph says what kernels reach, which functions stay besides, and who uses what.
func TestGraph(t *testing.T) {
	for i, x := range []struct {
		letters, several, pairs string
		options                 verdict.Options
		reached, live, cycles   string
		users                   string // of f
	}{
		{"kfg", "", "k>f", verdict.Options{}, "kf", "kf", "", "k"},
		{"klfg", "", "k>f l>g g>f", verdict.Options{}, "klfg", "klfg", "", "kl"},
		{"kfgh", "", "k>f f>g g>f g>h", verdict.Options{}, "kfgh", "kfgh", "fg", "k"},
		{"kf", "", "k>f f>f", verdict.Options{}, "kf", "kf", "f", "k"},
		{"kfF", "", "k>f f>F", verdict.Options{}, "kfF", "kfF", "", "k"},
		{"klf", "", "k>f", verdict.Options{KernelsUsed: []string{"k"}}, "kf", "kf", "", "k"},
		{"klf", "", "k>f", verdict.Options{KernelsUsed: []string{"l"}}, "l", "l", "", ""},
		{"klf", "", "k>f", verdict.Options{KernelsUsed: []string{"l"}, Debug: true}, "klf", "klf", "", "k"},
		{"klf", "", "k>f", verdict.Options{KernelsUsed: []string{"l"}, Debug: true, SuppressDebug: true}, "l", "l", "", ""},

		// Through pointers: by equal prototypes.
		{"kfg", "", "k*p f=p g=q", verdict.Options{}, "kf", "kfg", "", "k"},
		{"kfg", "", "k*q f=p g=q", verdict.Options{}, "kg", "kfg", "", ""},
		{"kfgh", "", "k*p f=p g=p g>h", verdict.Options{}, "kfgh", "kfgh", "", "k"},
		{"kfg", "", "k*p f=p f*p", verdict.Options{}, "kf", "kf", "f", "k"},
		{"kfg", "", "k&f", verdict.Options{}, "k", "kf", "", ""},
		{"kf", "f", "f=p", verdict.Options{}, "k", "k", "", ""}, // whose address nothing that is there takes
	} {
		c, ids := linkOf(t, x.letters, x.several, x.pairs, x.options)
		for _, phase := range []func() error{c.ReadCalls, c.Alive, c.FindNeeds} {
			if err := phase(); err != nil {
				t.Fatal(err)
			}
		}
		users, err := c.Users(ids["f"].Code)
		if err != nil {
			t.Fatal(err)
		}
		names := ""
		for _, u := range users {
			names += u.Name
		}
		reached := lettersOf(c, func(f *link.Identity) bool { return f.Reached })
		live := lettersOf(c, func(f *link.Identity) bool { return f.Live })
		cycles := lettersOf(c, func(f *link.Identity) bool {
			group := c.Graph.Groups[c.Graph.Group[f.Node]]
			return len(group) > 1 || slices.Contains(c.Graph.Next[f.Node], f.Node)
		})
		if got, want := fmt.Sprint(reached, live, cycles, names), fmt.Sprint(x.reached, x.live, x.cycles, x.users); got != want {
			t.Errorf("%d: reached %s, live %s, in cycles %s, used by %s", i, reached, live, cycles, names)
		}
		for y, group := range c.Graph.Groups {
			for _, n := range group {
				for _, next := range c.Graph.Next[n] {
					if c.Graph.Group[next] > int32(y) {
						t.Errorf("%d: group %d calls one behind it", i, y)
					}
				}
			}
		}
	}
}

// TestReadCalls: an index that represents no symbol refuses the input.
func TestReadCalls(t *testing.T) {
	for _, pair := range []image.Pair{{Heading: cuda.CallgraphCalls, X: 9, Y: 1}, {Heading: cuda.CallgraphCalls, X: 1, Y: 9}, {Heading: cuda.CallgraphPrototypes, X: 9}, {Heading: cuda.CallgraphIndirect, X: 9}, {Heading: cuda.CallgraphEdges, X: 1, Y: 3}} {
		c, _ := linkOf(t, "kf", "", "", verdict.Options{})
		c.Modules[0].Pairs = []image.Pair{pair}
		if err := c.ReadCalls(); err == nil {
			t.Errorf("%+v is read", pair)
		}
	}
	c, ids := linkOf(t, "kfF", "", "f=p F=q", verdict.Options{})
	c.Modules[0].Protos = []image.Pair{{X: 2, Y: 7}, {X: 1, Y: 7}}
	if err := c.ReadCalls(); err != nil {
		t.Fatal(err)
	}
	if f, k := ids["f"], ids["k"]; f.Prototype != "p" || !f.Taken || !f.Typed || !f.MayBeOf("q") || k.Prototype != "q" || k.Taken {
		t.Errorf("f %q, k %q", f.Prototype, k.Prototype)
	}
}
