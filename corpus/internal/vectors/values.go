package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
)

// codes gives each of 64 bits a code of its own: bit i of pattern k is bit k of
// i. Together with zeros and ones they tell for every bit of a field from which
// bit of the value it comes.
var codes = []uint64{
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
}

// addends has small ones of both signs, and ones that reach the upper half.
var addends = []int64{0, 8, -8, 0x123456789abcdef, math.MinInt64, -1, 0x7fffffff, -0x80000000, 0x100000000, 4, 0x2a55, 0x10000}

// mixed is old content in which no two bytes are equal.
func mixed(number uint32) []byte {
	b := make([]byte, 16)
	for i := range b {
		b[i] = byte(uint32(i)*0x1d + number*0x35 + 0x47)
	}
	return b
}

// old repeats a pattern over 16 bytes.
func old(pattern uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, pattern), pattern)
}

// cvarValue is where cvar is in its section, in every object of main below
// sm_100.
const cvarValue = 0x38

// bits asks how every type builds its field: of S and A (RELA), of S and the old
// content (REL).
func (p *planner) bits() {
	var rela, relS, relOld, carry, carryOld []draft
	setS := func(s uint64) []relocs.Edit {
		return []relocs.Edit{{Symbol: "cvar", Set: "value", To: relocs.Number(s)}}
	}
	for number := range lastType {
		if !interesting(number) {
			continue
		}
		rec := relocs.Record{Offset: at, Type: number, Symbol: "cvar"}
		one := func(list *[]draft, form relocs.Form, addend int64, before []byte, edits []relocs.Edit) {
			r := rec
			r.Addend = addend
			*list = append(*list, draft{place: ".text.k", form: form, before: before, edits: edits, records: []relocs.Record{r}})
		}
		for _, c := range codes {
			one(&rela, relocs.RELA, int64(c)-cvarValue, old(0), nil)
			one(&relS, relocs.REL, 0, old(0), setS(c))
			one(&relOld, relocs.REL, 0, old(c), setS(0))
		}
		one(&rela, relocs.RELA, -1-cvarValue, old(0), nil)
		one(&rela, relocs.RELA, -cvarValue, old(math.MaxUint64), nil)
		one(&relS, relocs.REL, 0, old(0), setS(math.MaxUint64-1))
		one(&relOld, relocs.REL, 0, old(math.MaxUint64), setS(0))

		one(&carry, relocs.RELA, -4, old(0x5555555555555555), setS(2))
		one(&carry, relocs.RELA, 0x7ffffffc, old(math.MaxUint64), setS(0x80000008))
		one(&carry, relocs.RELA, math.MaxInt64, old(0), setS(0x8000000000000009))
		one(&carryOld, relocs.REL, 0, old(math.MaxUint64), setS(4))
		one(&carryOld, relocs.REL, 0, old(0x8080808080808080), setS(0x8080808080808080))
		one(&carryOld, relocs.REL, 0, old(0xfedcba9876543210), setS(0x0123456789abcdf0))
		one(&carryOld, relocs.REL, 0, old(0x7fffffff7fffffff), setS(0xffffffff00000001))
	}
	p.add("bits-rela", "S + A in codes", []string{"Bits"}, rela)
	p.add("bits-rel", "S in codes over zeros", []string{"Bits"}, relS)
	p.add("old-rel", "the old content in codes, S = 0", []string{"OldBits"}, relOld)
	p.add("carry-rela", "S + A that carries", []string{"Carry"}, carry)
	p.add("carry-rel", "S + old content that carries", []string{"Carry"}, carryOld)
}

// interesting omits the types that no release applies against a
// constant: one vector of each stands among the kinds.
func interesting(number uint32) bool {
	switch {
	case number == 0, number == cuda.R_CUDA_PCREL_IMM24_26, number == cuda.R_CUDA_PCREL_IMM24_23:
		return false
	case number >= cuda.R_CUDA_UNIFIED && number <= cuda.R_CUDA_UNIFIED32_HI_32:
		return true // since 12.4
	}
	t, ok := cuda.LookupReloc(number)
	return ok && (t.Resolver == cuda.ResolverLinker || t.Resolver == cuda.ResolverEither)
}

// banks gives cvar's section every number that a constant bank can have, and
// some that it can't.
func (p *planner) banks() {
	var numbers []uint32
	for number := range lastType {
		switch number {
		case cuda.R_CUDA_CONST_FIELD19_28, cuda.R_CUDA_CONST_FIELD19_23, cuda.R_CUDA_CONST_FIELD21_26, cuda.R_CUDA_QUERY_DESC21_37, cuda.R_CUDA_CONST_FIELD19_26,
			cuda.R_CUDA_CONST_FIELD21_23, cuda.R_CUDA_CONST_FIELD19_20, cuda.R_CUDA_CONST_FIELD21_20, cuda.R_CUDA_CONST_FIELD19_40, cuda.R_CUDA_CONST_FIELD21_38,
			cuda.R_CUDA_CONST_FIELD22_37:
			numbers = append(numbers, number)
		}
	}
	for _, form := range []relocs.Form{relocs.REL, relocs.RELA} {
		var list []draft
		for _, number := range numbers {
			for _, bank := range []uint64{0, 1, 3, 4, 5, 8, 10, 15, 16, 17, 21, 24, 31, 32} {
				d := draft{
					place: ".text.k", form: form, before: mixed(number + uint32(bank)),
					edits:   []relocs.Edit{{Section: ".nv.constant3", Set: "bank", To: relocs.Number(bank)}},
					records: []relocs.Record{{Offset: at, Type: number, Symbol: "cvar"}},
				}
				if form == relocs.RELA {
					d.records[0].Addend = addends[int(bank)%len(addends)]
				}
				list = append(list, d)
			}
		}
		p.add(fmt.Sprintf("banks-%s", form), "every constant bank", []string{"Banks"}, list)
	}
}

// lanes is used where a type is asked a few values only.
var lanes = slices.Concat([]uint64{0, math.MaxUint64}, codes)
