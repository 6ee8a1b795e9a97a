package defects

import (
	"bytes"
	"math/rand/v2"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// edits are defects that hand-made or half-right editors leave: entries that are taken for others, entries twice or
// none, fields of tables that nobody looks at, and files that were joined or cut.
var edits = []Kind{
	{Name: "two neighbours of the symbol table swapped", plant: anySymbol(false, swapNext)},
	{Name: "two neighbours of the Mercury symbol table swapped", plant: anySymbol(true, swapNext)},
	{Name: "symbol twice", plant: anySymbol(false, func(e, next []byte) { copy(next, e) })},
	{Name: "symbol wiped", plant: anySymbol(false, func(e, _ []byte) { clear(e) })},
	{Name: "symbol of the Mercury side wiped", plant: anySymbol(true, func(e, _ []byte) { clear(e) })},
	{Name: "value of a symbol", plant: anySymbol(false, func(e, _ []byte) { put64(e[8:], 4) })},
	{Name: "value of a symbol, on the Mercury side", plant: anySymbol(true, func(e, _ []byte) { put64(e[8:], 4) })},
	{Name: "size of a symbol", plant: anySymbol(false, func(e, _ []byte) { put64(e[16:], 4) })},
	{Name: "size of a symbol, on the Mercury side", plant: anySymbol(true, func(e, _ []byte) { put64(e[16:], 4) })},
	{Name: "name of a symbol from its second letter", plant: anySymbol(false, func(e, _ []byte) { put32(e, 1) })},
	{Name: "section of a symbol, on the Mercury side", plant: anySymbol(true, func(e, _ []byte) { e[6]++ })},
	{Name: "symbol made absolute", plant: anySymbol(false, func(e, _ []byte) { e[6], e[7] = 0xf1, 0xff })},
	{Name: "type of a symbol", plant: anySymbol(false, func(e, _ []byte) { e[4] ^= 1 })},
	{Name: "null symbol with a name", plant: nullSymbol(0)},
	{Name: "null symbol with a value", plant: nullSymbol(8)},
	{Name: "null section with a size", plant: func(m *capsule.Image, data []byte, _ *rand.Rand) bool { header(m, data, 0)[shSize]++; return true }},
	{Name: "null section with a link", plant: func(m *capsule.Image, data []byte, _ *rand.Rand) bool { header(m, data, 0)[shLink]++; return true }},
	{Name: "name of a text from its second letter", plant: inHeader(".text.", func(h []byte) { put32(h, 1) })},
	{Name: "name of attributes from their second letter", plant: inHeader(".nv.info.", func(h []byte) { put32(h, 1) })},
	{Name: "text without a name", plant: inHeader(".text.", func(h []byte) { clear(h[:4]) })},
	{Name: "two texts of one name", plant: oneName(".text.")},
	{Name: "two capsules of one name", plant: oneName(".nv.capmerc.text.")},
	{Name: "link of a text", plant: inHeader(".text.", func(h []byte) { put32(h[shLink:], 1) })},
	{Name: "link of attributes", plant: inHeader(".nv.info.", func(h []byte) { clear(h[shLink : shLink+4]) })},
	{Name: "link of a capsule to the other symbol table", plant: otherSymtab(".nv.capmerc.text.")},
	{Name: "link of Mercury relocations to the other symbol table", plant: otherSymtab(".nv.merc.rela")},
	{Name: "link of relocations to the other symbol table", plant: otherSymtab(".rela.text.")},
	{Name: "flags of attributes", plant: inHeader(".nv.info.", func(h []byte) { h[shFlags] ^= 0x40 })},
	{Name: "symbol table loaded", plant: inHeader(".symtab", func(h []byte) { h[shFlags] |= 2 })},
	{Name: "names loaded", plant: inHeader(".strtab", func(h []byte) { h[shFlags] |= 2 })},
	{Name: "constant bank not loaded", plant: inHeader(".nv.constant0.", func(h []byte) { h[shFlags] &^= 2 })},
	{Name: "constant bank writable", plant: inHeader(".nv.constant0.", func(h []byte) { h[shFlags] |= 1 })},
	{Name: "owner of a constant bank", plant: inHeader(".nv.constant0.", func(h []byte) { put32(h[shInfo:], 1) })},
	{Name: "alignment that isn't a power of two", plant: inHeader(".text.", func(h []byte) { le.PutUint64(h[shAlign:], 96) })},
	{Name: "alignment of a constant bank", plant: inHeader(".nv.constant0.", func(h []byte) { le.PutUint64(h[shAlign:], 1) })},
	{Name: "entries of attributes", plant: inHeader(".nv.info.", func(h []byte) { put64(h[shEntry:], 4) })},
	{Name: "entries of a text", plant: inHeader(".text.", func(h []byte) { put64(h[shEntry:], 16) })},
	{Name: "address of a constant bank", plant: inHeader(".nv.constant0.", func(h []byte) { put64(h[shAddr:], 0x100) })},
	{Name: "e_ident: class", plant: headerByte(4)},
	{Name: "e_ident: order of bytes", plant: headerByte(5)},
	{Name: "e_ident: version", plant: headerByte(6)},
	{Name: "e_ident: padding", plant: headerByte(12)},
	{Name: "e_phoff", plant: headerByte(32)},
	{Name: "e_shoff", plant: func(_ *capsule.Image, data []byte, _ *rand.Rand) bool { put64(data[40:], 64); return true }},
	{Name: "size of a program header", plant: headerByte(54)},
	{Name: "size of a note", plant: inNote(".note.nv.tkinfo", 4)},
	{Name: "size of a note's name", plant: inNote(".note.nv.tkinfo", 0)},
	{Name: "size of the target's note", plant: inNote(".note.nv.cuinfo", 4)},
	{Name: "toolkit in .note.nv.cuinfo", plant: inNote(".note.nv.cuinfo", 28)},
	{Name: "attribute wiped", plant: anyInfo(false, func(rec, _ []byte) { clear(rec) })},
	{Name: "attribute of the Mercury side wiped", plant: anyInfo(true, func(rec, _ []byte) { clear(rec) })},
	{Name: "attribute in place of the next", plant: anyInfo(false, func(rec, next []byte) { copy(next, rec) })},
	{Name: "two attributes swapped", plant: anyInfo(false, func(rec, next []byte) { swap(next, rec) })},
	{Name: "two attributes of the Mercury side swapped", plant: anyInfo(true, func(rec, next []byte) { swap(next, rec) })},
	{Name: "format of an attribute", plant: anyInfo(false, func(rec, _ []byte) { rec[0] ^= 7 })},
	{Name: "number of an attribute", plant: anyInfo(false, func(rec, _ []byte) { rec[1] ^= 1 })},
	{Name: "number of an attribute of the Mercury side", plant: anyInfo(true, func(rec, _ []byte) { rec[1] ^= 1 })},
	{Name: "size of an attribute", plant: anyInfo(false, func(rec, _ []byte) { rec[2] += 4 })},
	{Name: "relocation wiped", plant: anyRela(".rela.text.", func(r []byte) { clear(r) })},
	{Name: "Mercury relocation wiped", plant: anyRela(".nv.merc.rela.text.", func(r []byte) { clear(r) })},
	{Name: "relocation without effect", plant: anyRela(".rela.text.", func(r []byte) { clear(r[8:12]) })},
	{Name: "Mercury relocation's addend", plant: anyRela(".nv.merc.rela.text.", func(r []byte) { put64(r[16:], 16) })},
	{Name: "Mercury relocation a word behind", plant: anyRela(".nv.merc.rela.text.", func(r []byte) { put64(r, 16) })},
	{Name: "Mercury relocation of the next symbol", plant: anyRela(".nv.merc.rela.text.", func(r []byte) { put32(r[12:], 1) })},
	{Name: "first words of two texts swapped", plant: firstWords},
	{Name: "word twice", plant: wordTwice},
	{Name: "branch at a text's end made a NOP", plant: tailNOP},
	{Name: "mark of the call graph twice", plant: markTwice},
	{Name: "frame program of another length", plant: frameField(0, 4)},
	{Name: "code alignment of frames", plant: frameByte(13)},
	{Name: "places and numbers of frames wiped", plant: wiped(".debug_frame", 4)},
	{Name: "names of sections wiped", plant: wiped(".shstrtab", 0)},
	{Name: "names of symbols wiped", plant: wiped(".strtab", 0)},
	{Name: "symbol table wiped", plant: wiped(".symtab", 0)},
	{Name: "Mercury symbol table wiped", plant: wiped(".nv.merc.symtab", 0)},
	{Name: "names moved by a byte", plant: moved(".strtab", 1, 1)},
	{Name: "symbols moved by an entry", plant: moved(".symtab", cubin.SymbolSize, cubin.SymbolSize)},
	{Name: "64 zeros at the end", whole: func(data []byte) []byte { return append(data, make([]byte, 64)...) }},
	{Name: "file twice", whole: func(data []byte) []byte { return append(data[:len(data):len(data)], data...) }},
	{Name: "first half alone", whole: func(data []byte) []byte { return data[:len(data)/2] }},
}

func swapNext(e, next []byte) { swap(e, next) }

// anySymbol changes an entry of a symbol table, or it and the one behind it.
func anySymbol(merc bool, change func(e, next []byte)) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		t := &m.SASS
		if merc {
			t = &m.Merc
		}
		if t.Index == 0 || len(t.List) < 3 {
			return false
		}
		i := 1 + rng.IntN(len(t.List)-2)
		if strings.Contains(strings.ToLower(t.List[i].Name), "reservedsmem") {
			return false // whose values aren't judged
		}
		b := content(m, data, t.Index)[i*cubin.SymbolSize:]
		change(b[:cubin.SymbolSize], b[cubin.SymbolSize:2*cubin.SymbolSize])
		return true
	}
}

