package resolve

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// record adds a record of a section to a module: a type, a place, and the symbol that it names.
func record(m *link.Module, section int, kind uint32, at uint64, symbol int) {
	m.RelocsOf[section] = append(m.RelocsOf[section], len(m.Relocs))
	m.Relocs = append(m.Relocs, link.Relocs{Target: section, List: []image.Record{{Offset: at, Symbol: uint32(symbol), Kind: kind, Rela: true}}})
}

// outRecord adds one to the output.
func outRecord(c *Resolved, section int, kind uint32, at uint64, symbol int) {
	c.Out.ListsOf[section] = append(c.Out.ListsOf[section], len(c.Out.Lists))
	c.Out.Lists = append(c.Out.Lists, link.Relocs{Target: section, List: []image.Record{{Offset: at, Symbol: uint32(symbol), Kind: kind, Rela: true}}})
}

// TestUnlikeBytes counts words of eight bytes, and what one is longer.
func TestUnlikeBytes(t *testing.T) {
	code := func(text string) *image.Section {
		return &image.Section{Body: []byte(text), Size: uint64(len(text))}
	}
	const a, b = "aaaaaaaa", "bbbbbbbb"
	for i, x := range []struct {
		in, out string
		want    int
	}{{a + b, a + b, 0}, {a + b, a + a, 1}, {a + b, b + a, 2}, {a, a + b, 1}, {a + b + a, a, 2}, {"", a, 1}, {a, "", 1}, {a + "bbb", a + "ccc", 0}, {a + "bbbbbbbc", a + b, 1}} {
		m := &link.Module{Image: &image.Image{}}
		if got := unlikeBytes(&link.Body{Mod: m, Section: code(x.in)}, code(x.out)); got != x.want {
			t.Errorf("%d: %d, want %d", i, got, x.want)
		}
	}
}

// TestBefore: fewer registers, then the higher target of the PTX, then the first.
func TestBefore(t *testing.T) {
	flags := func(c *Resolved, sm ...uint32) {
		for i, m := range c.Modules {
			m.Header.Flags = sm[i] << 16
		}
	}
	for i, x := range []struct {
		registers [2]string
		sm        [2]uint32
		want      bool // the second is preferred
	}{
		{[2]string{"40", "30"}, [2]uint32{80, 80}, true}, {[2]string{"30", "40"}, [2]uint32{80, 80}, false}, {[2]string{"30", "30"}, [2]uint32{80, 80}, false},
		{[2]string{"30", "30"}, [2]uint32{75, 80}, true}, {[2]string{"30", "30"}, [2]uint32{80, 75}, false}, {[2]string{"30", "40"}, [2]uint32{75, 80}, false}, {[2]string{"40", "30"}, [2]uint32{80, 75}, true},
	} {
		c := resolved(t, 124, "", "f=W1:"+x.registers[0], "f=W2:"+x.registers[1])
		flags(c, x.sm[0], x.sm[1])
		list := [2]candidate{{c.Modules[0], &c.Modules[0].Symbols[1]}, {c.Modules[1], &c.Modules[1].Symbols[1]}}
		if got := list[1].before(&list[0], 124); got != x.want {
			t.Errorf("%d: %t", i, got)
		}
		if err := c.Resolve(); err != nil || (c.IDs[0].Mod.Number == 1) != x.want {
			t.Errorf("%d: %v, of %s", i, err, c.IDs[0].Mod.Name)
		}
		delete(c.Modules[1].Bodies, 1)
		if list[1].before(&list[0], 124) || list[0].before(&list[1], 124) {
			t.Errorf("%d: what is no code comes before", i)
		}
	}
}

