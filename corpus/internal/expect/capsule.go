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

// An operand in a constant bank has its offset in these bits of the SASS
// instruction.
const (
	operandBit   = 38
	operandWidth = 16
)

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

// patchNode applies a record that the linker resolves.
func (c *link) patchNode(r relocs.Record, as uint32, s symbol, out *Outcome) error {
	n, err := c.node(r)
	if err != nil {
		return err
	}
	recipe, err := oracle.RecipeOf(as)
	if err != nil {
		return err
	}
	if n.Bit == 0 {
		return nil // a call: the finalizer knows its target
	}
	if recipe.Bytes() > 4 {
		// The upper half lies over the next instruction's first bytes.
		out.Garbled = true
		return nil
	}
	in := oracle.Inputs{Rela: true, S: s.value, A: r.Addend, SectionType: s.lies, Slot: s.slot}
	got, err := oracle.Apply(as, make([]byte, recipe.Bytes()), in)
	if err != nil {
		return err
	}
	if n.Capsule != 0 {
		copy(out.Place[n.Capsule:], got.Bytes)
	}
	width := 8 * recipe.Bytes()
	if n.Bit == operandBit {
		width = min(width, operandWidth)
	}
	putBits(out.Text[n.Text:], n.Bit, width, got.Bytes)
	return nil
}

// finalize applies what the finalizer does by a record that stays. Byte
// lanes and the 64-bit type of a position in the program are written over the
// instruction's first bytes. The 32-bit ones are looked for among the
// instructions: the addend is the Mercury offset of one, and the immediate
// operand becomes its SASS offset, whatever the symbol; where there is none the
// finalizer dies.
func (c *link) finalize(r relocs.Record, as uint32, s symbol, out *Outcome) error {
	n, err := c.node(r)
	if err != nil {
		return err
	}
	c.counterpart(n, r, as, s, out)
	switch {
	case as == cuda.R_MERCURY_PROG_REL64, as >= cuda.R_MERCURY_PROG_REL8_0 && as <= cuda.R_MERCURY_PROG_REL8_56:
	case as == cuda.R_CUDA_NONE && r.Type != as:
		out.Garbled = true // a blanked record
		return nil
	default:
		return nil
	}
	in := oracle.Inputs{Rela: true, S: s.value, A: r.Addend}
	if s.kind == oracle.Texture || s.kind == oracle.Function {
		in.S = 0
	}
	got, err := oracle.Apply(as, out.Text[n.Text:n.Text+16], in)
	if err != nil {
		return err
	}
	copy(out.Text[n.Text:], got.Bytes)
	return nil
}

// searches tells the types whose addend the finalizer takes for the place of an
// instruction.
func searches(number uint32) bool {
	return number >= cuda.R_MERCURY_PROG_REL32 && number <= cuda.R_MERCURY_PROG_REL32_HI ||
		number == cuda.R_MERCURY_ABS_PROG_REL32_LO || number == cuda.R_MERCURY_ABS_PROG_REL32_HI
}

// putBits writes a little-endian number bit by bit.
func putBits(place []byte, start uint, width int, value []byte) {
	for i := range width {
		at := int(start) + i
		place[at/8] &^= 1 << (at % 8)
		place[at/8] |= value[i/8] >> (i % 8) & 1 << (at % 8)
	}
}
