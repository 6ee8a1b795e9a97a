package reach

import (
	"fmt"
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
		var twin *image.Image
		if other != nil {
			twin = other.Modules[i].Image
		}
		m, err := link.ReadModule(i, in, side, twin, c.Budget)
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

// said are the numbers that nvlink's image gives for functions whose names stand there once, and those functions.
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

// barriersOf is the number of barriers that nvlink's image gives a kernel.
func barriersOf(c *Reach, k *link.Identity) (n uint64, told bool) {
	for i, list := range c.Out.Infos {
		if c.Out.Sections[i].Name == ".nv.info."+k.Name {
			for _, a := range list {
				if a.Attr == cuda.AttrNumBarriers {
					return image.Number(a.Value, 0, 1), true
				}
			}
		}
	}
	return 0, false
}

// TestRecorded holds what a kernel and all it calls need against what nvlink's image says: stack, registers, barriers, and
// which functions are there.
func TestRecorded(t *testing.T) {
	stacks, registers, barriers, functions, cycles := 0, 0, 0, 0, 0
	for _, l := range oracletest.Links(t) {
		var other *Reach
		for _, side := range []image.Side{image.SassSide, image.MercurySide} {
			c := reached(t, &l, side, other)
			where := fmt.Sprintf("%s, side %d", l.Name, side)
			numbers, defined := said(c)
			for _, f := range c.Graph.Functions {
				if is, there := defined[f.Name]; there && f.Code != nil && f.Live != is && !f.Several && !f.Twin {
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
				if got, told := numbers[cuda.AttrMinStackSize][k.Name]; told {
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
				if got, told := numbers[cuda.AttrRegcount][k.Name]; told {
					if registers++; got != n.Registers {
						t.Errorf("%s: %s needs %d registers, nvlink says %d", where, k.Name, n.Registers, got)
					}
				}
				if got, told := barriersOf(c, k); told && c.NewForm() && len(c.Kernels) > 1 {
					if barriers++; got != n.Barriers {
						t.Errorf("%s: %s needs %d barriers, nvlink says %d", where, k.Name, n.Barriers, got)
					}
				}
			}
			if other = c; c.Out.Side != image.SassSide {
				break
			}
		}
	}
	if stacks < 100 || registers < 100 || barriers < 10 || functions < 300 || cycles < 1 {
		t.Errorf("only %d stacks, %d of cycles, registers of %d, barriers of %d kernels, %d functions", stacks, cycles, registers, barriers, functions)
	}
}
