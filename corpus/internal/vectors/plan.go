package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
)

// The plan says which vectors the corpus has. It knows the numbers of the types
// and the programs' symbols, nothing of what comes out.

// planner collects the groups of one template.
type planner struct {
	manifest *relocs.Manifest
	template *relocs.Template
	edits    []relocs.Edit // of all kinds
	groups   []relocs.Group
	err      error
}

// plan makes the groups of a template, without results.
func plan(m *relocs.Manifest, t *relocs.Template) ([]relocs.Group, error) {
	p := &planner{manifest: m, template: t}
	mercury := strings.HasPrefix(t.Arch, "sm_1")
	switch {
	case t.Program == "main" && mercury && len(t.Nodes) > 1:
		p.mercury()
	case t.Name == "main-sm_75-11.8":
		p.bits()
		p.kinds(".text.k", []string{"cvar", "svar", "gvar", "ginit", "dfun", "k", "tex0", "deadfun"}, both)
		p.kinds(".text.k", []string{
			"#0", "_param", "cvis", "cweak", "fptab", "givis", "giweak", "gvis", "gweak", "k2", "lfun", "sdead", "sdyn", "sfun", "surf0", "wfun",
			".nv.constant3", ".nv.global", ".nv.global.init", ".nv_debug.shared", ".text.k", ".text.deadfun",
		}, alternating)
		p.numbers()
		p.places()
		p.banks()
		p.offsets()
		p.preserve()
	case t.Name == "main-sm_90-12.4":
		p.kinds(".text.k", []string{"cvar", "svar", "gvar", "dfun", "tex0", "deadfun"}, alternating)
		p.preserve()
	case t.Arch == "sm_50", t.Arch == "sm_61", t.Arch == "sm_80", t.Arch == "sm_89", t.Arch == "sm_90a":
		p.kinds(".text.k", []string{"cvar", "svar"}, alternating)
	case t.Program == "main" && len(t.Flags) == 0:
		p.kinds(".text.k", []string{"cvar", "svar", "gvar", "dfun", "tex0"}, alternating)
	case t.Name == "extern-sm_75-11.8":
		p.edits = weakFunction
		p.kinds(".text.k", []string{"ucalled", "uidle", "vprintf", "malloc", "sdyn"}, alternating, "Undefined")
	case t.Name == "externvar-sm_75-11.8":
		p.edits = weakVariables
		p.kinds(".text.k", []string{"uvar", "ucon"}, both, "Undefined")
	case t.Name == "special-sm_75-11.8":
		p.kinds(".text.k", []string{"$__sown__24", "k.const_opt.0.16", ".nv.shared.k", ".nv.constant2.k"}, alternating)
	case t.Name == "special-sm_90-12.4":
		p.kinds(".text.k", []string{"__UFT_OFFSET"}, alternating)
	case t.Name == "sampler-sm_75-11.8":
		p.kinds(".text.k", []string{"tex0", "samp0", "surf0"}, alternating, "Textures")
	case t.Name == "pair-sm_75-11.8":
		p.kinds(".text.k", []string{"cother", "cvar", "cweak", "fother", "giother", "giweak", "gother", "gvar", "wfun", ".nv.constant3", ".nv.global", ".nv.global.init"}, alternating, "Weak")
	case mercury && t.Program != "main":
		p.mercuryKinds(t.Program)
	}
	p.samples()
	return p.groups, p.err
}

// What is undefined ends the link before its records are looked at, unless it is
// weak.
var (
	weakFunction  = []relocs.Edit{{Symbol: "ucalled", Set: "info", To: relocs.Number(cuda.STBWeak)<<4 | relocs.Number(cuda.STTFunc)}}
	weakVariables = []relocs.Edit{
		{Symbol: "uvar", Set: "info", To: relocs.Number(cuda.STBWeak)<<4 | relocs.Number(cuda.STTCudaObject)},
		{Symbol: "ucon", Set: "info", To: relocs.Number(cuda.STBWeak)<<4 | relocs.Number(cuda.STTCudaObject)},
	}
)

