// Package defects plants defects in files for sm_100 and up, to measure what the
// self-check finds: numbers in tables, records, instructions, sections.
package defects

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
)

// Class says what can be asked of a check.
type Class uint8

const (
	// Semantic defects make the two sides of a file disagree, or one of them
	// impossible. They are to be found.
	Semantic Class = iota
	// Unwritten defects are what no tool was seen to write. Nothing says that it is
	// wrong; a check must not call it right.
	Unwritten
	// Source defects make another file that is as right as the first: PLAIN
	// instructions are the source of the Mercury side, and their operands are
	// whatever the program is; the schedule is the finalizer's choice; some bytes
	// are there once for both sides. No check of the file alone finds them.
	Source
)

// String returns the class in a word.
func (c Class) String() string { return [...]string{"semantic", "unwritten", "source"}[c] }

// Kind is a kind of defect.
type Kind struct {
	Name  string
	Class Class
	// plant changes a copy of a file, or returns false where the file has no place
	// for it.
	plant func(m *capsule.Image, data []byte, rng *rand.Rand) bool
	lacks bool // a section that lacks
	// whole does so where the file gets longer or shorter.
	whole func(data []byte) []byte
}

// Plant returns a copy of a file with a defect at a random place; false where this
// try gave none.
func (k *Kind) Plant(m *capsule.Image, data []byte, rng *rand.Rand) ([]byte, bool) {
	if k.whole != nil {
		return k.whole(bytes.Clone(data)), true
	}
	bad := bytes.Clone(data)
	ok := len(m.Funcs) > 0 && k.plant(m, bad, rng) && !bytes.Equal(bad, data)
	return bad, ok
}

// Kinds returns all kinds: those of this list, and a wrong number in each field.
func Kinds() []Kind {
	all := slices.Concat(kinds, tools)
	for i := range Fields {
		f := &Fields[i]
		all = append(all, Kind{Name: f.Name, plant: func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
			sites := f.Sites(m)
			if len(sites) == 0 {
				return false
			}
			copy(data, sites[rng.IntN(len(sites))].Plant(m, data))
			return true
		}})
	}
	return append(all, edits...)
}