func nullSymbol(field int) planter {
	return func(m *capsule.Image, data []byte, _ *rand.Rand) bool {
		content(m, data, m.SASS.Index)[field]++
		return true
	}
}

// oneName gives a section the name of another of its kind.
func oneName(prefix string) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		a, ok := pick(m, prefix, rng)
		b, _ := pick(m, prefix, rng)
		if ok && a != b {
			copy(header(m, data, a)[:4], header(m, data, b)[:4])
		}
		return a != b
	}
}

// otherSymtab makes the symbol table of a section that of the other side.
func otherSymtab(prefix string) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		i, ok := pick(m, prefix, rng)
		if ok {
			put32(header(m, data, i)[shLink:], int32(m.SASS.Index+m.Merc.Index)-2*int32(m.Sections[i].Link))
		}
		return ok
	}
}

func inNote(name string, at int) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		i, ok := pick(m, name, rng)
		if ok {
			content(m, data, i)[at] += 4
		}
		return ok
	}
}

// anyInfo changes an attribute of a function, and the one behind it, which is as long.
func anyInfo(merc bool, change func(rec, next []byte)) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn := &m.Funcs[rng.IntN(len(m.Funcs))]
		section := int(fn.Info)
		if merc {
			section = int(fn.MercInfo)
		}
		if section == 0 {
			return false
		}
		s := &m.Sections[section]
		var places []int
		r := m.File.Info(&s.Section)
		for at := 0; ; {
			rec, ok := r.Next()
			if !ok {
				break
			}
			places = append(places, at)
			at += rec.Len()
		}
		if len(places) < 3 {
			return false
		}
		k := rng.IntN(len(places) - 2)
		b := content(m, data, section)
		rec, next := b[places[k]:places[k+1]], b[places[k+1]:places[k+2]]
		if len(rec) != len(next) || bytes.Equal(rec, next) {
			return false
		}
		change(rec, next)
		return true
	}
}

