package capsule

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Symbol is an entry of .symtab or .nv.merc.symtab with its name and the
// section it names: st_shndx or, where that is the escape SHN_XINDEX, the word
// of the table's .symtab_shndx.
type Symbol struct {
	cubin.Symbol
	Name    string
	Section uint32
}

// Defined reports whether the symbol is in a section.
func (s *Symbol) Defined() bool {
	return s.Section != cuda.SHNUndef && (s.Symbol.Shndx < cuda.SHNLoReserve || s.Symbol.Shndx == cuda.SHNXindex)
}

// Symbols is a decoded symbol table.
type Symbols struct {
	Index  int // of its section, 0 where there is none
	List   []Symbol
	Locals int // sh_info: the first symbol that is not LOCAL
}

// At returns symbol i, nil where there is none.
func (t *Symbols) At(i uint32) *Symbol {
	if uint64(i) >= uint64(len(t.List)) {
		return nil
	}
	return &t.List[i]
}

// decodeSymbol decodes one entry: u32 name, u8 info, u8 other, u16 shndx, u64
// value, u64 size.
func decodeSymbol(b *[cubin.SymbolSize]byte) cubin.Symbol {
	le := binary.LittleEndian
	return cubin.Symbol{
		NameOff: le.Uint32(b[0:]), Info: b[4], Other: b[5], Shndx: le.Uint16(b[6:]),
		Value: le.Uint64(b[8:]), Size: le.Uint64(b[16:]),
	}
}

// readSymbols decodes the table in section i.
func (m *Image) readSymbols(i int) (Symbols, *Fault) {
	s := &m.Sections[i]
	t := Symbols{Index: i, Locals: int(s.Info)}
	data := s.Content
	if s.EntSize != cubin.SymbolSize || len(data)%cubin.SymbolSize != 0 {
		return t, &Fault{cubin.BadTable, 0, uint64(len(data)), "not a table of 24-byte symbols"}
	}
	if s.Link == 0 || int64(s.Link) >= int64(len(m.Sections)) {
		return t, &Fault{cubin.BadIndex, 0, uint64(s.Link), "sh_link is not a string table"}
	}
	names := m.Sections[s.Link].Content
	var wide []byte
	for k := range m.Sections {
		if x := &m.Sections[k]; x.Type == cuda.SHTSymtabShndx && int(x.Link) == i {
			wide = x.Content
		}
	}
	t.List = make([]Symbol, len(data)/cubin.SymbolSize)
	for k := range t.List {
		b, _ := cubin.Window(data, uint64(k)*cubin.SymbolSize, cubin.SymbolSize)
		sym := &t.List[k]
		sym.Symbol = decodeSymbol((*[cubin.SymbolSize]byte)(b))
		var ok bool
		if sym.Name, ok = nameAt(names, sym.NameOff); !ok {
			return t, &Fault{cubin.BadName, uint64(k) * cubin.SymbolSize, uint64(sym.NameOff), "a symbol's name is outside the string table"}
		}
		if sym.Section = uint32(sym.Shndx); sym.Shndx == cuda.SHNXindex {
			w, ok := cubin.Window(wide, 4*uint64(k), 4)
			if !ok {
				return t, &Fault{cubin.BadIndex, uint64(k) * cubin.SymbolSize, uint64(sym.Shndx), "a symbol's section is in a missing table"}
			}
			sym.Section = binary.LittleEndian.Uint32(w)
		}
		if sym.Defined() && int64(sym.Section) >= int64(len(m.Sections)) {
			return t, &Fault{cubin.BadIndex, uint64(k) * cubin.SymbolSize, uint64(sym.Section), "a symbol's section index is not a section"}
		}
	}
	return t, nil
}

// nameAt returns the string at off of a string table.
func nameAt(table []byte, off uint32) (string, bool) {
	tail, ok := cubin.Window(table, uint64(off), uint64(len(table))-min(uint64(off), uint64(len(table))))
	if !ok || len(tail) == 0 {
		return "", false
	}
	for i, c := range tail {
		if c == 0 {
			return string(tail[:i]), true
		}
	}
	return "", false
}
