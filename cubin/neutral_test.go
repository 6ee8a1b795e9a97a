package cubin_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

// nvlink passes over a section of type NULL and a local symbol without type,
// but their numbers move all others. So it must write the same bytes where every
// number was moved rightly. (A second string table, which 11.8 to 13.0 pass over
// as well, kills 13.5 on sm_100.)

// shiftSections puts a section of type NULL in as number at.
func shiftSections(d *cubin.Editor, at int) error {
	return d.Insert(at, "", cubin.Section{Type: cuda.SHTNull}, nil)
}

// shiftSymbols puts an unused symbol in as the first of every symbol table.
func shiftSymbols(d *cubin.Editor) error {
	for _, tab := range []int{d.Symtab(), d.MercSymtab()} {
		if tab == 0 {
			continue
		}
		if err := d.InsertSymbol(tab, 1, cubin.Sym{}); err != nil {
			return err
		}
	}
	return nil
}

// neutral makes one of several neutral changes.
func neutral(t testing.TB, name string, data []byte, k int) []byte {
	t.Helper()
	d := decode(t, name, data)
	var err error
	switch k % 4 {
	case 0:
		err = shiftSections(d, 2)
	case 1:
		err = shiftSymbols(d)
	case 2:
		err = shiftSections(d, 1+d.NumSections()/2)
	case 3:
		if err = shiftSections(d, 4); err == nil {
			err = shiftSymbols(d)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return layout(t, d)
}

// TestNeutralChanges links the corpus with moved numbers; want is what nvlink
// made of the objects as ptxas wrote them.
func TestNeutralChanges(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range []string{"11.8", "12.4", "13.0"} {
		t.Run(release, func(t *testing.T) {
			set := nvidiatest.Need(t, release)
			count := 0
			for k, c := range cases {
				if c.Release != release || !c.Complete() || c.Output == nil {
					continue
				}
				var inputs []nvidia.File
				for _, in := range c.Inputs {
					inputs = append(inputs, nvidia.File{Name: in.Name, Data: neutral(t, in.Name, in.Data, k), Aside: true})
				}
				res, err := set.Link(context.Background(), release, c.Args, inputs)
				if err != nil {
					t.Fatal(err)
				}
				if res.Outcome != nvidia.Success {
					t.Errorf("%s: %v: %s", c.ID(), res.Outcome, res.Stderr)
					continue
				}
				same(t, fmt.Sprintf("%s, change %d", c.ID(), k%4), res.Output, c.Output)
				count++
			}
			if count < 50 {
				t.Errorf("only %d links", count)
			}
		})
	}
}

// TestNeutralChangesMercury does the same to objects of sm_100 and up.
func TestNeutralChangesMercury(t *testing.T) {
	files := mercury(t)
	for _, release := range []string{"13.0", "13.5"} {
		t.Run(release, func(t *testing.T) {
			set := nvidiatest.Need(t, release)
			for _, arch := range []string{"sm_100", "sm_110"} {
				prefix := release + "-" + arch + "-"
				for k := range 4 {
					var inputs []nvidia.File
					for _, name := range []string{"mercury", "other"} {
						inputs = append(inputs, nvidia.File{Name: name + ".cubin", Data: neutral(t, name, files[prefix+name+".cubin"], k)})
					}
					res, err := set.Link(context.Background(), release, []string{"-arch=" + arch}, inputs)
					if err != nil {
						t.Fatal(err)
					}
					if res.Outcome != nvidia.Success {
						t.Errorf("%schange %d: %v: %s", prefix, k, res.Outcome, res.Stderr)
						continue
					}
					same(t, fmt.Sprintf("%schange %d", prefix, k), res.Output, files[prefix+"linked.cubin"])
				}
			}
		})
	}
}
