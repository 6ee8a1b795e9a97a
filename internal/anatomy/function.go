package anatomy

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Function is a function and what it needs.
type Function struct {
	Name      string
	Kernel    bool
	Registers uint32
	Frame     uint64  // bytes of its own stack frame
	Stack     uint64  // bytes with the deepest of what it can call
	Stated    *uint32 // MIN_STACK_SIZE as the file states it; nil: it doesn't

	// Calls are indexes of functions that it calls, by name or by address.
	Calls []int

	// Unbounded names why the stack cannot be statically determined; "": it can.
	Unbounded string

	// Deepest is the call that makes Stack what it is; -1: none.
	Deepest int
}

// attributes reads frames, registers and stated stacks of .nv.info.
func attributes(f *cubin.File, functions []Function, index map[uint32]int) error {
	for i := 1; i < f.NumSections(); i++ {
		s := f.Section(i)
		if f.SectionName(&s) != ".nv.info" {
			continue
		}
		info := f.Info(&s)
		for rec, ok := info.Next(); ok; rec, ok = info.Next() {
			symbol, has := rec.Word(0)
			at, known := index[symbol]
			value, full := rec.Word(1)
			if !has || !known || !full {
				continue
			}
			fn := &functions[at]
			switch rec.Attr {
			case cuda.AttrFrameSize:
				fn.Frame = uint64(value)
			case cuda.AttrRegcount:
				fn.Registers = value
			case cuda.AttrMinStackSize:
				fn.Stated = &value
			}
		}
		if err := info.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Path follows the calls that make a function's stack what it is.
func (f *File) Path(at int) []int {
	var path []int
	seen := map[int]bool{}
	for at >= 0 && !seen[at] {
		seen[at] = true
		path = append(path, at)
		at = f.Functions[at].Deepest
	}
	return path
}
