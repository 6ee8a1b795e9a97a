package cubin

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cuda"
)

// Symbol is a symbol table entry with every field as it is in the file.
type Symbol struct {
	NameOff uint32
	Info    uint8
	Other   uint8
	Shndx   uint16
	Value   uint64
	Size    uint64
}

// Type returns the low nibble of st_info.
func (s *Symbol) Type() cuda.SymbolType { return cuda.SymbolType(s.Info & 0xf) }

// Binding returns the high nibble of st_info.
func (s *Symbol) Binding() cuda.Binding { return cuda.Binding(s.Info >> 4) }

func decodeSymbol(b *[SymbolSize]byte) Symbol {
	le := binary.LittleEndian
	return Symbol{
		NameOff: le.Uint32(b[0:]),
		Info:    b[4],
		Other:   b[5],
		Shndx:   le.Uint16(b[6:]),
		Value:   le.Uint64(b[8:]),
		Size:    le.Uint64(b[16:]),
	}
}

// Put writes the symbol to b.
func (s *Symbol) Put(b *[SymbolSize]byte) {
	le := binary.LittleEndian
	le.PutUint32(b[0:], s.NameOff)
	b[4], b[5] = s.Info, s.Other
	le.PutUint16(b[6:], s.Shndx)
	le.PutUint64(b[8:], s.Value)
	le.PutUint64(b[16:], s.Size)
}

// Symtab is a symbol table of a file.
type Symtab struct {
	file   *File
	table  []byte
	shndx  []byte // .symtab_shndx, nil where there is none
	names  []byte
	index  int // section index of the table
	locals int // sh_info: index of the first symbol that is not LOCAL
}

// Len returns the number of entries, the null symbol included.
func (t *Symtab) Len() int { return len(t.table) / SymbolSize }

// Locals returns sh_info of the table.
func (t *Symtab) Locals() int { return t.locals }

// At returns entry i, or false past the table's end.
func (t *Symtab) At(i int) (Symbol, bool) {
	b, ok := record(t.table, i, SymbolSize)
	if !ok {
		return Symbol{}, false
	}
	return decodeSymbol((*[SymbolSize]byte)(b)), true
}

// Append appends all entries to list.
func (t *Symtab) Append(list []Symbol) []Symbol {
	for b := t.table; len(b) >= SymbolSize; b = b[SymbolSize:] {
		list = append(list, decodeSymbol((*[SymbolSize]byte)(b)))
	}
	return list
}

// Name returns the symbol's name; Open has checked that it ends inside the
// string table.
func (t *Symtab) Name(s *Symbol) string {
	name, _ := cString(t.names, uint64(s.NameOff))
	return name
}

// Shndx returns the section index of entry i, st_shndx or, where that is the
// escape SHN_XINDEX, the word of .symtab_shndx.
func (t *Symtab) Shndx(i int, s *Symbol) uint32 {
	if s.Shndx != cuda.SHNXindex {
		return uint32(s.Shndx)
	}
	b, ok := record(t.shndx, i, 4)
	if !ok {
		return cuda.SHNXindex
	}
	return binary.LittleEndian.Uint32(b)
}

// String returns the string at an offset of the table's string table.
func (t *Symtab) String(off uint64) (string, bool) { return cString(t.names, off) }
