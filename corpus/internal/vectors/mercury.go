package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
)

// The vectors of sm_100 and up. Data is patched as elsewhere; in code a record
// counts in Mercury instructions, and the finalizer has a word.

const (
	mercuryTypes = 64
	mercuryData  = ".nv.merc.nv.global.init"
	dataAt       = 0x40 // in ginit
)

func (p *planner) mercury() {
	if p.template.Arch == "sm_100" {
		p.mercuryBits()
		p.mercuryKinds("main")
	}
	p.nodes()
}

// mercuryBits asks how every type builds its field.
func (p *planner) mercuryBits() {
	var list []draft
	for i := range uint32(mercuryTypes) {
		for j, value := range lanes {
			before := old(0)
			if j == 0 {
				before = old(math.MaxUint64)
			}
			list = append(list, draft{place: mercuryData, form: relocs.RELA, before: before, records: []relocs.Record{{
				Offset: dataAt, Type: cuda.MercuryBase + i, Symbol: "cvar", Addend: int64(value) - cvarValue,
			}}})
		}
	}
	p.add("bits-rela", "S + A in codes", []string{"Mercury", "Bits"}, list)
}

// mercuryKinds asks every type about every symbol of a program, in data.
func (p *planner) mercuryKinds(program string) {
	var symbols []string
	for _, x := range p.manifest.Programs {
		if x.Name == program {
			symbols = slices.Sorted(maps.Keys(x.Symbols))
		}
	}
	place := mercuryData
	switch program {
	case "extern":
		p.edits = weakFunction
	case "externvar":
		p.edits, place = weakVariables, ".nv.merc.debug_frame"
	}
	for _, symbol := range append(symbols, "#0") {
		if symbol == "_param" {
			continue
		}
		var list []draft
		for i := range uint32(mercuryTypes + 2) {
			list = append(list, draft{place: place, form: relocs.RELA, edits: p.edits, records: []relocs.Record{{
				Offset: 0x10, Type: cuda.MercuryBase + i, Symbol: symbol, Addend: addends[int(i)%len(addends)],
			}}})
		}
		for _, number := range []uint32{0, cuda.R_CUDA_64, cuda.R_CUDA_ABS32_HI_32, cuda.R_CUDA_UNUSED_CLEAR64, lastType} {
			list = append(list, draft{place: place, form: relocs.RELA, edits: p.edits, records: []relocs.Record{{Offset: 0x10, Type: number, Symbol: symbol}}})
		}
		p.add("rela-"+title(symbol), "every type against "+symbol, []string{"Mercury", "Kinds"}, list)
	}
}

// nodes asks about code: every node of the template that can hold a record.
func (p *planner) nodes() {
	asked := p.template.Nodes
	if p.template.Arch != "sm_100" && p.template.Arch != "sm_120" {
		asked = asked[:2]
	}
	for _, n := range asked {
		var list []draft
		for i := range uint32(mercuryTypes) {
			list = append(list, draft{place: ".nv.capmerc.text." + n.Function, form: relocs.RELA, records: []relocs.Record{{
				Offset: n.At, Type: cuda.MercuryBase + i, Symbol: "cvar", Addend: addends[int(i+1)%len(addends)],
			}}})
		}
		p.add(fmt.Sprintf("node-%s-%x", n.Function, n.At), "every type at one node", []string{"Capsule"}, list)
	}
	for _, n := range asked[:2] {
		for _, symbol := range []string{"svar", "gvar", "ginit", "dfun", "k2", "tex0", "surf0", "deadfun"} {
			var list []draft
			for i := range uint32(mercuryTypes) {
				list = append(list, draft{place: ".nv.capmerc.text." + n.Function, form: relocs.RELA, records: []relocs.Record{{
					Offset: n.At, Type: cuda.MercuryBase + i, Symbol: symbol, Addend: addends[int(i)%len(addends)],
				}}})
			}
			p.add(fmt.Sprintf("node-%s-%x-%s", n.Function, n.At, symbol), "every type against "+symbol+" at one node", []string{"Capsule", "Kinds"}, list)
		}
	}
}
