package reach

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/oracletest"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/resolve"
)

// reached is one side of a link of which is known what calls what.
func reached(t *testing.T, l *oracletest.Link, side image.Side, other *Reach) *Reach {
	t.Helper()
	c := &Reach{Resolved: &resolve.Resolved{Link: link.New(1<<20, l.Options)}}
	c.Side = side
	if other != nil {
		c.Sass = other.Link
	}
	for i, in := range l.Inputs {
		var counterpart *image.Image
		if other != nil {
			counterpart = other.Modules[i].Image
		}
		m, err := link.ReadModule(i, in, side, counterpart, c.Budget)
		if err != nil {
			t.Fatal(err)
		}
		c.Modules = append(c.Modules, m)
	}
	if err := c.ReadOutput(l.Output); err != nil {
		t.Fatal(err)
	}
	for _, phase := range []func() error{c.Resolve, c.ReadCalls, c.Alive, c.FindNeeds} {
		if err := phase(); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// said are the numbers that nvlink's image gives for functions whose names are there once, and those functions.
func said(c *Reach) (numbers map[cuda.InfoAttr]map[string]uint32, functions map[string]bool) {
	numbers, functions = map[cuda.InfoAttr]map[string]uint32{}, map[string]bool{}
	times := map[string]int{}
	for _, s := range c.Out.Symbols {
		if s.Kind() == cuda.STTFunc {
			times[s.Name]++
			functions[s.Name] = s.Defined()
		}
	}
	for i, list := range c.Out.Infos {
		for _, a := range list {
			if c.Out.Sections[i].Info != 0 || len(a.Value) != 8 {
				continue
			}
			if name := c.Out.Symbols[image.Word(a.Value, 0)].Name; times[name] == 1 {
				if numbers[a.Attr] == nil {
					numbers[a.Attr] = map[string]uint32{}
				}
				numbers[a.Attr][name] = image.Word(a.Value, 4)
			}
		}
	}
	return numbers, functions
}

// attributesOf are those of a kernel in nvlink's image: the value of each, and "" where there is none.
func attributesOf(c *Reach, k *link.Identity) map[cuda.InfoAttr]string {
	values := map[cuda.InfoAttr]string{}
	for i, list := range c.Out.Infos {
		if c.Out.Sections[i].Name != ".nv.info."+k.Name {
			continue
		}
		for _, a := range list {
			values[a.Attr] = fmt.Sprintf("%x", a.Value)
			if a.Attr == cuda.AttrExterns {
				var names []string
				for at := uint64(0); at+4 <= uint64(len(a.Value)); at += 4 {
					names = append(names, c.Out.Symbols[image.Word(a.Value, at)].Name)
				}
				slices.Sort(names)
				values[a.Attr] = strings.Join(names, " ")
			}
		}
	}
	return values
}

// wantedOf are the attributes that a kernel must have for what it needs.
func wantedOf(c *Reach, n *Need) map[cuda.InfoAttr]string {
	want := map[cuda.InfoAttr]string{cuda.AttrExterns: strings.Join(n.Externs, " ")}
	number := func(attr cuda.InfoAttr, width int, n uint64) {
		if n > 0 {
			b := binary.LittleEndian.AppendUint64(nil, n)
			want[attr] = fmt.Sprintf("%x", b[:width])
		}
	}
	if c.NewForm() {
		number(cuda.AttrNumBarriers, 2, n.Barriers)
	}
	if n.Known {
		number(cuda.AttrCrsStackSize, 4, n.Crs)
	} else {
		number(cuda.AttrCrsStackSize, 4, Unbounded)
	}
	number(cuda.AttrNumMbarriers, 2, n.Mbarriers)
	if n.Ctaidz {
		want[cuda.AttrCtaidzUsed] = "0000"
	}
	if n.Reserved {
		want[cuda.AttrReservedSmemUsed] = "0000"
	}
	return want
}

// TestRecorded holds what a kernel and all it calls need against what nvlink's image says: stack, registers, barriers, and
// which functions are there.
func TestRecorded(t *testing.T) {
	stacks, registers, functions, cycles := 0, 0, 0, 0
	told := map[cuda.InfoAttr]int{}
	for _, l := range oracletest.Links(t) {
		var other *Reach
		for _, side := range []image.Side{image.SassSide, image.MercurySide} {
			c := reached(t, &l, side, other)
			where := fmt.Sprintf("%s, side %d", l.Name, side)
			numbers, defined := said(c)
			for _, f := range c.Graph.Functions {
				if is, there := defined[f.Name]; there && f.Code != nil && f.Live != is && !f.Several && !f.Duplicate {
					t.Errorf("%s: %s is live: %v, in nvlink's image: %v", where, f.Name, f.Live, is)
				} else if !there && f.Code != nil && f.Reached {
					t.Errorf("%s: a kernel reaches %s, which nvlink left out", where, f.Name)
				}
				functions++
			}
			for _, k := range c.Kernels {
				n := c.NeedOf(k)
				if n.Least || k.Code == nil || c.Relocatable {
					continue
				}
				if got, is := numbers[cuda.AttrMinStackSize][k.Name]; is {
					stacks++
					want := uint32(Unbounded)
					if n.Known {
						want = uint32(n.Stack)
					} else {
						cycles++
					}
					if got != want {
						t.Errorf("%s: %s needs a stack of %#x, nvlink says %#x", where, k.Name, want, got)
					}
				}
				if got, is := numbers[cuda.AttrRegcount][k.Name]; is {
					if registers++; got != n.Registers {
						t.Errorf("%s: %s needs %d registers, nvlink says %d", where, k.Name, n.Registers, got)
					}
				}
				if len(c.Kernels) < 2 { // nvlink charges the only one with everything
					continue
				}
				got, want := attributesOf(c, k), wantedOf(c, n)
				for _, attr := range [...]cuda.InfoAttr{cuda.AttrNumBarriers, cuda.AttrCrsStackSize, cuda.AttrExterns, cuda.AttrNumMbarriers, cuda.AttrCtaidzUsed, cuda.AttrReservedSmemUsed} {
					if none := want[attr] == "" && strings.Trim(got[attr], "0") == ""; got[attr] != want[attr] && !(none && (attr == cuda.AttrNumMbarriers && n.Waits || attr == cuda.AttrCrsStackSize)) {
						t.Errorf("%s: %s needs %q of attribute %d, nvlink says %q", where, k.Name, want[attr], attr, got[attr])
					}
					if got[attr] != "" {
						told[attr]++
					}
				}
			}
			if other = c; c.Out.Side != image.SassSide {
				break
			}
		}
	}
	if stacks < 100 || registers < 100 || functions < 300 || cycles < 1 || told[cuda.AttrNumBarriers] < 10 || told[cuda.AttrExterns] < 5 {
		t.Errorf("only %d stacks, %d of cycles, registers of %d kernels, %d functions, attributes %v", stacks, cycles, registers, functions, told)
	}
}