// forms says under which forms a vector is asked.
type forms int

const (
	both        forms = iota
	alternating       // REL for odd types
)

func (f forms) has(form relocs.Form, number uint32) bool {
	return f == both || (form == relocs.REL) == (number%2 == 1)
}

// draft is a vector to be.
type draft struct {
	place   string
	form    relocs.Form
	records []relocs.Record
	before  []byte
	edits   []relocs.Edit
	options []string
	keep    bool
}

// add appends a group. A group without vectors is omitted.
func (p *planner) add(name, about string, flags []string, list []draft) {
	g := relocs.Group{Name: name, About: about, Flags: flags}
	for _, d := range list {
		v := &relocs.Vector{
			ID: fmt.Sprintf("%s/%s/%d", p.template.Name, name, len(g.Vectors)+1), Template: p.template, Place: d.place, Form: d.form,
			Options: d.options, Edits: d.edits, Keep: d.keep, Records: d.records, Before: d.before, Flags: flags,
		}
		if _, err := v.Inputs(); err != nil && p.err == nil {
			p.err = err
		}
		g.Vectors = append(g.Vectors, v)
	}
	if len(g.Vectors) > 0 {
		p.groups = append(p.groups, g)
	}
}

// lastType is the highest R_CUDA number of the table.
const lastType = uint32(cuda.R_CUDA_NONE_LAST)

// at is where most vectors patch .text.k: an instruction that holds no other
// record.
const at = 0x40

// kinds asks every type about each symbol, at one place.
func (p *planner) kinds(place string, symbols []string, f forms, flags ...string) {
	for _, symbol := range symbols {
		for _, form := range []relocs.Form{relocs.REL, relocs.RELA} {
			var list []draft
			for number := range lastType + 1 {
				if !f.has(form, number) {
					continue
				}
				d := draft{place: place, form: form, before: mixed(number), edits: p.edits, records: []relocs.Record{{Offset: at, Type: number, Symbol: symbol}}}
				if form == relocs.RELA {
					d.records[0].Addend = addends[int(number)%len(addends)]
				}
				list = append(list, d)
			}
			kind := p.manifest.Kind(p.template.Program, symbol)
			if kind == "" {
				kind = "section symbol"
			}
			p.add(fmt.Sprintf("%s-%s", form, title(symbol)), "every type against "+symbol+" ("+kind+")", slices.Concat([]string{"Kinds"}, flags), list)
		}
	}
}

// title makes a word of a symbol or a place.
func title(name string) string {
	if name == "#0" {
		return "index0"
	}
	return strings.NewReplacer(".", "-", "$", "").Replace(strings.TrimPrefix(name, "."))
}

// numbers asks about type numbers that the table does not have.
func (p *planner) numbers() {
	for _, form := range []relocs.Form{relocs.REL, relocs.RELA} {
		var list []draft
		for _, symbol := range []string{"cvar", "svar", "gvar", "dfun", "deadfun", "tex0"} {
			for _, number := range []uint32{lastType + 1, lastType + 3, 200, 0x7fff, cuda.MercuryBase, cuda.MercuryBase + 2, 1 << 31, 1<<32 - 1} {
				list = append(list, draft{place: ".text.k", form: form, before: mixed(number), records: []relocs.Record{{Offset: at, Type: number, Symbol: symbol}}})
			}
		}
		p.add("numbers-"+string(form), "numbers that are no type", []string{"Numbers"}, list)
	}
}

