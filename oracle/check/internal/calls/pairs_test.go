package calls

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// graphText is a call graph in words: "k>f" a call, "f:#v" a function whose address is taken, with its
// prototype, "k*#v" a call through a prototype, "k=f" a function that takes another's address, and
// "f~#v" a prototype in .nv.prototype. "-x" before a word makes a heading x.
const (
	graph12 = "-> k>f k>g -: t:#v -* k*#v -= k=t"
	graph11 = "-> k>f k>g k>t -: t:#v -* k*#v"
	graph13 = "f~#i"
)

// graphOf is a link whose kernel k calls f, g, which nothing defines, and through #v; k takes the address of t, whose
// prototype that is. w is weak in several inputs and m a static function, and nothing refers to o, an object, and d, which is gone.
func graphOf(release oracle.Release) (*check, map[string]*link.Identity) {
	c := checkOf(release)
	ids := map[string]*link.Identity{}
	for i, name := range strings.Fields("k f g t w m o d") {
		id := &link.Identity{Name: name, Order: i, Info: byte(cuda.STTFunc), Def: &image.Symbol{}, Code: &link.Body{Live: true}, Live: true, Reached: true}
		id.Code.Names = []*link.Identity{id}
		ids[name] = id
		c.IDs = append(c.IDs, id)
	}
	k, f, g, t := ids["k"], ids["f"], ids["g"], ids["t"]
	k.Other = cuda.STOEntry
	k.Indirect = []string{"#v"}
	f.Prototype, g.Prototype, t.Prototype, t.Taken = "#i", "#g", "#v", true
	g.Def, g.Code, g.Live, g.Named = nil, nil, false, true
	ids["w"].Several, ids["m"].Local = true, true
	ids["o"].Info, ids["o"].Code = byte(cuda.STTObject), nil
	ids["d"].Live, ids["d"].Code.Live = false, false
	k.Calls.Add(f)
	k.Calls.Add(g)
	k.Calls.Add(ids["d"])
	k.Edges.Add(t)
	k.Edges.Add(ids["d"])
	c.Takers = map[string][]*link.Identity{"#v": {t}}
	c.AlsoNamed = map[*link.Identity][]string{g: {"#other"}}
	c.Budget = image.NewBudget(1 << 20)
	return c, ids
}

// write gives the link an output with a call graph and prototypes, as graphText has them.
func write(c *check, ids map[string]*link.Identity, graph string) {
	strtab := "\x00"
	text := func(s string) uint32 {
		strtab += s + "\x00"
		return uint32(len(strtab) - len(s) - 1)
	}
	refs := []link.Ref{{}}
	index := map[string]uint32{"": 0}
	for _, id := range c.IDs {
		index[id.Name] = uint32(len(refs))
		refs = append(refs, link.Ref{ID: id})
	}
	heading := map[byte]uint32{'>': cuda.CallgraphCalls, ':': cuda.CallgraphPrototypes, '*': cuda.CallgraphIndirect, '=': cuda.CallgraphEdges}
	var calls, prototypes []byte
	pair := func(list []byte, x, y uint32) []byte {
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(list, x), y)
	}
	for word := range strings.FieldsSeq(graph) {
		switch at := strings.IndexAny(word, ">:*=~"); {
		case word[0] == '-':
			calls = pair(calls, 0, heading[word[1]])
		case word[at] == '>' || word[at] == '=':
			calls = pair(calls, index[word[:at]], index[word[at+1:]])
		case word[at] == '~':
			prototypes = pair(prototypes, index[word[:at]], text(word[at+1:]))
		default:
			calls = pair(calls, index[word[:at]], text(word[at+1:]))
		}
	}
	sections := []image.Section{{}, {Index: 1, Body: []byte(strtab)}, {Index: 2, Kind: cuda.SHTSymtab, Link: 1}}
	for _, s := range []image.Section{{Name: ".nv.callgraph", Kind: cuda.SHTCudaCallgraph, Body: calls}, {Name: ".nv.prototype", Kind: cuda.SHTCudaPrototype, Body: prototypes}} {
		if s.Size = uint64(len(s.Body)); s.Size > 0 {
			sections = append(sections, s)
		}
	}
	c.Out = &link.Output{Image: &image.Image{Name: "output", Sections: sections, Symtab: 2}, Refs: refs}
}

