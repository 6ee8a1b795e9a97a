package defects

import (
	"math/rand/v2"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
)

var nop = []byte{0x18, 0x79, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0x0f, 0}

// toNOP makes a word a NOP.
func toNOP(w []byte, _ *capsule.Func, _ *rand.Rand) bool {
	if le.Uint16(w)&0xfff == le.Uint16(nop)&0xfff {
		return false // a record of sm_110 may stand for a NOP
	}
	copy(w, nop)
	return true
}

// tools are kinds of defects that a stripper, a patcher of binaries, an assembler or a linker would make. Two texts without records
// can change places: PLAIN words are the source.
var tools = []Kind{
	{Name: "word of a record made a NOP", plant: inOne(capsule.Full, toNOP)},
	{Name: "word of a tag-only node made a NOP", plant: inWord(capsule.TagOnly, toNOP)},
	{Name: "texts of two functions swapped", Class: Source, plant: contents(".text.")},
	{Name: "capsules of two functions swapped", plant: contents(".nv.capmerc.text.")},
	{Name: "attributes of two functions swapped", plant: contents(".nv.info.")},
	{Name: "Mercury attributes of two functions swapped", plant: contents(".nv.merc.nv.info.")},
	{Name: "relocations of two functions swapped", plant: contents(".rela.text.")},
	{Name: "headers of two texts swapped", Class: Source, plant: exchange(".text.", shOffset, shLink)},
	{Name: "names of two texts swapped", plant: exchange(".text.", shName, shType)},
	{Name: "names of two capsules swapped", plant: exchange(".nv.capmerc.text.", shName, shType)},
	{Name: "owners of two lists of attributes swapped", plant: exchange(".nv.info.", shInfo, shAlign)},
	{Name: "owners of two constant banks swapped", plant: exchange(".nv.constant0.", shInfo, shAlign)},
	{Name: "numbers of registers of two texts swapped", plant: exchange(".text.", shInfo, shAlign)},
	{Name: "text wiped", plant: wiped(".text.", 0)},
	{Name: "text wiped behind its first words", plant: wiped(".text.", 64)},
	{Name: "capsule wiped behind its head", plant: wiped(".nv.capmerc.text.", 12)},
	{Name: "attributes wiped", plant: wiped(".nv.info.", 0)},
	{Name: "attributes of the file wiped", plant: wiped(".nv.info", 0)},
	{Name: "Mercury attributes wiped", plant: wiped(".nv.merc.nv.info.", 0)},
	{Name: "relocations wiped", plant: wiped(".rela.text.", 0)},
	{Name: "Mercury relocations wiped", plant: wiped(".nv.merc.rela.text.", 0)},
	{Name: "settled relocations wiped", plant: wiped(".nv.resolvedrela", 0)},
	{Name: "frames wiped", plant: wiped(".debug_frame", 0)},
	{Name: "lines wiped", plant: wiped(".debug_line", 0)},
	{Name: "call graph wiped", plant: wiped(".nv.callgraph", 0)},
	{Name: "prototypes wiped", plant: wiped(".nv.prototype", 0)},
	{Name: "note of the tool wiped", plant: wiped(".note.nv.tkinfo", 24)},
	{Name: "note of the target wiped", plant: wiped(".note.nv.cuinfo", 24)},
	{Name: "text moved by a word", plant: moved(".text.", 16, 16)},
	{Name: "records moved by four bytes", plant: moved(".nv.capmerc.text.", 12, 4)},
	{Name: "attributes moved by four bytes", plant: moved(".nv.info.", 0, 4)},
	{Name: "frames moved by four bytes", plant: moved(".debug_frame", 0, 4)},
	{Name: "place of a text", plant: inHeader(".text.", func(h []byte) { put64(h[shOffset:], 16) })},
	{Name: "place of a capsule", plant: inHeader(".nv.capmerc.text.", func(h []byte) { put64(h[shOffset:], 16) })},
	{Name: "place of Mercury attributes", plant: inHeader(".nv.merc.nv.info", func(h []byte) { put64(h[shOffset:], 4) })},
	{Name: "text shorter by a word", plant: inHeader(".text.", func(h []byte) { put64(h[shSize:], -16) })},
	{Name: "text shorter by its padding", plant: inHeader(".text.", func(h []byte) { put64(h[shSize:], -128) })},
	{Name: "capsule shorter by four bytes", plant: inHeader(".nv.capmerc.text.", func(h []byte) { put64(h[shSize:], -4) })},
	{Name: "last attribute cut off", plant: inHeader(".nv.info.", func(h []byte) { put64(h[shSize:], -4) })},
	{Name: "constant bank shorter", plant: inHeader(".nv.constant0.", func(h []byte) { put64(h[shSize:], -4) })},
	{Name: "constant bank longer", plant: inHeader(".nv.constant0.", func(h []byte) { put64(h[shSize:], 4) })},
	{Name: "text without bytes", plant: inHeader(".text.", func(h []byte) { le.PutUint32(h[shType:], 8) })},
	{Name: "text not executable", plant: inHeader(".text.", func(h []byte) { h[shFlags] &^= 4 })},
	{Name: "barriers of a text", plant: inHeader(".text.", func(h []byte) { h[shFlags+2] ^= 0x10 })},
	{Name: "number of registers of a text", plant: inHeader(".text.", func(h []byte) { h[shInfo+3]++ })},
	{Name: "function of a text", plant: inHeader(".text.", func(h []byte) { put32(h[shInfo:], 1) })},
	{Name: "function of a capsule", plant: inHeader(".nv.capmerc.text.", func(h []byte) { put32(h[shInfo:], 1) })},
	{Name: "address of a text", plant: inHeader(".text.", func(h []byte) { put64(h[shAddr:], 0x100) })},
	{Name: "alignment of a text", plant: inHeader(".text.", func(h []byte) { le.PutUint64(h[shAlign:], 1) })},
	{Name: "alignment of attributes", plant: inHeader(".nv.info", func(h []byte) { le.PutUint64(h[shAlign:], 16) })},
	{Name: "first global symbol", plant: inHeader(".symtab", func(h []byte) { put32(h[shInfo:], 1) })},
	{Name: "first global symbol of the Mercury side", plant: inHeader(".nv.merc.symtab", func(h []byte) { put32(h[shInfo:], 1) })},
	{Name: "names of the symbol table", plant: inHeader(".symtab", func(h []byte) { put32(h[shLink:], -1) })},
	{Name: "text of relocations", plant: inHeader(".rela.text.", func(h []byte) { put32(h[shInfo:], 1) })},
	{Name: "entries of a symbol table", plant: inHeader(".symtab", func(h []byte) { put64(h[shEntry:], 8) })},
	{Name: "capsule not of the Mercury side", plant: inHeader(".nv.capmerc.text.", func(h []byte) { clear(h[shFlags : shFlags+8]) })},
	{Name: "function not defined", plant: inSymbol(false, false, func(e []byte) { e[6], e[7] = 0, 0 })},
	{Name: "function not defined, on both sides", plant: inSymbol(false, true, func(e []byte) { e[6], e[7] = 0, 0 })},
	{Name: "function without a name", plant: inSymbol(false, false, func(e []byte) { clear(e[:4]) })},
	{Name: "function without a name, on both sides", plant: inSymbol(false, true, func(e []byte) { clear(e[:4]) })},
	{Name: "function of size 0, on both sides", plant: inSymbol(false, true, func(e []byte) { clear(e[16:24]) })},
	{Name: "function of another section", plant: inSymbol(false, false, func(e []byte) { e[6]++ })},
	{Name: "function of another section, on both sides", plant: inSymbol(false, true, func(e []byte) { e[6]++ })},
	{Name: "st_other of a function", plant: inSymbol(false, false, func(e []byte) { e[5] ^= 0x10 })},
	{Name: "st_other of a function, on the Mercury side", plant: inSymbol(true, false, func(e []byte) { e[5] ^= 0x10 })},
	{Name: "place of a function, on both sides", plant: inSymbol(false, true, func(e []byte) { put64(e[8:], 16) })},
	{Name: "names of two functions exchanged", plant: names(false, false)},
	{Name: "names of two functions exchanged, Mercury side", plant: names(true, false)},
	{Name: "names of two functions exchanged, on both sides", plant: names(false, true)},
	{Name: "segment's place", plant: segment(func(p []byte) { put64(p[8:], 8) })},
	{Name: "segment's size in the file", plant: segment(func(p []byte) { put64(p[32:], -8) })},
	{Name: "segment's size in memory", plant: segment(func(p []byte) { put64(p[40:], 8) })},
	{Name: "segment's flags", plant: segment(func(p []byte) { p[4] ^= 2 })},
	{Name: "segment's kind", plant: segment(func(p []byte) { p[0] ^= 4 })},
	{Name: "no segments", plant: func(_ *capsule.Image, data []byte, _ *rand.Rand) bool { data[56], data[57] = 0, 0; return true }},
	{Name: "size of a section's header", plant: headerByte(58)},
	{Name: "size of the file's header", plant: headerByte(52)},
	{Name: "e_version", plant: headerByte(20)},
	{Name: "size of a parameter, on both sides", Class: Source, plant: bothInfo(cuda.AttrKparamInfo, 12, func(b []byte) { b[10] ^= 0x20 })},
	{Name: "first byte cut off", whole: func(data []byte) []byte { return data[1:] }},
	{Name: "a byte more in the middle", whole: func(data []byte) []byte {
		n := len(data) / 2
		return append(data[:n:n], append([]byte{0}, data[n:]...)...)
	}},
	{Name: "16 bytes less in the middle", whole: func(data []byte) []byte {
		n := len(data) / 2 &^ 15
		return append(data[:n:n], data[n+16:]...)
	}},
}
