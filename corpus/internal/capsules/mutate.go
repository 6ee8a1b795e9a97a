package main

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// target is a base and the place in it that the edits of one mutant are about.
type target struct {
	m   *capsule.Image
	fn  *capsule.Func
	rng *rand.Rand
}

// edit is an edit of a section; section 0 is the file.
type edit struct {
	section int
	off     uint64
	data    []byte
}

func u32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
func u64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

func (t *target) word(section int, off uint64) uint32 {
	b, ok := cubin.Window(t.m.Sections[section].Content, off, 4)
	if !ok {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

// capsuleWord adds to a word of the capsule's header.
func capsuleWord(off uint64, change func(uint32) uint32) func(t *target) []edit {
	return func(t *target) []edit {
		return []edit{{t.fn.Capsule, off, u32(change(t.word(t.fn.Capsule, off)))}}
	}
}

// node returns a node of a kind and where its record is in the capsule, -1
// for none.
func (t *target) node(kind capsule.Kind) (n *capsule.Node, at int) {
	var all []int
	for i := range t.fn.Cap.Nodes {
		if t.fn.Cap.Nodes[i].Kind == kind && i < len(t.fn.Cap.Nodes)-1 {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return nil, -1
	}
	want := all[t.rng.IntN(len(all))]
	pos := 12 + (len(t.fn.Cap.Nodes)+31)/32*4
	for i := range t.fn.Cap.Nodes {
		n := &t.fn.Cap.Nodes[i]
		if n.Spanned {
			pos += 2
		}
		if i == want {
			return n, pos
		}
		if n.Kind == capsule.Skip {
			pos += 2
		}
		pos += len(t.fn.Cap.Record(n))
	}
	return nil, -1
}

// record edits a byte of a record.
func record(kind capsule.Kind, at func(rng *rand.Rand, size int) int, change func(b byte) byte) func(t *target) []edit {
	return func(t *target) []edit {
		n, pos := t.node(kind)
		if n == nil {
			return nil
		}
		k := at(t.rng, len(t.fn.Cap.Record(n)))
		return []edit{{t.fn.Capsule, uint64(pos + k), []byte{change(t.fn.Cap.Record(n)[k])}}}
	}
}

// code edits the SASS of a node of a kind.
func code(kind capsule.Kind, change func(w []byte)) func(t *target) []edit {
	return func(t *target) []edit {
		n, _ := t.node(kind)
		if n == nil {
			return nil
		}
		w := append([]byte(nil), t.fn.Code[n.SASS:n.SASS+capsule.WordSize]...)
		change(w)
		return []edit{{t.fn.Text, uint64(n.SASS), w}}
	}
}

// reloc edits a field of a relocation.
func reloc(of func(fn *capsule.Func) int, at uint64, add uint32) func(t *target) []edit {
	return func(t *target) []edit {
		section := of(t.fn)
		n := len(t.m.Sections[section].Content) / cubin.RelaSize
		if section == 0 || n == 0 {
			return nil
		}
		off := uint64(t.rng.IntN(n))*cubin.RelaSize + at
		return []edit{{section, off, u32(t.word(section, off) + add)}}
	}
}

// header edits a field of a section header.
func header(of func(t *target) int, at uint64, change func(t *target, section int) []byte) func(t *target) []edit {
	return func(t *target) []edit {
		section := of(t)
		if section == 0 {
			return nil
		}
		return []edit{{0, t.m.File.Header.ShOff + uint64(section)*cubin.SectionSize + at, change(t, section)}}
	}
}

func byName(name string) func(t *target) int {
	return func(t *target) int {
		for i := range t.m.Sections {
			if t.m.Sections[i].Name == name {
				return i
			}
		}
		return 0
	}
}

func capsuleOf(t *target) int { return t.fn.Capsule }

// symbol edits value or size of the function's symbol.
func symbol(table func(m *capsule.Image) int, at uint64, add uint64) func(t *target) []edit {
	return func(t *target) []edit {
		section := table(t.m)
		off := uint64(t.fn.Symbol)*cubin.SymbolSize + at
		b, ok := cubin.Window(t.m.Sections[section].Content, off, 8)
		if !ok {
			return nil
		}
		return []edit{{section, off, u64(binary.LittleEndian.Uint64(b) + add)}}
	}
}

// attribute edits the first offset of an attribute stream.
func attribute(of func(fn *capsule.Func) int, add uint32) func(t *target) []edit {
	return func(t *target) (list []edit) {
		section, at := of(t.fn), uint64(0)
		r := t.m.File.Info(&t.m.Sections[section].Section)
		for rec, ok := r.Next(); ok && list == nil; rec, ok = r.Next() {
			if rec.Attr == cuda.AttrExitInstrOffsets && len(rec.Data) > 0 {
				list = []edit{{section, at + 4, u32(t.word(section, at+4) + add)}}
			}
			at += uint64(rec.Len())
		}
		return list
	}
}

// bytesOf overwrites the bytes of a section at a random place.
func bytesOf(name string) func(t *target) []edit {
	return func(t *target) []edit {
		i := byName(name)(t)
		if i == 0 || len(t.m.Sections[i].Content) == 0 {
			return nil
		}
		off := t.rng.IntN(len(t.m.Sections[i].Content))
		return []edit{{i, uint64(off), []byte{t.m.Sections[i].Content[off] ^ byte(1<<t.rng.IntN(8))}}}
	}
}

// compat sets the value of an attribute of .nv.compat.
func compat(attr byte, value uint16) func(t *target) []edit {
	return func(t *target) []edit {
		i := byName(".nv.compat")(t)
		data := t.m.Sections[i].Content
		for at := 0; at+4 <= len(data); at += 4 {
			if data[at+1] == attr && data[at] < 4 {
				return []edit{{i, uint64(at) + 2, []byte{byte(value), byte(value >> 8)}}}
			}
		}
		return nil
	}
}

// kinds are the edits, in turn. Each returns nothing where a base has no place
// for it.
var kinds = []struct {
	name string
	make func(t *target) []edit
}{
	{"text number", capsuleWord(0, func(v uint32) uint32 { return v + 1 })},
	{"version", capsuleWord(4, func(v uint32) uint32 { return v + 1 })},
	{"version bit 31", capsuleWord(4, func(v uint32) uint32 { return v &^ (1 << 31) })},
	{"one node less", capsuleWord(8, func(v uint32) uint32 { return v - 1 })},
	{"one node more", capsuleWord(8, func(v uint32) uint32 { return v + 1 })},
	{"no nodes", capsuleWord(8, func(uint32) uint32 { return 0 })},
	{"huge number of nodes", capsuleWord(8, func(uint32) uint32 { return 0xffffffff })},
	{"bitmap", capsuleWord(12, func(v uint32) uint32 { return v ^ 4 })},
	{"tag of a mini", record(capsule.TagOnly, func(*rand.Rand, int) int { return 0 }, func(b byte) byte { return b ^ 3 })},
	{"opcode of a mini", record(capsule.TagOnly, func(*rand.Rand, int) int { return 1 }, func(b byte) byte { return b + 1 })},
	{"size of a record", record(capsule.Full, func(*rand.Rand, int) int { return 0 }, func(b byte) byte { return b ^ 3 })},
	{"opcode of a record", record(capsule.Full, func(*rand.Rand, int) int { return 1 }, func(b byte) byte { return b ^ 0x40 })},
	{"operand of a record", record(capsule.Full, func(rng *rand.Rand, n int) int { return 10 + rng.IntN(n-10) }, func(b byte) byte { return b ^ 0x40 })},
	{"SASS of a stored node", code(capsule.Full, func(w []byte) { clear(w) })},
	{"SASS of a PLAIN node", code(capsule.Plain, func(w []byte) { w[0], w[1] = 0xff, w[1]|0xf })},
	{"SASS of a mini", code(capsule.TagOnly, func(w []byte) { w[0] ^= 1 })},
	{"register of a PLAIN node", code(capsule.Plain, func(w []byte) { w[2] ^= 1 })},
	{"scheduling", code(capsule.Plain, func(w []byte) { w[14] ^= 2 })},
	{"place of a Mercury relocation", reloc(func(fn *capsule.Func) int { return fn.MercRela }, 0, 4)},
	{"type of a Mercury relocation", reloc(func(fn *capsule.Func) int { return fn.MercRela }, 8, 1)},
	{"symbol of a Mercury relocation", reloc(func(fn *capsule.Func) int { return fn.MercRela }, 12, 1)},
	{"type of a SASS relocation", reloc(func(fn *capsule.Func) int { return fn.Rela }, 8, 1)},
	{"place of a SASS relocation", reloc(func(fn *capsule.Func) int { return fn.Rela }, 0, 16)},
	{"size of a Mercury symbol", symbol(func(m *capsule.Image) int { return m.Merc.Index }, 16, 16)},
	{"value of a Mercury symbol", symbol(func(m *capsule.Image) int { return m.Merc.Index }, 8, 16)},
	{"size of a SASS symbol", symbol(func(m *capsule.Image) int { return m.SASS.Index }, 16, 16)},
	{"offset in .nv.merc.nv.info.F", attribute(func(fn *capsule.Func) int { return fn.MercInfo }, 16)},
	{"offset in .nv.info.F", attribute(func(fn *capsule.Func) int { return fn.Info }, 16)},
	{"type of a capsule", header(capsuleOf, 4, func(*target, int) []byte { return u32(1) })},
	{"flags of a capsule", header(capsuleOf, 8, func(*target, int) []byte { return u32(0) })},
	{"size of a capsule", header(capsuleOf, 32, func(t *target, i int) []byte { return u32(uint32(t.m.Sections[i].Size) - 2) })},
	{"size of .nv.merc.nv.info", header(byName(".nv.merc.nv.info"), 32, func(*target, int) []byte { return u32(0) })},
	{"Mercury ISA", compat(7, 0x0102)},
	{"ISA class", compat(2, 9)},
	{"kind in e_flags", func(*target) []edit { return []edit{{0, 48, []byte{4}}} }},
	{"SM in e_flags", func(*target) []edit { return []edit{{0, 49, []byte{90}}} }},
	{".nv.merc.debug_frame", bytesOf(".nv.merc.debug_frame")},
	{".debug_frame", bytesOf(".debug_frame")},
	{".nv.merc.nv.info", bytesOf(".nv.merc.nv.info")},
}

// perBase is the number of mutants of a base.
const perBase = 9

// mutants makes the edits, deterministically.
func mutants(manifest *corpus.CapsuleManifest, made map[string][]byte) ([]corpus.Mutant, error) {
	var list []corpus.Mutant
	turn := 0
	for i := range manifest.Cubins {
		c := &manifest.Cubins[i]
		if c.Linked() || c.Release != "13.0" || len(c.Flags) == 0 || c.Flags[0] != "-c" || strings.Contains(c.Name, ".1-") || strings.Contains(c.Name, ".2-") {
			continue
		}
		f, err := cubin.Open(c.Name, made[c.Name])
		if err != nil {
			return nil, err
		}
		m := capsule.Open(f)
		for n := 0; n < perBase && len(m.Funcs) > 0; n++ {
			k := kinds[turn%len(kinds)]
			t := &target{m, &m.Funcs[turn%len(m.Funcs)], rand.New(rand.NewPCG(uint64(turn), 17))}
			turn++
			edits := k.make(t)
			if len(edits) == 0 {
				continue
			}
			mu := corpus.Mutant{Name: fmt.Sprintf("m%03d", len(list)), Base: c.Name, Kind: k.name, Results: map[string]corpus.MutantResult{}}
			for _, e := range edits {
				off := e.off
				if e.section != 0 {
					off += m.Sections[e.section].Off
					mu.Section = m.Sections[e.section].Name
				}
				mu.Edits = append(mu.Edits, corpus.MutantEdit{Offset: off, Data: hex.EncodeToString(e.data)})
			}
			list = append(list, mu)
		}
	}
	return list, nil
}
