package main

import (
	"encoding/binary"
	"strings"

	"github.com/twinlink/twinlink/internal/splitmix"
)

// file is an output that defects are planted into: its bytes, and where its tables
// are. It reads no more of the format than the planting needs.
type file struct {
	bytes    []byte
	shoff    uint64
	sections []header
	symtabs  []int // sections that are tables of symbols
	r        *splitmix.Random

	several     map[string]bool // weak functions that several inputs define
	relocatable bool
}

// header is one section header.
type header struct {
	at                 uint64 // of the header
	name               string
	nameAt             uint64 // in the file
	kind               uint32
	flags, off, size   uint64
	link, info         uint32
	align, entry, addr uint64
}

const (
	kindSymtab     = 2
	kindRela       = 4
	kindRel        = 9
	kindInfo       = 0x70000000
	kindCallgraph  = 0x70000001
	kindPrototype  = 0x70000002
	kindMercInfo   = 0x70000083
	kindMercSymtab = 0x70000085
	kindMercRela   = 0x70000082
	kindCapsule    = 0x70000016
	sizeOfSymbol   = 24
)

func (f *file) get(at uint64, width int) uint64 {
	var b [8]byte
	if at+uint64(width) <= uint64(len(f.bytes)) {
		copy(b[:], f.bytes[at:at+uint64(width)])
	}
	return binary.LittleEndian.Uint64(b[:])
}

func (f *file) put(at uint64, width int, n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	if at+uint64(width) <= uint64(len(f.bytes)) {
		copy(f.bytes[at:], b[:width])
	}
}

// wildSize is longer than any section of a bed.
const wildSize = 1 << 26

// open reads the tables of an output.
func open(data []byte, r *splitmix.Random) *file {
	f := &file{bytes: append([]byte(nil), data...), r: r}
	f.shoff = f.get(40, 8)
	n, names := f.get(60, 2), f.get(62, 2)
	nameTable := f.get(f.shoff+64*names+24, 8)
	for i := range n {
		at := f.shoff + 64*i
		h := header{at: at, nameAt: nameTable + f.get(at, 4), kind: uint32(f.get(at+4, 4)), flags: f.get(at+8, 8), addr: f.get(at+16, 8), off: f.get(at+24, 8), size: f.get(at+32, 8),
			link: uint32(f.get(at+40, 4)), info: uint32(f.get(at+44, 4)), align: f.get(at+48, 8), entry: f.get(at+56, 8)}
		h.name = f.text(h.nameAt)
		if h.size > wildSize { // a number that was planted
			h.size = uint64(len(f.bytes))
		}
		f.sections = append(f.sections, h)
		if h.kind == kindSymtab || h.kind == kindMercSymtab {
			f.symtabs = append(f.symtabs, int(i))
		}
	}
	return f
}

func (f *file) text(at uint64) string {
	if at >= uint64(len(f.bytes)) {
		return ""
	}
	s, _, _ := strings.Cut(string(f.bytes[at:min(at+4096, uint64(len(f.bytes)))]), "\x00")
	return s
}

// swap makes each of two sections are where the other lay, and returns their names.
func (f *file) swap(a, b *header) string {
	for _, field := range []uint64{24, 32} {
		x, y := f.get(a.at+field, 8), f.get(b.at+field, 8)
		f.put(a.at+field, 8, y)
		f.put(b.at+field, 8, x)
	}
	return a.name + "|" + b.name
}

// pickSection draws a section that a test accepts; nil: there is none.
func (f *file) pickSection(ok func(h *header) bool) *header {
	var list []*header
	for i := range f.sections {
		if h := &f.sections[i]; i > 0 && ok(h) {
			list = append(list, h)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[f.r.Below(len(list))]
}

func (h *header) code() bool {
	return h.kind == 1 && h.flags&4 != 0 && strings.HasPrefix(h.name, ".text.")
}

// entries are the offsets in the file of a table's entries.
func (f *file) entries(h *header, width uint64) []uint64 {
	var list []uint64
	for at := uint64(0); at+width <= h.size; at += width {
		list = append(list, h.off+at)
	}
	return list
}

// symbol is one entry of a table of symbols.
type symbol struct {
	at          uint64
	index       int
	table       *header
	name        string
	kind, bind  byte
	other       byte
	shndx       uint16
	value, size uint64
}

// symbols reads a table of symbols.
func (f *file) symbols(table *header) []symbol {
	var list []symbol
	if int(table.link) >= len(f.sections) {
		return nil
	}
	for i, at := range f.entries(table, sizeOfSymbol) {
		info := byte(f.get(at+4, 1))
		list = append(list, symbol{at: at, index: i, table: table, name: f.text(f.sections[table.link].off + f.get(at, 4)), kind: info % 16, bind: info / 16, other: byte(f.get(at+5, 1)),
			shndx: uint16(f.get(at+6, 2)), value: f.get(at+8, 8), size: f.get(at+16, 8)})
	}
	return list
}

// pickSymbol draws a symbol of the first table, or of the second.
func (f *file) pickSymbol(table int, ok func(s *symbol) bool) *symbol {
	if table >= len(f.symtabs) {
		return nil
	}
	all := f.symbols(&f.sections[f.symtabs[table]])
	var list []*symbol
	for i := range all {
		if i > 0 && ok(&all[i]) {
			list = append(list, &all[i])
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[f.r.Below(len(list))]
}

// word is the place of one instruction of 16 bytes.
type word struct {
	at   uint64 // in the file
	code *header
}

func (f *file) low(at uint64) uint64  { return f.get(at, 8) }
func (f *file) high(at uint64) uint64 { return f.get(at+8, 8) }
func (f *file) op(at uint64) uint64   { return f.low(at) % 4096 }

// pickWord draws an instruction that a test accepts.
func (f *file) pickWord(ok func(at uint64) bool) *word {
	h := f.pickSection(func(h *header) bool { return h.code() && h.size >= 32 })
	if h == nil {
		return nil
	}
	var list []uint64
	for _, at := range f.entries(h, 16) {
		if f.op(at) != opNop && ok(at) {
			list = append(list, at)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &word{list[f.r.Below(len(list))], h}
}
