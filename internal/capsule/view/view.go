// Package view lays an object's capsules out for reading: node by node, with the
// SASS words each stands for, their disassembly where there is one, and the
// relocations and attributes that name it on both sides.
package view

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// File is an object with capsules.
type File struct {
	File      string      `json:"file"`
	SM        int         `json:"sm"`
	Compat    []Attribute `json:"compat"`
	Functions []Function  `json:"functions"`
}

// Attribute is a record of .nv.compat, or of both .nv.info streams of a function.
type Attribute struct {
	Name    string   `json:"name"`
	Number  int      `json:"number"`
	Value   string   `json:"value"`             // number, or payload in hexadecimal
	Mercury []uint32 `json:"mercury,omitempty"` // offsets that its Mercury counterpart has instead
	SASS    []uint32 `json:"sass,omitempty"`    // offsets of instructions in the payload
	Side    string   `json:"side,omitempty"`    // "mercury" or "sass" where only one side has it
}

// Function is a function and its capsule.
type Function struct {
	Name       string      `json:"name"`
	Text       int         `json:"text"`    // section number of the SASS
	Capsule    int         `json:"capsule"` // and of the capsule
	Symbol     uint32      `json:"symbol"`
	SASSSize   uint32      `json:"sassSize"`
	MercSize   uint32      `json:"mercurySize"`
	Unsized    []uint32    `json:"unsized,omitempty"` // SASS offsets of PLAIN nodes of unknown size
	Nodes      []Node      `json:"nodes"`
	Attributes []Attribute `json:"attributes"`
}

// Node is a node of a capsule.
type Node struct {
	SASS    uint32   `json:"sass"`
	Mercury uint32   `json:"mercury"`
	Kind    string   `json:"kind"` // plain, tag-only node, stored, skip
	Span    int      `json:"span"`
	Tag     string   `json:"tag,omitempty"`
	Record  string   `json:"record,omitempty"`
	Words   []string `json:"words"`          // upper and lower half, with a point between
	Text    []string `json:"text,omitempty"` // of each word
	Relocs  []Reloc  `json:"relocations,omitempty"`
}

// Reloc is a relocation of either side.
type Reloc struct {
	Type   string `json:"type"`
	Byte   uint32 `json:"byte"` // in the instruction
	Symbol string `json:"symbol"`
	Addend int64  `json:"addend"`
}

// Words says what a disassembler makes of the instruction at an offset of a
// section, "" for nothing.
type Words func(section int, off uint32) string

// Of lays a file out. What can't be decoded is omitted and in the error, a
// *cubin.Error; the rest is there all the same.
func Of(m *capsule.Image, text Words) (*File, error) {
	f := &File{File: m.File.Name, SM: int(m.File.Header.SM()), Compat: []Attribute{}, Functions: []Function{}}
	var err error
	if len(m.Faults) > 0 {
		err = m.Faults[0]
	}
	for i := range m.Sections {
		if m.Sections[i].Type == cuda.SHTCudaCompat {
			r := m.File.Info(&m.Sections[i].Section)
			for rec, ok := r.Next(); ok; rec, ok = r.Next() {
				f.Compat = append(f.Compat, Attribute{Name: cuda.CompatAttr(rec.Attr).String(), Number: int(rec.Attr), Value: value(&rec)})
			}
		}
	}
	for i := range m.Funcs {
		if m.Funcs[i].Cap == nil {
			continue
		}
		fn, e := function(m, &m.Funcs[i], text)
		if err == nil {
			err = e
		}
		f.Functions = append(f.Functions, fn)
	}
	return f, err
}

func value(r *cubin.InfoRecord) string {
	if r.Format == cuda.FormatSized {
		return hex.EncodeToString(r.Data)
	}
	return fmt.Sprintf("0x%x", r.Value)
}

func function(m *capsule.Image, fn *capsule.Func, text Words) (Function, error) {
	c := fn.Cap
	f := Function{Name: fn.Name, Text: fn.Text, Capsule: fn.Capsule, Symbol: fn.Symbol, SASSSize: c.SASSSize(), MercSize: c.MercSize,
		Unsized: fn.Unsized, Nodes: make([]Node, len(c.Nodes))}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		out := &f.Nodes[i]
		*out = Node{SASS: n.SASS, Mercury: n.Merc, Kind: n.Kind.String(), Span: int(n.Span), Words: make([]string, n.Span)}
		if r := c.Record(n); r != nil {
			out.Tag, out.Record = hex.EncodeToString(r[:4]), hex.EncodeToString(r)
		}
		for k := range out.Words {
			at := n.SASS + uint32(k)*capsule.WordSize
			lo, hi := binary.LittleEndian.Uint64(fn.Code[at:]), binary.LittleEndian.Uint64(fn.Code[at+8:])
			out.Words[k] = fmt.Sprintf("%016x.%016x", hi, lo)
			if t := text(fn.Text, at); t != "" {
				if out.Text == nil {
					out.Text = make([]string, n.Span)
				}
				out.Text[k] = t
			}
		}
	}
	err := relocs(m, fn, &f)
	if e := attributes(m, fn, &f); err == nil {
		err = e
	}
	return f, err
}

// relocs hangs the relocations of both sides on the nodes they name.
func relocs(m *capsule.Image, fn *capsule.Func, f *Function) error {
	for _, side := range [...]struct {
		section int
		at      func(uint32) int
		start   func(int) uint32
	}{
		{fn.MercRela, fn.Cap.AtMerc, func(k int) uint32 { return fn.Cap.Nodes[k].Merc }},
		{fn.Rela, fn.Cap.AtSASS, func(k int) uint32 { return fn.Cap.Nodes[k].SASS }},
	} {
		if side.section == 0 {
			continue
		}
		t, err := m.File.Relocs(&m.Sections[side.section].Section)
		if err != nil {
			return err
		}
		for i := range t.Len() {
			r := t.At(i)
			k := -1
			if r.Off < 1<<32 {
				k = side.at(uint32(r.Off))
			}
			if k < 0 {
				return &cubin.Error{Kind: cubin.BadRelocation, File: m.File.Name, Section: m.Sections[side.section].Name,
					Offset: uint64(i) * cubin.RelaSize, Value: r.Off, Detail: "r_offset is outside the function"}
			}
			out := Reloc{Type: fmt.Sprintf("0x%x", r.Type), Byte: uint32(r.Off) - side.start(k), Addend: r.Addend}
			if info, ok := cuda.LookupReloc(r.Type); ok {
				out.Type = info.Name
			}
			if s := m.SASS.At(r.Symbol); s != nil {
				out.Symbol = s.Name
			}
			f.Nodes[k].Relocs = append(f.Nodes[k].Relocs, out)
		}
	}
	return nil
}
