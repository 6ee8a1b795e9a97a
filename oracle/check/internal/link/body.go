package link

import (
	"math"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// InfoSection names the attributes of code: after its section, of a stub in the table of
// unified functions after the stub.
func (b *Body) InfoSection() string {
	if b.Section.Kind == cuda.SHTCudaUFT {
		return ".nv.info." + b.Owner.String()
	}
	return ".nv.info." + strings.TrimPrefix(b.Section.Name, ".text.")
}

// Bare is the code without what numbers its section: the first word of a capsule.
func (b *Body) Bare() []byte {
	if code := b.Section.Body; b.Mod.Side == image.MercurySide && len(code) >= 4 {
		return code[4:]
	}
	return b.Section.Body
}

// First is the moment when the function got its first definition.
func (b *Body) First() int {
	first := math.MaxInt
	for _, id := range b.Names {
		first = min(first, id.Defined)
	}
	return first
}

// HoldsFunctions reports whether functions are inside the code, as in kernels that ptxas compiles with -ewp.
func (b *Body) HoldsFunctions() bool {
	return slices.ContainsFunc(b.Names, (*Identity).Inside)
}

// Body is one section of code.
type Body struct {
	Mod         *Module
	Section     *image.Section
	Owner       *Identity   // the function that sh_info names
	Formerly    string      // the section's name in the input, where the output has it by a second name
	Names       []*Identity // every function defined in it
	Disposition bodyDisposition
	Took        *Body // the one it replaced
	Beaten      bool  // it lost to a weak definition
	Live        bool
	Area        *Area
}

type bodyDisposition uint8

const (
	Won      bodyDisposition = iota
	Lost                     // another definition was there before
	Replaced                 // it was taken, and given up for a later one
)

// Attributes are the records of .nv.info.<function>.
func (b *Body) Attributes() []image.Attribute { return b.Mod.infoOf[b.Section.Index] }

// Attribute returns the value of the first record of an attribute in the list
// of a body.
func (b *Body) Attribute(attr cuda.InfoAttr) ([]byte, bool) {
	for _, a := range b.Attributes() {
		if a.Attr == attr {
			return a.Value, true
		}
	}
	return nil, false
}

// ModuleFact returns the number that the module's .nv.info gives for a
// function: its frame, stack or registers. What an earlier link calls by a second name
// has them under the first.
func (b *Body) ModuleFact(attr cuda.InfoAttr) (uint32, bool) {
	if b.Owner == nil {
		return 0, false
	}
	facts := b.Mod.factsOf(attr)
	if n, ok := facts[b.Owner]; ok {
		return n, true
	}
	for _, id := range b.Names {
		if n, ok := facts[id]; ok {
			return n, true
		}
	}
	return 0, false
}

// BarrierCount is the number of barriers of a function: the attribute, in
// older objects the bits of the section flags.
func (b *Body) BarrierCount() uint64 {
	if v, ok := b.Attribute(cuda.AttrNumBarriers); ok {
		return image.Number(v, 0, 1)
	}
	return uint64(b.Section.Flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift)
}

// RelocLists are the relocation sections of code.
func (b *Body) RelocLists() []Relocs {
	var list []Relocs
	for _, i := range b.Mod.RelocsOf[b.Section.Index] {
		list = append(list, b.Mod.Relocs[i])
	}
	return list
}

// LdcBehind finds the LDC from bank 0 that takes its address from the register which a
// word writes.
func (b *Body) LdcBehind(offset uint64) (uint64, bool) {
	word, ok := image.Cut(b.Section.Body, offset, sass.Instruction)
	if !ok {
		return 0, false
	}
	register := word[2]
	for at := offset + sass.Instruction; at < offset+32*sass.Instruction; at += sass.Instruction {
		word, ok := image.Cut(b.Section.Body, at, sass.Instruction)
		if !ok {
			return 0, false
		}
		if sass.Opcode(word) == sass.OpLdc && word[3] == register && image.Number(word, 0, 8)>>54%32 == 0 {
			return at, true
		}
		if ops := sass.OperandsOf(word); ops.Known && ops.Writes[register/64]>>(register%64)&1 != 0 || sass.Branches(word) {
			return 0, false
		}
	}
	return 0, false
}

// MapCode goes through the input's code and the output's side by side, and counts
// the words that are not alike.
func (b *Body) MapCode(out []byte) (w *sass.WordMap, unlike int) {
	in := b.Section.Body
	masks := b.fieldMasks()
	n, m := len(in)/sass.Instruction, len(out)/sass.Instruction
	w = &sass.WordMap{To: make([]int32, n), From: make([]int32, m), Identity: n == m}
	for j := range w.From {
		w.From[j] = -1
	}
	i, j := 0, 0
	for i < n {
		x, _ := image.Cut(in, uint64(i)*sass.Instruction, sass.Instruction)
		y, ok := image.Cut(out, uint64(j)*sass.Instruction, sass.Instruction)
		same := ok && (sass.SameWord(x, y, masks[uint64(i)]) || sass.CountsElsewhere(in, out, i, j))
		switch {
		case same:
		case ok && sass.PutInAt(out, j):
			w.Identity = false
			j++
			continue
		case sass.MayDrop(in, i) || !ok:
			if !sass.MayDrop(in, i) {
				unlike++
			}
			w.To[i] = -1
			w.Identity = false
			i++
			continue
		default:
			unlike++
		}
		if same && sass.Opcode(x) != sass.Opcode(y) && sass.Opcode(x)%0x100 == 0x10 {
			if w.Short == nil {
				w.Short = map[int32]bool{}
			}
			w.Short[int32(j)] = true
		}
		w.To[i], w.From[j] = int32(j), int32(i)
		i, j = i+1, j+1
	}
	for k := j; k < m; k++ {
		if !sass.PutInAt(out, k) {
			unlike++
		}
	}
	w.Identity = w.Identity && j == m
	return w, unlike
}

// PlaceInside is the place of the code that a word puts into a register, in a kernel with functions inside: where the next
// call comes back to, or a function inside, whose address is taken (for which a number may be meant as well).
func (b *Body) PlaceInside(i int) (to uint64, sure, ok bool) {
	if to, ok = sass.ReturnTo(b.Section.Body, i); ok {
		return to, true, true
	}
	word, _ := image.Cut(b.Section.Body, uint64(i)*sass.Instruction, sass.Instruction)
	if to, ok = sass.NumberOf(word); !ok {
		return 0, false, false
	}
	return to, false, slices.ContainsFunc(b.Names, func(f *Identity) bool { return f.Inside() && f.Def.Value == to })
}

// fieldMasks are the bits of each word that relocations write, and those of places in the code itself.
func (b *Body) fieldMasks() map[uint64]*[sass.Instruction]byte {
	masks := map[uint64]*[sass.Instruction]byte{}
	for i := range len(b.Section.Body) / sass.Instruction {
		if !b.HoldsFunctions() {
			break
		}
		if _, _, ok := b.PlaceInside(i); ok {
			masks[uint64(i)] = &[sass.Instruction]byte{4: 0xff, 5: 0xff, 6: 0xff, 7: 0xff}
		}
	}
	for _, l := range b.RelocLists() {
		for _, r := range l.List {
			recipe, err := oracle.RecipeOf(r.Kind)
			if err != nil {
				continue
			}
			mask := masks[r.Offset/sass.Instruction]
			if mask == nil {
				mask = new([sass.Instruction]byte)
				masks[r.Offset/sass.Instruction] = mask
			}
			for _, step := range recipe.Steps() {
				for at := step.Field.Start; at < step.Field.Start+step.Field.Width; at++ {
					if bit := uint64(at) + r.Offset%sass.Instruction*8; bit < 8*sass.Instruction {
						mask[bit/8] |= 1 << (bit % 8)
					}
				}
			}
		}
	}
	return masks
}
