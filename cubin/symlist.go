package cubin

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cuda"
)

// What is unusual about st_shndx: nvlink 13.0 escapes numbers above 0xff00,
// not from 0xff00 on, and where it writes .symtab_shndx it fills the words of
// symbols that need none with numbers of an earlier stage of the link. So a
// Sym has both, as they stand.
//
// Source: nvlink 13.0.88, a link of 98,333 sections.

// Sym is an entry of a symbol table of an Editor.
type Sym struct {
	Symbol        // NameOff counts only while it names Name
	Name   string // "" for none
	Word   uint32 // in .symtab_shndx, 0 where there is no such table
}

// Section returns the number of the symbol's section, or false where it has
// none: undefined, absolute or common.
func (s *Sym) Section() (uint32, bool) {
	if s.Shndx == xindex {
		return s.Word, s.Word != 0
	}
	return uint32(s.Shndx), s.Shndx != 0 && s.Shndx < cuda.SHNLoReserve
}

// SetSection gives the symbol a section, by an escape where the number needs
// one or the symbol had one.
func (s *Sym) SetSection(n uint32) {
	if s.Shndx == xindex || n >= cuda.SHNLoReserve {
		s.Shndx, s.Word = xindex, n
		return
	}
	s.Shndx = uint16(n)
}

// IsSymbols reports whether sections of a type hold symbols.
func IsSymbols(t cuda.SectionType) bool { return t == cuda.SHTSymtab || t == cuda.SHTMercSymtab }

// Symtab returns the number of .symtab, 0 where there is none.
func (d *Editor) Symtab() int { return d.firstOf(cuda.SHTSymtab) }

// MercSymtab returns the number of .nv.merc.symtab, 0 where there is none.
func (d *Editor) MercSymtab() int { return d.firstOf(cuda.SHTMercSymtab) }

func (d *Editor) firstOf(t cuda.SectionType) int {
	for i := 1; i < len(d.parts); i++ {
		if d.parts[i].Type == t {
			return i
		}
	}
	return 0
}

// shndxOf returns the section with the escaped numbers of a symbol table.
func (d *Editor) shndxOf(tab int) int {
	for i := 1; i < len(d.parts); i++ {
		if p := &d.parts[i]; p.Type == cuda.SHTSymtabShndx && p.Link == uint32(tab) {
			return i
		}
	}
	return 0
}

// symbols returns the table's section, checked.
func (d *Editor) symbols(tab int) (*Part, error) {
	p, err := d.part(tab)
	if err != nil {
		return nil, err
	}
	data := d.Data(tab)
	if !IsSymbols(p.Type) || p.EntSize != SymbolSize || len(data)%SymbolSize != 0 {
		return nil, d.src.fault(BadTable, d.SectionName(tab), 0, uint64(len(data)), "not a table of 24-byte symbols")
	}
	return p, nil
}

// Symbols returns the entries of symbol table tab, the null symbol first.
func (d *Editor) Symbols(tab int) ([]Sym, error) {
	p, err := d.symbols(tab)
	if err != nil {
		return nil, err
	}
	data, words := d.Data(tab), d.Data(d.shndxOf(tab))
	list := make([]Sym, len(data)/SymbolSize)
	for k := range list {
		b, _ := record(data, k, SymbolSize)
		s := &list[k]
		s.Symbol = decodeSymbol((*[SymbolSize]byte)(b))
		if w, ok := record(words, k, 4); ok {
			s.Word = binary.LittleEndian.Uint32(w)
		}
		var ok bool
		if s.Name, ok = d.String(int(p.Link), uint64(s.NameOff)); !ok {
			return nil, d.src.fault(BadName, d.SectionName(tab), uint64(k)*SymbolSize, uint64(s.NameOff), "symbol %d: name outside the string table", k)
		}
	}
	return list, nil
}

// SetSymbols replaces the entries of a symbol table. It renumbers nothing:
// InsertSymbol and Drop do.
func (d *Editor) SetSymbols(tab int, list []Sym) error {
	p, err := d.symbols(tab)
	if err != nil {
		return err
	}
	shndx := d.shndxOf(tab)
	data := make([]byte, len(list)*SymbolSize)
	words := make([]byte, len(list)*4)
	for k := range list {
		s := list[k]
		if name, ok := d.String(int(p.Link), uint64(s.NameOff)); !ok || name != s.Name {
			if s.NameOff, err = d.Intern(int(p.Link), s.Name); err != nil {
				return err
			}
		}
		if s.Shndx == xindex && shndx == 0 {
			return d.src.fault(BadIndex, d.SectionName(tab), uint64(k)*SymbolSize, uint64(s.Word), "symbol %d needs a .symtab_shndx, and there is none", k)
		}
		s.Put((*[SymbolSize]byte)(data[k*SymbolSize:]))
		binary.LittleEndian.PutUint32(words[k*4:], s.Word)
	}
	if shndx != 0 {
		if err := d.SetData(shndx, words); err != nil {
			return err
		}
	}
	return d.SetData(tab, data)
}
