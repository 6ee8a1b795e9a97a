package model

import (
	"bytes"
	"encoding/binary"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/dwarf"
)

// Bytes is content without structure here.
type Bytes []byte

func (Bytes) Form() string             { return "bytes" }
func (d Bytes) Append(b []byte) []byte { return append(b, d...) }

// Strings is a string table: strings in order, each with its NUL but for a
// last one that lacks it.
type Strings struct {
	List []string
	Open bool // the last string has no end
}

func (*Strings) Form() string { return "strings" }

func decodeStrings(data []byte) *Strings {
	t := &Strings{}
	for len(data) > 0 {
		s, rest, ended := bytes.Cut(data, []byte{0})
		t.List = append(t.List, string(s))
		t.Open, data = !ended, rest
	}
	return t
}

func (t *Strings) Append(b []byte) []byte {
	for i, s := range t.List {
		b = append(b, s...)
		if i < len(t.List)-1 || !t.Open {
			b = append(b, 0)
		}
	}
	return b
}

// Symbol is an entry of a symbol table.
type Symbol struct {
	cubin.Symbol
	Name string
}

// Symbols is .symtab or .nv.merc.symtab.
type Symbols struct{ List []Symbol }

func (*Symbols) Form() string { return "symbols" }

func (t *Symbols) Append(b []byte) []byte {
	for i := range t.List {
		var e [cubin.SymbolSize]byte
		t.List[i].Put(&e)
		b = append(b, e[:]...)
	}
	return b
}

// Words is a table of 32-bit numbers: .symtab_shndx.
type Words struct {
	List []uint32
	Rest []byte // fewer than four bytes at the end
}

func (*Words) Form() string { return "words" }

func decodeWords(data []byte) *Words {
	w := &Words{List: make([]uint32, len(data)/4)}
	for i := range w.List {
		w.List[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	w.Rest = data[4*len(w.List):]
	return w
}

func (w *Words) Append(b []byte) []byte {
	for _, v := range w.List {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return append(b, w.Rest...)
}

// Relocs is a relocation section of either side.
type Relocs struct {
	List []cubin.Reloc
	REL  bool // records without addend
}

func (*Relocs) Form() string { return "relocations" }

func (t *Relocs) Append(b []byte) []byte {
	for i := range t.List {
		if t.REL {
			var e [cubin.RelSize]byte
			t.List[i].PutRel(&e)
			b = append(b, e[:]...)
			continue
		}
		var e [cubin.RelaSize]byte
		t.List[i].PutRela(&e)
		b = append(b, e[:]...)
	}
	return b
}

// Attributes is .nv.info, .nv.info.F or a Mercury clone of these, or .nv.compat.
type Attributes struct{ List []cubin.InfoRecord }

func (*Attributes) Form() string { return "attributes" }

func (t *Attributes) Append(b []byte) []byte {
	for i := range t.List {
		b = t.List[i].Append(b)
	}
	return b
}

// Callgraph is .nv.callgraph.
type Callgraph struct{ Groups []cubin.CallGroup }

func (*Callgraph) Form() string { return "call graph" }

func (t *Callgraph) Append(b []byte) []byte {
	for i := range t.Groups {
		b = cubin.Pair{Y: t.Groups[i].Kind}.Append(b)
		for _, p := range t.Groups[i].Pairs {
			b = p.Append(b)
		}
	}
	return b
}

// Pairs is .nv.prototype.
type Pairs struct{ List []cubin.Pair }

func (*Pairs) Form() string { return "pairs" }

func (t *Pairs) Append(b []byte) []byte {
	for _, p := range t.List {
		b = p.Append(b)
	}
	return b
}

// Capsule is .nv.capmerc.text.F.
type Capsule struct{ *capsule.Capsule }

func (*Capsule) Form() string { return "capsule" }

// Lines is .debug_line or .nv_debug_line_sass.
type Lines struct{ Units []dwarf.LineUnit }

func (*Lines) Form() string             { return "lines" }
func (t *Lines) Append(b []byte) []byte { return dwarf.AppendLines(b, t.Units) }

// Frames is .debug_frame.
type Frames struct{ List []dwarf.Frame }

func (*Frames) Form() string             { return "frames" }
func (t *Frames) Append(b []byte) []byte { return dwarf.AppendFrames(b, t.List) }

// Registers is .nv_debug_info_reg_sass.
type Registers struct{ List []dwarf.RegisterBlock }

func (*Registers) Form() string             { return "registers" }
func (t *Registers) Append(b []byte) []byte { return dwarf.AppendRegisters(b, t.List) }

// Code is the instructions of a text.
type Code struct {
	Words [][2]uint64 // low and high half
	Rest  []byte      // fewer than 16 bytes at the end
}

func (*Code) Form() string { return "code" }

func decodeCode(data []byte) *Code {
	c := &Code{Words: make([][2]uint64, len(data)/capsule.WordSize)}
	for i := range c.Words {
		b := data[i*capsule.WordSize:]
		c.Words[i] = [2]uint64{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
	}
	c.Rest = data[len(c.Words)*capsule.WordSize:]
	return c
}

func (c *Code) Append(b []byte) []byte {
	for _, w := range c.Words {
		b = binary.LittleEndian.AppendUint64(b, w[0])
		b = binary.LittleEndian.AppendUint64(b, w[1])
	}
	return append(b, c.Rest...)
}