// TestUnlikeObject: of weak variables that counts whose bytes the output has, whose records, and whose neighbours lie as in it.
func TestUnlikeObject(t *testing.T) {
	const kind, weak = cuda.R_CUDA_64, "v=W1:16 w=S2:16 x=S3:16"
	for i, x := range []struct {
		change func(c *Resolved)
		want   int
	}{
		{func(*Resolved) {}, 0},
		{func(c *Resolved) { c.Out.Sections[1].Body[3] = 'x' }, 1<<10 + 1<<7},
		{func(c *Resolved) { c.Out.Sections[1].Body = nil }, 1 << 10},
		{func(c *Resolved) { c.Modules[0].Sections[1].Body, c.Out.Sections[1].Body = nil, nil }, 0},
		{func(c *Resolved) { record(c.Modules[0], 1, kind, 8, 2); outRecord(c, 1, kind, 8, 2) }, 0},
		{func(c *Resolved) { record(c.Modules[0], 1, kind, 8, 2); outRecord(c, 1, kind, 8, 3) }, 1 << 8},
		{func(c *Resolved) { record(c.Modules[0], 1, kind, 8, 2) }, 1 << 8},
		{func(c *Resolved) { record(c.Modules[0], 1, kind, 8, 2); outRecord(c, 1, kind, 0, 2) }, 1 << 8},
		{func(c *Resolved) { record(c.Modules[0], 1, kind, 16, 2) }, 0}, // after it
		{func(c *Resolved) { // a part of its section
			c.Modules[0].Symbols[1].Value, c.Modules[0].Symbols[1].Size = 8, 8
			record(c.Modules[0], 1, kind, 0, 2)
			c.Out.Symbols[1].Value = 8
		}, 0},
		{func(c *Resolved) {
			c.Modules[0].Symbols[1].Value, c.Modules[0].Symbols[1].Size = 8, 8
			record(c.Modules[0], 1, kind, 8, 2)
			outRecord(c, 1, kind, 8, 2)
			c.Out.Symbols[1].Value = 8
		}, 0},
		{func(c *Resolved) { c.Modules[0].Symbols[1].Value, c.Modules[0].Symbols[1].Size = 8, 8 }, 1 << 8}, // its section would begin before the output's
		{func(c *Resolved) { c.Modules[0].Sections[1].Size = 24 }, 1 << 8},                                 // or end after it
		{func(c *Resolved) { // or lie where it may not
			c.Modules[0].Sections[1].Align = 16
			c.Out.Sections[1].Body = append([]byte("        "), c.Out.Sections[1].Body...)
			c.Out.Sections[1].Size, c.Out.Symbols[1].Value = 24, 8
		}, 1 << 8},
		{func(c *Resolved) {
			c.Modules[0].Sections[1].Align = 8
			c.Out.Sections[1].Body = append([]byte("        "), c.Out.Sections[1].Body...)
			c.Out.Sections[1].Size, c.Out.Symbols[1].Value = 24, 8
		}, 0},
		{func(c *Resolved) { c.Modules[0].Symbols[2].Shndx = 1 }, 1}, // a neighbour that the output has elsewhere
		{func(c *Resolved) { c.Modules[0].Symbols[2].Shndx, c.Out.Symbols[2].Shndx = 1, 1 }, 0},
		{func(c *Resolved) {
			c.Modules[0].Symbols[2].Shndx, c.Out.Symbols[2].Shndx, c.Out.Symbols[2].Value = 1, 1, 4
		}, 1},
		{func(c *Resolved) { c.Modules[0].Symbols[2].Shndx, c.Modules[0].Symbols[2].Name = 1, "z" }, 1},
		{func(c *Resolved) { c.Modules[0].Symbols[2].Shndx, c.Modules[0].Symbols[2].Special = 1, true }, 0},
		{func(c *Resolved) {
			c.Modules[0].Symbols[2].Shndx, c.Modules[0].Symbols[2].Info = 1, byte(cuda.STTObject)
		}, 0}, // local
		{func(c *Resolved) {
			c.Modules[0].Symbols[2].Shndx, c.Modules[0].Symbols[2].Info = 1, byte(cuda.STTSection)|16
		}, 0},
		{func(c *Resolved) { c.Modules[0].Symbols[2].Shndx, c.Modules[0].Symbols[3].Shndx = 1, 1 }, 2},
	} {
		c := resolved(t, 130, weak, weak)
		x.change(c)
		symbols := map[string]*image.Symbol{}
		for k := range c.Out.Symbols {
			symbols[c.Out.Symbols[k].Name] = &c.Out.Symbols[k]
		}
		got, err := c.unlike(&candidate{c.Modules[0], &c.Modules[0].Symbols[1]}, &c.Out.Symbols[1], symbols)
		if err != nil || got != x.want {
			t.Errorf("%d: %d %v, want %d", i, got, err, x.want)
		}
	}
}