// places asks about every section that a record can patch.
func (p *planner) places() {
	places, err := p.template.Places()
	if err != nil {
		p.err = err
		return
	}
	types := []uint32{0, cuda.R_CUDA_32, cuda.R_CUDA_64, cuda.R_CUDA_G64, cuda.R_CUDA_ABS32_26, cuda.R_CUDA_CONST_FIELD19_28,
		cuda.R_CUDA_FUNC_DESC_64, cuda.R_CUDA_PCREL_IMM24_26, cuda.R_CUDA_UNUSED_CLEAR32, cuda.R_CUDA_8_8, cuda.R_CUDA_UNIFIED}
	for _, place := range places {
		switch place.Type {
		case cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTRel, cuda.SHTRela:
			continue
		}
		var list []draft
		for i, number := range types {
			for j, symbol := range []string{"cvar", "svar", "gvar", "dfun", "deadfun", "tex0", ".nv.constant3"} {
				list = append(list, draft{place: place.Name, form: relocs.RELA, records: []relocs.Record{{
					Offset: 8, Type: number, Symbol: symbol, Addend: addends[(i+j)%len(addends)],
				}}})
			}
		}
		p.add("place-"+title(place.Name), "records for "+place.Name, []string{"Places"}, list)
	}
}

// offsets puts fields of several widths all over the end of a section.
func (p *planner) offsets() {
	var size uint64
	places, _ := p.template.Places()
	for _, place := range places {
		if place.Name == ".text.k" {
			size = place.Size
		}
	}
	var list []draft
	for _, number := range []uint32{cuda.R_CUDA_NONE, cuda.R_CUDA_64, cuda.R_CUDA_G64, cuda.R_CUDA_CONST_FIELD19_28, cuda.R_CUDA_ABS47_34, cuda.R_CUDA_8_0, cuda.R_CUDA_CONST_FIELD22_37, cuda.R_CUDA_ABS56_16_34} {
		for _, symbol := range []string{"cvar", "gvar"} {
			for _, offset := range []uint64{0, 1, 7, at + 3, size - 8, size - 6, size - 5, size - 1, size, size + 1, 1 << 32, 1 << 63, 1<<64 - 4} {
				list = append(list, draft{place: ".text.k", form: relocs.RELA, records: []relocs.Record{{Offset: offset, Type: number, Symbol: symbol, Addend: -3}}})
			}
		}
	}
	p.add("offsets", "odd offsets, and the end of the section", []string{"Offsets"}, list)
}

// preserve asks what --preserve-relocs writes down.
func (p *planner) preserve() {
	for _, form := range []relocs.Form{relocs.REL, relocs.RELA} {
		for _, symbol := range []string{"cvar", "svar"} {
			var list []draft
			for number := range lastType + 1 {
				if !alternating.has(form, number+boolean(symbol == "svar")) {
					continue
				}
				d := draft{place: ".text.k", form: form, before: mixed(number), options: []string{"--preserve-relocs"}, records: []relocs.Record{{Offset: at, Type: number, Symbol: symbol}}}
				if form == relocs.RELA {
					d.records[0].Addend = addends[int(number)%len(addends)]
				}
				list = append(list, d)
			}
			p.add(fmt.Sprintf("preserve-%s-%s", form, symbol), "every type against "+symbol, []string{"Preserve"}, list)
		}
	}
}

func boolean(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// samples draws vectors at random. Those that agree in what a group shares stand
// together.
func (p *planner) samples() {
	const perTemplate = 150
	seed := fnv.New64a()
	seed.Write([]byte(p.template.Name))
	d := &rng{rand.New(rand.NewPCG(seed.Sum64(), 1)), false}
	groups := map[string][]draft{}
	var order []string
	for range perTemplate {
		v, err := d.vector(p.manifest, p.template)
		if err != nil {
			p.err = err
			return
		}
		key := fmt.Sprintf("sample-%s-%s", v.Form, title(v.Place))
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], draft{place: v.Place, form: v.Form, records: v.Records, before: v.Before, edits: v.Edits, keep: v.Keep})
	}
	slices.Sort(order)
	for _, key := range order {
		p.add(key, "drawn by lot", []string{"Sample"}, groups[key])
	}
}