var kinds = []Kind{
	{Name: "family in a record's tag", Class: Unwritten, plant: inRecordOfOther(func(r []byte, rng *rand.Rand) { r[1] ^= 1 << rng.IntN(7) })},
	{Name: "member in a record's tag", Class: Unwritten, plant: inRecordOfOther(func(r []byte, rng *rand.Rand) { r[2] ^= 1 << rng.IntN(8) })},
	{Name: "format in a record's tag", Class: Unwritten, plant: inRecord(func(r []byte, rng *rand.Rand) { r[3] ^= 1 << rng.IntN(8) })},
	{Name: "size in a record's tag", plant: inRecord(func(r []byte, _ *rand.Rand) { r[0] ^= 3 })},
	{Name: "guard of a record that isn't one", plant: inRecord(func(r []byte, _ *rand.Rand) { r[4] = r[4]&7 | 29<<3 })},
	{Name: "guard of a record", plant: recordBits(35, 38)},
	{Name: "negation of a record's guard", plant: recordBits(32, 33)},
	{Name: "modifier of a record, to a known one", plant: recordBits(40, 80)},
	{Name: "operand of a record", plant: recordBits(86, 192)},
	{Name: "immediate of a record", plant: recordBits(192, 256)},
	{Name: "modifier of a record, to an unknown one", Class: Unwritten, plant: unknownBit(40, 80)},
	{Name: "operand of a record, to an unknown one", Class: Unwritten, plant: unknownBit(80, 256)},
	{Name: "destination over the limit, of a record and its word", plant: tooHigh(86, 0)},
	{Name: "source over the limit, of a record and its word", plant: tooHigh(102, 1)},
	{Name: "records of two nodes swapped", plant: swapRecords},
	{Name: "words of two records swapped", plant: swapWords(capsule.Full)},
	{Name: "words of two tag-only nodes swapped", plant: swapWords(capsule.TagOnly)},
	{Name: "opcode of a record's word", plant: inOne(capsule.Full, flip(0, 12))},
	{Name: "guard of a record's word", plant: inOne(capsule.Full, flip(12, 16))},
	{Name: "destination of a record's word", plant: decided(16, 24)},
	{Name: "source of a record's word", plant: decided(24, 32)},
	{Name: "immediate of a record's word", plant: decided(32, 64)},
	{Name: "modifier of a record's word", plant: decided(72, 105)},
	{Name: "word of a record: noise", plant: inOne(capsule.Full, noise)},
	{Name: "word of a PLAIN node: noise", Class: Unwritten, plant: inWord(capsule.Plain, noise)},
	{Name: "word of a tag-only node: noise", plant: inWord(capsule.TagOnly, noise)},
	{Name: "word of a SKIP: noise", plant: inWord(capsule.Skip, noise)},
	{Name: "word of a SKIP: another instruction", plant: inWord(capsule.Skip, func(w []byte, _ *capsule.Func, _ *rand.Rand) bool {
		copy(w, []byte{0x02, 0x78, 0, 0, 0, 0, 0, 0, 0, 0x0f, 0, 0, 0, 0xe2, 0x0f, 0}) // MOV R0, 0
		return true
	})},
	{Name: "opcode of a tag-only node's word", plant: inWord(capsule.TagOnly, flip(0, 12))},
	{Name: "tag of a tag-only node", Class: Unwritten, plant: func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		_, _, at, _, ok := node(m, rng, kind(capsule.TagOnly))
		if ok {
			data[at+1+uint64(rng.IntN(3))] ^= 1 << rng.IntN(6)
		}
		return ok
	}},
	{Name: "bit of a PLAIN word that no tool sets", Class: Unwritten, plant: inWord(capsule.Plain, caredBit)},
	{Name: "register of a PLAIN word", Class: Source, plant: inWord(capsule.Plain, anotherRegister)},
	{Name: "order of two PLAIN words", Class: Source, plant: swapWords(capsule.Plain)},
	{Name: "stall count of a word", Class: Source, plant: inWord(capsule.Plain, flip(105, 109))},
	{Name: "wait mask of a word", Class: Source, plant: inWord(capsule.Full, flip(116, 122))},
	{Name: "write scoreboard 6", plant: inWord(capsule.Plain, scoreboard(110))},
	{Name: "read scoreboard 6", plant: inWord(capsule.Full, scoreboard(113))},
	{Name: "bit 126 or 127 of a word", plant: inWord(capsule.Plain, flip(126, 128))},
	{Name: "register over the limit", plant: inWord(capsule.Plain, func(w []byte, fn *capsule.Func, _ *rand.Rand) bool {
		if op := binary.LittleEndian.Uint16(w) & 0xfff; op != 0x224 && op != 0x210 && op != 0x202 || freesRegisters(fn) {
			return false
		}
		w[2] = 0xfe
		return true
	})},
	{Name: "register of a tag-only node over the limit", plant: inWord(capsule.TagOnly, func(w []byte, fn *capsule.Func, _ *rand.Rand) bool {
		if op := binary.LittleEndian.Uint16(w) & 0xfff; op != 0x211 && op != 0x212 && op != 0x20c && op != 0x235 || freesRegisters(fn) {
			return false
		}
		w[3] = 0xfe
		return true
	})},
	{Name: "number of registers, on both sides", plant: fewerRegisters},
	{Name: "number of registers that can't be, on both sides", plant: impossibleRegisters},
	{Name: "offset of an EXIT, on both sides", plant: exitElsewhere},
	{Name: "number of a parameter, on both sides", plant: parameterNumber},
	{Name: "type of a function's symbol, on both sides", plant: bothSymbols(func(e []byte) { e[4] = e[4]&0xf0 | byte(cuda.STTObject) })},
	{Name: "name of a function without its first letter, on both sides", plant: bothSymbols(func(e []byte) { e[0]++ })},
	{Name: "symbol of a relocation beyond the table, on both sides", plant: bothRelocs(func(sass, merc []byte, symbols int) {
		le.PutUint32(sass[12:], uint32(symbols))
		le.PutUint32(merc[12:], uint32(symbols))
	})},
	{Name: "byte of an instruction that a Mercury relocation is for", plant: bothRelocs(func(_, merc []byte, _ int) { merc[0]++ })},
	{Name: "version of a CIE, on both sides", Class: Unwritten, plant: bothFrames(20)},
	{Name: "return register of a CIE, on both sides", Class: Unwritten, plant: bothFrames(28)},
	{Name: "augmentation of a CIE, on both sides", plant: bothFrames(21)},
	{Name: "letter of a section's name", plant: sectionName},
	{Name: "e_machine", plant: headerByte(18)},
	{Name: "e_shnum", plant: headerByte(60)},
	{Name: "e_shstrndx", plant: headerByte(62)},
	{Name: "EXIT made a NOP", plant: inWord(capsule.Plain, exitToNOP)},
	{Name: "target of a branch: inside an instruction", plant: branch(func(w []byte) { w[2] ^= 2 })},
	{Name: "target of a branch: out of the function", plant: branch(func(w []byte) { w[6] ^= 0x40 })},
	{Name: "target of a branch: inside a node of several words", plant: intoWide},
	{Name: "target of a branch: another instruction", Class: Source, plant: branch(func(w []byte) { w[2] ^= 4 })},
	{Name: "bit of the bitmap", plant: func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn := &m.Funcs[rng.IntN(len(m.Funcs))]
		k, at := rng.IntN(len(fn.Cap.Nodes)), uint64(12)
		if fn.Cap.Version == capsule.Version0 {
			at = 8
		}
		data[m.Sections[fn.Capsule].Off+at+uint64(k/8)] ^= 1 << (k % 8)
		return true
	}},
	{Name: "span of a SKIP", plant: func(m *capsule.Image, data []byte, rng *rand.Rand) bool {
		fn := &m.Funcs[rng.IntN(len(m.Funcs))]
		if last := len(fn.Cap.Nodes) - 1; last < 0 || fn.Cap.Nodes[last].Kind != capsule.Skip {
			return false
		}
		s := &m.Sections[fn.Capsule]
		at := s.Off + uint64(len(s.Content)) - 2 // the last node has no record after it
		span := binary.LittleEndian.Uint16(data[at:])
		binary.LittleEndian.PutUint16(data[at:], span+1<<7)
		return true
	}},
	{Name: "relocation of a return address removed", plant: withoutReloc(cuda.R_MERCURY_PROG_REL32)},
	{Name: "relocation of an address removed", plant: withoutReloc(cuda.R_MERCURY_ABS32_LO)},
	{Name: "two relocations swapped", plant: swapRelocs},
	{Name: "byte behind everything", whole: func(data []byte) []byte { return append(data, 0) }},
	{Name: "the file's last 100 bytes cut off", whole: func(data []byte) []byte { return data[:max(0, len(data)-100)] }},
	{Name: "byte between sections", plant: between},
	{Name: "byte of constant bank 0", plant: inSection(".nv.constant0.", nil)},
	{Name: "character of a function's name", plant: functionName},
	{Name: "owner of a note", plant: inSection(".note.nv.", func(s []byte, rng *rand.Rand) bool { s[12+rng.IntN(6)] ^= 4; return len(s) > 24 })},
	{Name: "type of a note", plant: inSection(".note.nv.", func(s []byte, _ *rand.Rand) bool { s[8] ^= 1; return true })},
	{Name: "version of .note.nv.cuinfo", plant: inSection(".note.nv.cuinfo", func(s []byte, _ *rand.Rand) bool { s[24]++; return true })},
	{Name: "target of .note.nv.cuinfo", plant: inSection(".note.nv.cuinfo", func(s []byte, _ *rand.Rand) bool { s[26] |= 0x80; return true })},
	{Name: "place of a string in .note.nv.tkinfo", plant: inSection(".note.nv.tkinfo", func(s []byte, rng *rand.Rand) bool { s[24+4*(1+rng.IntN(4))]++; return true })},
	{Name: "target in .note.nv.tkinfo", plant: inSection(".note.nv.tkinfo", func(s []byte, _ *rand.Rand) bool {
		at := bytes.Index(s, []byte("sm_1")) // of the tool that wrote the file
		if at < 0 {
			return false
		}
		s[at+5] = '0' + (s[at+5]-'0'+5)%10
		return true
	})},
	{Name: "letter in .note.nv.tkinfo", Class: Source, plant: inSection(".note.nv.tkinfo", func(s []byte, _ *rand.Rand) bool {
		at := bytes.Index(s, []byte("release"))
		if at < 0 {
			return false
		}
		s[at] = 'R'
		return true
	})},
	{Name: "Mercury ISA in .nv.compat", plant: compatISA},
	{Name: "entry of the call graph", plant: inSection(".nv.callgraph", func(s []byte, rng *rand.Rand) bool {
		s[4*rng.IntN(len(s)/4)+1] ^= 0x7f
		return len(s) >= 8
	})},
	{Name: "character of .debug_str", Class: Source, plant: inSection(".debug_str", nil)},
	{Name: "character of .nv_debug_ptx_txt", Class: Source, plant: inSection(".nv_debug_ptx_txt", nil)},
	{Name: "EI_OSABI", plant: headerByte(7)},
	{Name: "EI_ABIVERSION", plant: headerByte(8)},
	{Name: "e_type", plant: headerByte(17)},
	{Name: "e_entry", plant: headerByte(26)},
	{Name: "kind in e_flags", plant: headerByte(48)},
	{Name: "index of the note in e_flags", plant: headerByte(51)},
	{Name: ".nv.info.F lacks", lacks: true, plant: without(".nv.info.")},
	{Name: ".nv.merc.nv.info.F lacks", lacks: true, plant: without(".nv.merc.nv.info.")},
	{Name: ".nv.info lacks", lacks: true, plant: without(".nv.info")},
	{Name: ".rela.text.F lacks", lacks: true, plant: without(".rela.text.")},
	{Name: ".nv.merc.rela.text.F lacks", lacks: true, plant: without(".nv.merc.rela.text.")},
	{Name: ".debug_frame lacks", lacks: true, plant: without(".debug_frame")},
	{Name: ".nv.merc.debug_frame lacks", lacks: true, plant: without(".nv.merc.debug_frame")},
	{Name: ".debug_line lacks", lacks: true, plant: without(".debug_line")},
	{Name: ".nv.compat lacks", lacks: true, plant: without(".nv.compat")},
	{Name: ".note.nv.tkinfo lacks", lacks: true, plant: without(".note.nv.tkinfo")},
	{Name: ".note.nv.cuinfo lacks", lacks: true, plant: without(".note.nv.cuinfo")},
	{Name: ".nv.capmerc.text.F lacks", lacks: true, plant: without(".nv.capmerc.text.")},
	{Name: ".nv.callgraph lacks", lacks: true, plant: without(".nv.callgraph")},
	{Name: ".nv.constant0.F lacks", lacks: true, plant: without(".nv.constant0.")},
	{Name: "parameter on another, on both sides", plant: bothInfo(cuda.AttrKparamInfo, 12, func(b []byte) { b[6], b[7] = 0, 0 })},
	{Name: "EXIT twice, on both sides", plant: bothInfo(cuda.AttrExitInstrOffsets, 8, func(b []byte) { copy(b[4:8], b[:4]) })},
	{Name: "MAXREG_COUNT of more than there are, on both sides", plant: bothInfo(cuda.AttrMaxregCount, 0, func(b []byte) { b[1] = 1 })},
	{Name: "owner of a frame's size, on both sides", plant: bothOwners(cuda.AttrFrameSize)},
	{Name: "owner of a number of registers, on both sides", plant: bothOwners(cuda.AttrRegcount)},
	{Name: "relocation twice, on both sides", plant: relocTwice},
	{Name: "variable beyond its section, on both sides", plant: variableBeyond},
}