// TestUnlikeFunction: the words of code count most, then attributes, then records of what can't be meant.
func TestUnlikeFunction(t *testing.T) {
	for i, x := range []struct {
		change func(c *Resolved)
		want   int
	}{
		{func(*Resolved) {}, 0},
		{func(c *Resolved) { c.Out.Sections[1].Body[0] = 'x' }, 1 << 8},
		{func(c *Resolved) { delete(c.Modules[0].Bodies, 1) }, 1 << 30},
		{func(c *Resolved) {
			record(c.Modules[0], 1, cuda.R_CUDA_64, 0, 2)
			outRecord(c, 1, cuda.R_CUDA_64, 0, 2)
		}, 0},
		{func(c *Resolved) {
			record(c.Modules[0], 1, cuda.R_CUDA_64, 0, 2)
			outRecord(c, 1, cuda.R_CUDA_64, 0, 3)
		}, 1},
		{func(c *Resolved) {
			record(c.Modules[0], 1, cuda.R_CUDA_64, 0, 2)
			outRecord(c, 1, cuda.R_CUDA_64, 8, 3)
		}, 0},
		{func(c *Resolved) {
			for range 70 {
				record(c.Modules[0], 1, cuda.R_CUDA_64, 0, 2)
			}
			outRecord(c, 1, cuda.R_CUDA_64, 0, 3)
		}, 60},
	} {
		const text = "f=W1 v=S2:16 w=S3:16"
		c := resolved(t, 130, text, text)
		c.homes = &homes{map[link.PlaceOf]home{}, map[int][]link.Span{}}
		x.change(c)
		got, err := c.unlike(&candidate{c.Modules[0], &c.Modules[0].Symbols[1]}, &c.Out.Symbols[1], nil)
		if err != nil || got != x.want {
			t.Errorf("%d: %d %v, want %d", i, got, err, x.want)
		}
	}
}

// TestStaysIn: of data the driver applies the addresses of functions and of variables, and not those of constants; with -r all stay.
func TestStaysIn(t *testing.T) {
	for i, x := range []struct {
		symbol      int
		relocatable bool
		want        bool
	}{{1, false, true}, {2, false, true}, {3, false, false}, {4, false, false}, {5, false, true}, {3, true, true}} {
		c := resolved(t, 130, "", "f=S1 v=S1:8 w=K1:8 x=U y=U", "x=K1:8")
		c.Relocatable = x.relocatable
		if got := c.staysIn(c.Modules[0], image.Record{Kind: cuda.R_CUDA_64, Symbol: uint32(x.symbol)}); got != x.want {
			t.Errorf("%d: %t", i, got)
		}
	}
	c := resolved(t, 130, "", "w=K1:8 y=U v=C8:8 x=S1:8")
	for k, want := range []bool{false, true, false, false, false} {
		if got := inBank(c.Modules[0], &c.Modules[0].Symbols[k]); k > 0 && got != want {
			t.Errorf("symbol %d in a bank: %t", k, got)
		}
	}
}

