package main

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
)

// madeLink is a link that the corpus lacks.
type madeLink struct {
	name    string
	inputs  []engine.Input
	options engine.Options
}

// optionsOfCase are those of a recorded command line.
func optionsOfCase(c *corpus.Case) (engine.Options, bool) {
	release, ok := cmdline.ParseRelease(c.Release)
	if !ok || !c.Complete() {
		return engine.Options{}, false
	}
	cmd, err := cmdline.Parse(release, c.Args, func(name string) ([]byte, error) {
		for _, in := range c.Inputs {
			if in.Name == name {
				return in.Data, nil
			}
		}
		return nil, fs.ErrNotExist
	})
	if err != nil {
		return engine.Options{}, false
	}
	return cmd.Options, true
}

func inputsOfCase(c *corpus.Case) (list []engine.Input) {
	for _, in := range c.Inputs {
		list = append(list, engine.Input{Name: in.Name, Data: in.Data})
	}
	return list
}

// allCases are the recorded links of programs, of single behaviours and with a Mercury side.
func allCases(t *testing.T) []corpus.Case {
	t.Helper()
	all, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	all = slices.Clone(all)
	for _, read := range []func() ([]corpus.Program, error){corpus.Behaviours, corpus.Mercury} {
		programs, err := read()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, corpus.CasesOf(programs)...)
	}
	return all
}

// madeLinks change recorded links.
func madeLinks(t *testing.T) (list []madeLink) {
	all := allCases(t)
	add := func(name, id string, change func(o *engine.Options, files []*cubin.Editor)) {
		at := slices.IndexFunc(all, func(c corpus.Case) bool { return c.ID() == id })
		if at < 0 {
			t.Fatalf("no case %s", id)
		}
		m := madeLink{name: name}
		var ok bool
		if m.options, ok = optionsOfCase(&all[at]); !ok {
			t.Fatalf("%s has no options", id)
		}
		var files []*cubin.Editor
		for _, in := range all[at].Inputs {
			d, err := cubin.Decode(in.Name, in.Data)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, d)
		}
		change(&m.options, files)
		for _, d := range files {
			if err := d.Layout(); err != nil {
				t.Fatal(id, err)
			}
			data, err := d.Encode()
			if err != nil {
				t.Fatal(id, err)
			}
			m.inputs = append(m.inputs, engine.Input{Name: d.Name(), Data: data})
		}
		list = append(list, m)
	}
	list = append(list, madeLink{name: "nothing", options: engine.Options{Arch: "sm_80", Toolkit: "13.0"}},
		madeLink{"no target", []engine.Input{{Name: "a.cubin"}}, engine.Options{Arch: "sm_1", Toolkit: "13.0"}})
	add("a target of older releases", "calls/12.4-sm_72", func(o *engine.Options, _ []*cubin.Editor) { o.Toolkit = "13.0" })
	add("no release", "calls/12.4-sm_72", func(o *engine.Options, _ []*cubin.Editor) { o.Toolkit = "9.9" })
	add("a target of Mercury", "calls/13.0-sm_90a", func(o *engine.Options, _ []*cubin.Editor) { o.Arch = "sm_100" })
	add("a newer input", "calls/13.0-sm_90a", func(o *engine.Options, _ []*cubin.Editor) { o.Toolkit = "12.8" })
	add("no accelerated one", "calls/13.0-sm_90a", func(o *engine.Options, _ []*cubin.Editor) { o.Arch, o.Toolkit = "sm_90", "13.1" })
	add("32 bits", "calls/12.4-sm_72", func(_ *engine.Options, files []*cubin.Editor) { files[0].Header.Flags &^= cuda.EFLegacy64Bit })
	add("another ABI", "calls/13.0-sm_90a", func(_ *engine.Options, files []*cubin.Editor) { files[0].Header.Ident[8]++ })
	add("a whole program", "calls/12.4-sm_72", func(_ *engine.Options, files []*cubin.Editor) { files[0].Header.Type = cuda.ETEwp })
	add("an older whole program", "calls/12.4-sm_72", func(o *engine.Options, files []*cubin.Editor) {
		files[0].Header.Type, o.Toolkit = cuda.ETEwp, "12.8"
	})
	add("an API version", "calls/12.4-sm_72", func(o *engine.Options, _ []*cubin.Editor) { o.APIVersion = 100 })
	add("a stack", "recursion/12.4-sm_50", func(_ *engine.Options, files []*cubin.Editor) {
		for _, d := range files {
			records := infoOf(t, d, ".nv.info")
			for i := range records {
				if r := &records[i]; r.Attr == cuda.AttrMaxStackSize {
					r.Data = append(slices.Clone(r.Data[:4]), 1, 0, 0, 0)
				}
			}
			setInfo(t, d, ".nv.info", records)
		}
	})
	add("tensor memory by two ways", "calls/13.0-sm_90a", func(_ *engine.Options, files []*cubin.Editor) {
		for _, d := range files {
			for i := 1; i < d.NumSections(); i++ {
				name := d.SectionName(i)
				if !strings.HasPrefix(name, ".nv.info.") {
					continue
				}
				records, way := infoOf(t, d, name), cuda.AttrTcgen051ctaUsed
				if slices.ContainsFunc(records, func(r cubin.InfoRecord) bool { return r.Attr == cuda.AttrParamCbank }) { // a kernel
					way = cuda.AttrTcgen052ctaUsed
				}
				setInfo(t, d, name, append(records, cubin.InfoRecord{Format: cuda.FormatNone, Attr: way}))
			}
		}
	})
	add("records for what has none", "calls/12.4-sm_72", func(_ *engine.Options, files []*cubin.Editor) {
		for i := 1; i < files[0].NumSections(); i++ {
			if s := files[0].Part(i); cubin.IsRelocs(s.Type) {
				s.Info = uint32(files[0].Lookup(".nv.info"))
			}
		}
	})
	add("unified functions", "unified/13.0-sm_90", func(*engine.Options, []*cubin.Editor) {})
	add("too large", "calls/12.4-sm_72", func(*engine.Options, []*cubin.Editor) {})
	for _, in := range list[len(list)-1].inputs { // an editor refuses to make such a file
		f, err := cubin.Open(in.Name, in.Data)
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.OfType(cuda.SHTProgbits) {
			in.Data[f.Header.ShOff+uint64(i)*cubin.SectionSize+51] = 2 // of sh_addralign
			in.Data[f.Header.ShOff+uint64(i)*cubin.SectionSize+48] = 0
		}
	}
	return list
}

func infoOf(t *testing.T, d *cubin.Editor, section string) []cubin.InfoRecord {
	list, err := d.Info(d.Lookup(section))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(list)
}

func setInfo(t *testing.T, d *cubin.Editor, section string, list []cubin.InfoRecord) {
	if err := d.SetInfo(d.Lookup(section), list); err != nil {
		t.Fatal(err)
	}
}