// anyRela changes an entry of a relocation section.
func anyRela(prefix string, change func(r []byte)) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		i, ok := pick(m, prefix, rng)
		if ok {
			b := content(m, data, i)
			change(b[rng.IntN(len(b)/cubin.RelaSize)*cubin.RelaSize:][:cubin.RelaSize])
		}
		return ok
	}
}

// firstWords swaps what two functions begin with, where their records say otherwise.
func firstWords(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	f, g := &m.Funcs[rng.IntN(len(m.Funcs))], &m.Funcs[rng.IntN(len(m.Funcs))]
	n, k := f.Cap.Node(0), g.Cap.Node(0)
	const word = capsule.WordSize
	a, b := content(m, data, f.Text)[:word], content(m, data, g.Text)[:word]
	if n.Kind != capsule.Full || k.Kind != capsule.Full || le.Uint64(a) == le.Uint64(b) {
		return false
	}
	swap(a, b)
	return true
}

// wordTwice puts the word of a record in place of the next word.
func wordTwice(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	fn := &m.Funcs[rng.IntN(len(m.Funcs))]
	i := rng.IntN(len(fn.Cap.Nodes) - 1)
	n, next := &fn.Cap.Nodes[i], &fn.Cap.Nodes[i+1]
	if next.Kind != capsule.Full || next.Span != 1 || n.Span != 1 || fn.Code[n.SASS] == fn.Code[next.SASS] {
		return false
	}
	b := content(m, data, fn.Text)
	copy(b[next.SASS:next.SASS+capsule.WordSize], fn.Code[n.SASS:n.SASS+capsule.WordSize])
	return true
}

func tailNOP(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	fn := &m.Funcs[rng.IntN(len(m.Funcs))]
	n := &fn.Cap.Nodes[len(fn.Cap.Nodes)-1]
	copy(content(m, data, fn.Text)[n.SASS:], nop)
	return true
}

// markTwice puts the mark of a group of the call graph in place of the next entry. Other entries may be there twice.
func markTwice(m *capsule.Image, data []byte, rng *rand.Rand) bool {
	const size = 8
	i, ok := pick(m, ".nv.callgraph", rng)
	if !ok || len(m.Sections[i].Content) < 2*size {
		return false
	}
	b := content(m, data, i)
	k := rng.IntN(len(b)/size-1) * size
	if le.Uint32(b[k:]) != 0 {
		return false
	}
	copy(b[k+size:k+2*size], b[k:k+size])
	return true
}

// frameField adds to a word of the first frame of .debug_frame.
func frameField(at int, add int32) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		i, ok := pick(m, ".debug_frame", rng)
		if ok {
			put32(content(m, data, i)[at:], add)
		}
		return ok && m.Sections[i].Type != cuda.SHTNobits
	}
}

func frameByte(at int) planter {
	return func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		i, ok := pick(m, ".debug_frame", rng)
		if ok {
			content(m, data, i)[at] ^= 1
		}
		return ok
	}
}