// TestMercuryChoice: the second side takes what the first chose.
func TestMercuryChoice(t *testing.T) {
	first := resolved(t, 130, "f=W2", "f=W1", "f=W2")
	if err := first.Resolve(); err != nil {
		t.Fatal(err)
	}
	c := resolved(t, 130, "f=W1", "f=W1", "f=W2")
	c.Sass = first.Link
	if err := c.Resolve(); err != nil || c.Chosen["f"] != c.Modules[1] || c.IDs[0].Mod != c.Modules[1] {
		t.Errorf("%v: of %s", err, c.IDs[0].Mod.Name)
	}
}

// TestHomes: where records of code name static variables, these say where an input's data lies.
func TestHomes(t *testing.T) {
	const in, out = "f=S1 w=L7:8 g=S2", "f=S1 w=L7:8 x=L7:8 g=S2"
	for i, x := range []struct {
		change func(c *Resolved)
		want   string // where the input's data lies
	}{
		{func(*Resolved) {}, "2+0"},
		{func(c *Resolved) { c.Out.Symbols[2].Value = 8 }, ""},                                                 // after the section's end
		{func(c *Resolved) { c.Modules[0].Symbols[2].Value = 8 }, ""},                                          // before its start
		{func(c *Resolved) { c.Out.Sections[2].Body[1] = 'x' }, ""},                                            // other bytes
		{func(c *Resolved) { c.Modules[0].Sections[2].Body, c.Out.Sections[2].Body = nil, nil }, "2+0"},        // none
		{func(c *Resolved) { c.Out.Symbols[2].Name = "y" }, ""},                                                // another name
		{func(c *Resolved) { c.Out.Symbols[2].Special = true }, ""},                                            // no place
		{func(c *Resolved) { c.Modules[0].Symbols[2].Other = cuda.STOShared }, ""},                             // shared memory
		{func(c *Resolved) { c.Modules[0].Symbols[2].Info |= 16 * byte(cuda.STBGlobal) }, ""},                  // not static
		{func(c *Resolved) { c.Modules[0].Symbols[2].Info = byte(cuda.STTCudaObject) }, "2+0"},                 // of the first kind
		{func(c *Resolved) { c.Modules[0].Symbols[2].Info = byte(cuda.STTSection) }, ""},                       // a section
		{func(c *Resolved) { c.Out.Sections[1].Name = ".text.h" }, ""},                                         // the code isn't there
		{func(c *Resolved) { c.Out.Sections[4].Name = ".text.f" }, ""},                                         // twice
		{func(c *Resolved) { c.Modules[0].Sections[3].Name = ".text.f" }, ""},                                  // twice in inputs
		{func(c *Resolved) { delete(c.Modules[0].Bodies, 1) }, ""},                                             // no code
		{func(c *Resolved) { c.Out.Sections[2].Size = 7 }, ""},                                                 // too short
		{func(c *Resolved) { c.Modules[0].Sections[2].Align = 16 }, "2+0"},                                     // aligned
		{func(c *Resolved) { c.Out.ListsOf[1] = nil }, ""},                                                     // no record of the output
		{func(c *Resolved) { c.Out.Lists[0].List[0].Offset = 8 }, ""},                                          // elsewhere
		{func(c *Resolved) { c.Out.Symbols[2].Shndx = 3 }, "3+0"},                                              // in another section
		{func(c *Resolved) { outRecord(c, 1, cuda.R_CUDA_64, 8, 3); record(c.Modules[0], 1, 2, 8, 2) }, "2+0"}, // of two the first
	} {
		c := resolved(t, 130, out, in)
		record(c.Modules[0], 1, cuda.R_CUDA_64, 0, 2)
		outRecord(c, 1, cuda.R_CUDA_64, 0, 2)
		x.change(c)
		if err := c.findHomes(); err != nil {
			t.Fatal(err)
		}
		got := ""
		if at, known := c.homes.at[link.PlaceOf{Mod: c.Modules[0], Section: 2}]; known {
			got = strings.TrimSpace(strings.Join([]string{string(rune('0' + at.section)), "+", string(rune('0' + at.base))}, ""))
			if taken := c.homes.taken[at.section]; len(taken) != 1 || taken[0] != (link.Span{From: at.base, To: at.base + 8}) {
				t.Errorf("%d: taken %v", i, taken)
			}
		}
		if got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}

// TestMayLive: two inputs' data lie apart, and an input's is at one place.
func TestMayLive(t *testing.T) {
	c := resolved(t, 130, "v=S1:32", "v=L1:8", "v=L1:8")
	c.homes = &homes{map[link.PlaceOf]home{}, map[int][]link.Span{}}
	c.homes.note(link.PlaceOf{Mod: c.Modules[0], Section: 1}, home{1, 8}, 8)
	for _, x := range []struct {
		module int
		base   uint64
		align  uint64
		want   bool
	}{{0, 8, 1, true}, {0, 0, 1, false}, {1, 0, 1, true}, {1, 8, 1, false}, {1, 4, 1, false}, {1, 15, 1, false}, {1, 16, 1, true}, {1, 24, 1, true}, {1, 25, 1, false}, {1, 33, 1, false}, {1, 24, 16, false}, {1, 16, 16, true}, {1, 18, 4, false}, {1, 18, 2, true}, {1, 17, 1, false}} {
		m := c.Modules[x.module]
		m.Sections[1].Align = x.align
		if got := c.mayLive(link.PlaceOf{Mod: m, Section: 1}, home{1, x.base}); got != x.want {
			t.Errorf("%+v: %t", x, got)
		}
	}
}

// TestSecondNames: code goes by its second name where the output has that, the input lists it first, and another input
// mentions it before.
func TestSecondNames(t *testing.T) {
	for i, x := range []struct {
		output string
		change func(c *Resolved)
		want   string
	}{
		{"f=S1", func(*Resolved) {}, ".text.f .nv.info.f g"},
		{"g=S1", func(*Resolved) {}, ".text.g .nv.info.g g"},
		{"f=S1 g=S1", func(*Resolved) {}, ".text.f .nv.info.f g"},
		{"g=S1 g=S1", func(*Resolved) {}, ".text.f .nv.info.f g"},
		{"", func(*Resolved) {}, ".text.f .nv.info.f g"},
		{"g=S1", func(c *Resolved) { c.Out.Side = image.SassSide }, ".text.f .nv.info.f g"},
		{"g=S1", func(c *Resolved) { c.Modules[0].Symbols[1].Name = "h" }, ".text.f .nv.info.f g"},
		{"g=S1", func(c *Resolved) {
			m := c.Modules[1]
			m.Symbols[1].Name, m.Symbols[2].Name, m.Sections[1].Info = "f", "g", 1
		}, ".text.f .nv.info.f g"}, // listed after the first
	} {
		c := resolved(t, oracle.Release(130), x.output, "g=U", "g=S1 f=S1")
		m := c.Modules[1]
		m.Sections = append(m.Sections[:2], image.Section{Index: 2, Name: ".nv.info.f", Kind: cuda.SHTCudaInfo, Info: 1})
		m.Bodies = map[int]*link.Body{1: {Mod: m, Section: &m.Sections[1]}}
		m.Sections[1].Name, m.Sections[1].Info, m.Symbols[2].Shndx = ".text.f", 2, 1
		x.change(c)
		if err := c.Resolve(); err != nil {
			t.Fatal(err)
		}
		body := m.Bodies[1]
		got := m.Sections[1].Name + " " + m.Sections[2].Name + " g"
		if got != x.want || (body.Formerly == ".text.f") != strings.HasPrefix(got, ".text.g") || ".text."+body.Owner.Name != m.Sections[1].Name {
			t.Errorf("%d: %s, formerly %s, of %s", i, got, body.Formerly, body.Owner.Name)
		}
	}
}
