package selfcheck

import (
	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
)

// A link of one object alone is a check by NVIDIA's own finalizer: it makes the
// SASS of every function from Mercury, and what comes out has to be what went
// in, but for relocated fields. nvlink moves scoreboards of some kernels that
// have texture or barrier waits; such a change is in bits 105 to 125 alone.

// Change is what became of one function.
type Change uint8

const (
	Same      Change = iota
	Scheduled        // only scheduling bits differ
	Resized          // another number of instructions
	Other            // instructions differ
	Dropped          // not in the output: nothing reaches it
)

// String returns the change in a word.
func (c Change) String() string {
	return [...]string{"same", "scheduling", "resized", "different", "dropped"}[c]
}

// FunctionChange is a function and what became of it.
type FunctionChange struct {
	Name   string
	Change Change
	Offset uint64 // of the first word that differs
}

// CompareLinked compares the functions of an object with those of a link of it
// alone.
func CompareLinked(object, linked *capsule.Image) []FunctionChange {
	out := map[string][]*capsule.Func{}
	for i := range linked.Funcs {
		fn := &linked.Funcs[i]
		out[fn.Name] = append(out[fn.Name], fn)
	}
	list := make([]FunctionChange, len(object.Funcs))
	for i := range object.Funcs {
		fn := &object.Funcs[i]
		list[i] = FunctionChange{Name: fn.Name, Change: Dropped}
		if same := out[fn.Name]; len(same) > 0 {
			list[i].Change, list[i].Offset = compareCode(fn.Code, same[0].Code, relocated(object, fn))
			out[fn.Name] = same[1:]
		}
	}
	return list
}

// relocated returns the offsets of the words that relocations of either side
// fill.
func relocated(m *capsule.Image, fn *capsule.Func) map[uint64]bool {
	at := map[uint64]bool{}
	for _, side := range [...]int{fn.Rela, fn.MercRela} {
		if side == 0 {
			continue
		}
		t, err := m.File.Relocs(&m.Sections[side].Section)
		if err != nil {
			continue
		}
		for i := range t.Len() {
			off := t.At(i).Off
			if side == fn.MercRela {
				if fn.Cap == nil || off >= uint64(fn.Cap.MercSize) {
					continue
				}
				off = uint64(fn.Cap.Node(fn.Cap.AtMerc(uint32(off))).SASS)
			}
			at[off&^(capsule.WordSize-1)] = true
		}
	}
	return at
}

func compareCode(a, b []byte, skip map[uint64]bool) (Change, uint64) {
	if len(a) != len(b) {
		return Resized, 0
	}
	change, first := Same, uint64(0)
	for off := uint64(0); off+capsule.WordSize <= uint64(len(a)); off += capsule.WordSize {
		x, _ := cubin.Window(a, off, capsule.WordSize)
		y, _ := cubin.Window(b, off, capsule.WordSize)
		if string(x) == string(y) || skip[off] {
			continue
		}
		v, w := wordAt(a, uint32(off)), wordAt(b, uint32(off))
		if v.Lo != w.Lo || (v.Hi^w.Hi)&^schedule != 0 {
			return Other, off
		}
		if change == Same {
			change, first = Scheduled, off
		}
	}
	return change, first
}
