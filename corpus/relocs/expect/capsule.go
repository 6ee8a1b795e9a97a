package expect

import (
	"strings"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Records of a capsule. Their place is counted in Mercury instructions, of which
// the capsule holds only some, so the same record is written twice: into the
// capsule where the node has bytes there, and into the SASS instruction that the
// finalizer makes of the node. The SASS field begins where that instruction has
// it and is as wide as the R_MERCURY type says; the bank of a constant operand is
// not touched.
//
// Source: nvlink 13.0.88, sm_100 and sm_120, one record at each node of
// templates.json.

// node finds the node of a record.
func (c *link) node(r relocs.Record) (relocs.Node, error) {
	function := strings.TrimPrefix(c.v.Place, ".nv.capmerc.text.")
	for _, n := range c.v.Template.Nodes {
		if n.Function == function && n.At == r.Offset {
			return n, nil
		}
	}
	return relocs.Node{}, &Unknown{"no node"}
}

// patchNode carries out a record that the linker resolves.
func (c *link) patchNode(r relocs.Record, as uint32, s symbol, out *Outcome) error {
	n, err := c.node(r)
	if err != nil {
		return err
	}
	recipe, err := oracle.RecipeOf(as)
	if err != nil {
		return err
	}
	if recipe.Bytes() > 4 && n.Bit != 0 {
		return &Unknown{"a 64-bit record at a 32-bit field: the finalizer refuses"}
	}
	if n.Bit == 0 {
		return nil // a call: the finalizer knows its target
	}
	in := oracle.Inputs{Rela: true, S: s.value, A: r.Addend, SectionType: s.lies, Slot: s.slot}
	if s.kind == oracle.Texture {
		return &Unknown{"textures in code"}
	}
	got, err := oracle.Apply(as, make([]byte, recipe.Bytes()), in)
	if err != nil {
		return err
	}
	if n.Capsule != 0 {
		copy(out.Place[n.Capsule:], got.Bytes)
	}
	const operand, operandWidth = 38, 16
	width := 8 * recipe.Bytes()
	if n.Bit == operand {
		width = min(width, operandWidth)
	}
	putBits(out.Text[n.Text:], n.Bit, width, got.Bytes)
	return nil
}

// finalize carries out what the finalizer does by a record that stays: types of
// a position in the program are written over the instruction's first bytes.
func (c *link) finalize(r relocs.Record, s symbol, out *Outcome) error {
	switch {
	case r.Type == cuda.R_MERCURY_PROG_REL64 || r.Type >= cuda.R_MERCURY_PROG_REL8_0 && r.Type <= cuda.R_MERCURY_PROG_REL8_56:
	case r.Type >= cuda.R_MERCURY_PROG_REL32 && r.Type <= cuda.R_MERCURY_PROG_REL32_HI,
		r.Type == cuda.R_MERCURY_ABS_PROG_REL32_LO, r.Type == cuda.R_MERCURY_ABS_PROG_REL32_HI:
		return &Unknown{"a position in the program: the finalizer looks for an instruction there"}
	default:
		return nil
	}
	n, err := c.node(r)
	if err != nil {
		return err
	}
	if s.kind == oracle.Texture || s.kind == oracle.Function {
		return &Unknown{"the finalizer's address of a function or texture"}
	}
	got, err := oracle.Apply(r.Type, out.Text[n.Text:n.Text+16], oracle.Inputs{Rela: true, S: s.value, A: r.Addend})
	if err != nil {
		return err
	}
	copy(out.Text[n.Text:], got.Bytes)
	return nil
}

// putBits writes a little-endian number bit by bit.
func putBits(place []byte, start uint, width int, value []byte) {
	for i := range width {
		at := int(start) + i
		place[at/8] &^= 1 << (at % 8)
		place[at/8] |= value[i/8] >> (i % 8) & 1 << (at % 8)
	}
}