// TestPairs changes a right call graph, or what the inputs say of it, in one place each.
func TestPairs(t *testing.T) {
	none := func(map[string]*link.Identity) {}
	with := func(name string, change func(id *link.Identity)) func(map[string]*link.Identity) {
		return func(ids map[string]*link.Identity) { change(ids[name]) }
	}
	several := func(id *link.Identity) { id.Several = true }
	for _, x := range []struct {
		release oracle.Release
		inputs  func(map[string]*link.Identity)
		graph   string
		want    string // findings, "" for none
	}{
		{130, none, graph12 + " " + graph13, ""},
		{121, none, graph12 + " " + graph13, ""},
		{119, none, "-> k>f k>g k>t -: t:#v -* k*#v -= k=t " + graph13, ""},
		{118, none, graph11 + " " + graph13, ""},
		{130, none, graph13, "section.missing; call.missing k -> #v; call.missing k -> f; call.missing k -> g; call.missing k -> t; call.missing t -> #v"},

		// Headings.
		{130, none, "-> k>f k>g -: t:#v -* k*#v " + graph13, "call.missing headings; call.missing k -> t"},
		{118, none, graph11 + " -= " + graph13, "call.missing headings"},
		{119, none, graph11 + " " + graph13, "call.missing headings; call.missing k -> t"},
		{130, none, graph12 + " -> " + graph13, "call.missing headings"},

		// Pairs that are missing, or too many.
		{130, none, "-> k>g -: t:#v -* k*#v -= k=t " + graph13, "call.missing k -> f"},
		{130, none, "-> k>f -: t:#v -* k*#v -= k=t " + graph13, "call.missing k -> g"},
		{130, none, "-> k>f k>f k>g -: t:#v -* k*#v -= k=t " + graph13, "call.stray k -> f"},
		{130, none, "-> k>f k>g f>k -: t:#v -* k*#v -= k=t " + graph13, "call.stray f -> k"},
		{130, none, "-> k>f k>g k>o -: t:#v -* k*#v -= k=t " + graph13, "call.stray k -> o"},
		{130, none, "-> k>f k>g o>k -: t:#v -* k*#v -= k=t " + graph13, "call.stray o -> k"},
		{130, none, "-> k>f k>g k>d -: t:#v -* k*#v -= k=t " + graph13, "call.stray k -> d"},
		{130, none, "-> k>f k>g -: t:#v -* k*#v -= k=t k=d " + graph13, "call.stray k -> d"},
		{130, none, "-> k>f k>g -: t:#v -* k*#i -= k=t " + graph13, "call.stray k -> #i; call.missing k -> #v"},
		{130, none, "-> k>f k>g -: t:#i -* k*#v -= k=t " + graph13, "call.stray t -> #i; call.missing t -> #v"},
		{130, none, "-> k>f k>g -: -* k*#v -= k=t " + graph13, "call.missing t -> #v"},
		{130, none, graph12 + " f~#v", "call.stray f ~ #v; call.missing f ~ #i"},
		{130, none, graph12, "call.missing f ~ #i"},
		{130, none, graph12 + " f~#i f~#i", "call.stray f ~ #i"},
		{130, none, graph12 + " f~#i o~#i", "call.stray o ~ #i"},
		{130, none, graph12 + " f~#i ~#i", "call.stray  ~ #i"},
		{123, none, graph12 + " f~#i ~#i", ""},
		{123, none, "-> k>f k>g -: t:#v :#v -* k*#v -= k=t " + graph13, "call.stray  -> #v"},
		{123, none, graph12 + " f~#i o~#i", "call.stray o ~ #i"},

		// A function that nothing defines may have each prototype that some input gives it, and nothing else.
		{130, none, graph12 + " f~#i g~#g", ""},
		{130, none, graph12 + " f~#i g~#other", ""},
		{130, none, graph12 + " f~#i g~#i", "call.stray g ~ #i"},
		{130, none, "-> k>f k>g -: t:#v g:#g -* k*#v -= k=t " + graph13, ""},
		{130, none, "-> k>f k>g -: t:#v -* k*#v g*#g -= k=t " + graph13, "call.stray g -> #g"},
		{122, none, "-> k>f -: t:#v -* k*#v -= k=t " + graph13, ""},
		{122, none, "-> k>g -: t:#v -* k*#v -= k=t " + graph13, "call.missing k -> f"},

		// What an indirect call may reach stands among the calls up to 12.0.
		{118, none, "-> k>f k>g -: t:#v -* k*#v " + graph13, "call.missing k -> t"},
		{121, none, "-> k>f k>g k>t -: t:#v -* k*#v -= k=t " + graph13, "call.stray k -> t"},
		{118, func(ids map[string]*link.Identity) { ids["t"].Several = true }, "-> k>f k>g -: t:#v -* k*#v " + graph13, ""},
		{118, func(ids map[string]*link.Identity) { ids["k"].Calls.Add(ids["t"]) }, "-> k>f k>g k>t -: t:#v -* k*#v " + graph13, ""},

		// A kernel that the device launches, by 11.8; without a prototype.
		{118, none, "-> k>f k>g k>t -: t:#v k: -* k*#v " + graph13, ""},
		{118, none, "-> k>f k>g k>t -: t:#v f: -* k*#v " + graph13, "call.stray f ->"},
		{118, none, "-> k>f k>g k>t -: t:#v k:#v -* k*#v " + graph13, "call.stray k -> #v"},
		{119, none, "-> k>f k>g k>t -: t:#v k: -* k*#v -= k=t " + graph13, "call.stray k ->"},

		// A function of several definitions: its pairs twice, whose are not known, and some prototype.
		{130, with("f", several), graph12 + " f~#i f~#i", ""},
		{130, with("f", several), graph12, "call.missing f ~ #i"},
		{130, with("f", several), "-> k>f k>g -: t:#v f:#i -* k*#v -= k=t", ""},
		{130, with("f", several), graph12 + " f~#v", "call.stray f ~ #v"},
		{130, with("f", func(f *link.Identity) { f.Several, f.Code.Live = true, false }), graph12, ""},
		{130, with("k", several), "-> k>f k>f k>g -: t:#v -* k*#v k*#v -= k=t k=t " + graph13, ""},
		{130, with("k", several), "-> k>f k>g k>w -: t:#v -* k*#v -= k=t " + graph13, "call.stray k -> w"},
		{130, func(ids map[string]*link.Identity) { ids["k"].Several, ids["m"].Duplicate = true, true }, "-> k>f k>g k>m -: t:#v -* k*#v -= k=t " + graph13, ""},
		{130, with("m", func(m *link.Identity) { m.Duplicate = true }), "-> k>f k>g k>m -: t:#v -* k*#v -= k=t " + graph13, "call.stray k -> m"},
		{130, with("k", several), "-> k>f k>g -: t:#v -* k*#v k*#i -= k=t " + graph13, "call.stray k -> #i"},
		{118, with("k", several), "-> k>f k>g k>t k>w -: t:#v -* k*#v " + graph13, ""},
		{118, with("k", several), "-> k>f k>g k>t k>o -: t:#v -* k*#v " + graph13, "call.stray k -> o"},
		{130, with("t", several), "-> k>f k>g -: t:#v t:#v -* k*#v -= k=t " + graph13, ""},
		{130, func(ids map[string]*link.Identity) {
			ids["k"].MayCall.Add(ids["m"])
			ids["k"].MayName = map[string]bool{"#lost": true}
		}, "-> k>f k>g k>m -: t:#v -* k*#v k*#lost -= k=t k=m " + graph13, ""},

		// Of a function that is gone nothing is wanted, and its prototype may be there.
		{130, with("d", func(d *link.Identity) { d.Prototype, d.Indirect = "#d", []string{"#v"} }), graph12 + " " + graph13, ""},
		{130, with("d", func(d *link.Identity) { d.Prototype = "#d" }), graph12 + " " + graph13 + " d~#d", ""},
		{130, with("d", func(d *link.Identity) { d.Prototype = "#d" }), graph12 + " " + graph13 + " d~#i", "call.stray d ~ #i"},
		{118, with("d", func(d *link.Identity) { d.Prototype, d.Code.Live = "#d", true }), "-> k>f k>g k>t k>d -: t:#v -* k*#v " + graph13 + " d~#d", ""},
		{118, with("d", func(d *link.Identity) { d.Code.Live = true }), graph11 + " " + graph13, "call.missing k -> d"},
		{119, with("d", func(d *link.Identity) { d.Code.Live = true }), "-> k>f k>g k>t -: t:#v -* k*#v -= k=t " + graph13, ""},
		{130, with("g", func(g *link.Identity) { g.Named = false }), graph12 + " " + graph13, "call.stray k -> g"},

		// A call of a static function, by code that no kernel reaches, may be gone with it.
		{130, func(ids map[string]*link.Identity) {
			ids["k"].Reached, ids["m"].Reached = false, false
			ids["k"].Calls.Add(ids["m"])
		}, graph12 + " " + graph13, ""},
		{130, func(ids map[string]*link.Identity) { ids["k"].Calls.Add(ids["m"]) }, graph12 + " " + graph13, "call.missing k -> m"},
	} {
		c, ids := graphOf(x.release)
		x.inputs(ids)
		write(c, ids, x.graph)
		if err := c.compareCalls(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range c.Verdict.Findings {
			said := strings.TrimSpace(fmt.Sprint(f.Kind, " ", f.Want, f.Got, map[bool]string{true: f.Detail}[f.Detail == "headings"]))
			if f.Section == ".nv.prototype" {
				said = strings.Replace(said, "->", "~", 1)
			}
			got = append(got, said)
		}
		want := strings.Split(x.want, "; ")
		if x.want == "" {
			want = nil
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%d: %s:\n  got  %s\n  want %s", x.release, x.graph, strings.Join(got, "; "), strings.Join(want, "; "))
		}
	}
}
