package engine_test

import (
	"errors"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
)

// An input's section of any kind under a name that the link makes itself: a link says no or makes an image that opens.
// .symtab_shndx is written by the link alone, so nvlink 12.4.131 leaves a section of that name out.
func TestRoleNames(t *testing.T) {
	names := []string{".shstrtab", ".strtab", ".symtab", ".symtab_shndx", ".nv.info", ".nv.compat", ".nv.host", ".nv.uft", ".nv.udt", ".nv.uft.entry", ".note.nv.tkinfo", ".note.nv.cuinfo",
		".nv.callgraph", ".nv.prototype", ".nv.rel.action", ".nv.resolvedrela", ".nv.global", ".nv.global.init", ".nv.constant0", ".nv.constant3", ".nv.shared.k", ".nv.shared.reserved.0", ".nv_debug.shared",
		".nv.merc.symtab", ".nv.merc.symtab_shndx", ".nv.merc.strtab", ".nv.capmerc.text.k", ".debug_frame", ".text.k", ".rel.text.k", ".rela.text.k", ".nv.info.k"}
	tries := map[string]bool{"random_4/12.4-sm_89": true, "shared_static/13.0-sm_90": true, "leaf/13.0-sm_100": true, "shared_all/13.0-sm_120": true, "textures/11.8-sm_87": true}
	linked, refused := 0, 0
	for _, load := range []func() ([]corpus.Program, error){corpus.Links, corpus.Mercury} {
		programs, err := load()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range corpus.CasesOf(programs) {
			if !tries[c.ID()] {
				continue
			}
			delete(tries, c.ID())
			n := 1
			for f := opened(t, c.Inputs[0].Data); n < f.NumSections(); n++ {
				for k, name := range names {
					d, err := cubin.Decode("in", c.Inputs[0].Data)
					if err != nil {
						t.Fatal(err)
					}
					if err := d.Rename(n, name); err != nil {
						t.Fatal(err)
					}
					if err := d.Layout(); err != nil {
						continue // the names' own table
					}
					data, err := d.Encode()
					if err != nil {
						t.Fatal(err)
					}
					inputs := []engine.Input{{Name: c.Inputs[0].Name, Data: data}}
					for _, in := range c.Inputs[1:] {
						inputs = append(inputs, engine.Input{Name: in.Name, Data: in.Data})
					}
					out, err := engine.Link(inputs, engine.Options{Arch: c.Arch, Toolkit: c.Release, Relocatable: k%2 == n%2})
					var why *engine.LinkError
					switch {
					case err == nil:
						linked++
						tables := 0
						for i := range opened(t, out.Image).OfType(cuda.SHTSymtabShndx) {
							tables += i
						}
						if tables > 0 {
							t.Errorf("%s: section %d as %s: .symtab_shndx is written", c.ID(), n, name)
						}
					case errors.As(err, &why) && why.Exit != 0:
						refused++
					default:
						t.Errorf("%s: section %d as %s: %v", c.ID(), n, name, err)
					}
				}
			}
		}
	}
	if len(tries) > 0 || linked < 500 || refused < 50 {
		t.Errorf("%v not tried; %d links, %d refused", tries, linked, refused)
	}
}

func opened(t *testing.T, data []byte) *cubin.File {
	t.Helper()
	f, err := cubin.Open("file", data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
