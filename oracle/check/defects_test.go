package check

import (
	"bytes"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// defect is one way in which an output can be wrong.
type defect struct {
	name string
	// plant changes the output and reports whether there was a place for it.
	plant func(*editor) bool
	// one of these is among the findings
	want []Kind
}

var defects = slices.Concat(fieldDefects, recordDefects, codeDefects, symbolDefects, headerDefects, factDefects, callDefects, fileDefects)

var fieldDefects = []defect{
	{"bit of a relocated field", func(e *editor) bool {
		// Where fields alone tell the place of something, another is as good.
		f, a, at := e.field(func(a *area, f *field) bool {
			return a.code() && f.target != nil && f.target.out != 0 && f.target.space() != cuda.STOShared
		})
		if f == nil {
			return false
		}
		// The lowest bit that the recipe changed.
		in := a.input(f.offset, f.size)
		for i := range in {
			if d := in[i] ^ e.bytes[at+uint64(i)]; d != 0 {
				e.flip(at+uint64(i), d&-d)
				return true
			}
		}
		return false
	}, []Kind{RelocationField}},
	{"relocation skipped", func(e *editor) bool {
		f, a, at := e.field(func(a *area, f *field) bool {
			return f.target != nil && !bytes.Equal(a.input(f.offset, f.size), a.want[f.offset:f.offset+f.size])
		})
		if f == nil {
			return false
		}
		copy(e.bytes[at:], a.input(f.offset, f.size))
		return true
	}, []Kind{RelocationField}},
	{"addend off by 4", func(e *editor) bool {
		f, _, at := e.field(func(a *area, f *field) bool {
			return f.rec.kind == cuda.R_CUDA_ABS32_32 || f.rec.kind == cuda.R_CUDA_ABS32_20
		})
		if f == nil {
			return false
		}
		shift := uint64(32)
		if f.rec.kind == cuda.R_CUDA_ABS32_20 {
			shift = 20
		}
		e.put(at, 8, e.get(at, 8)+4<<shift)
		return true
	}, []Kind{RelocationField}},
	{"another symbol's value", func(e *editor) bool {
		f, a, at := e.field(func(a *area, f *field) bool { return a.code() && f.target != nil && f.size >= 6 })
		if f == nil {
			return false
		}
		for i := range a.fields {
			if g := &a.fields[i]; g.rec.kind == f.rec.kind && g.target != f.target && g.target != nil {
				of := bytes.Clone(e.bytes[at : at+f.size])
				to := e.bytes[a.out.offset+g.offset : a.out.offset+g.offset+g.size]
				if !bytes.Equal(of[3:], to[3:]) {
					copy(e.bytes[at+3:], to[3:])
					return true
				}
			}
		}
		return false
	}, []Kind{RelocationField}},
	{"bank of a constant", func(e *editor) bool {
		f, _, at := e.field(func(a *area, f *field) bool {
			return f.rec.kind == cuda.R_CUDA_CONST_FIELD21_38 || f.rec.kind == cuda.R_CUDA_CONST_FIELD19_40
		})
		if f == nil {
			return false
		}
		e.flip(at+6, 0x40)
		return true
	}, []Kind{RelocationField}},
	{"constant's place in its bank", func(e *editor) bool {
		f, _, at := e.field(func(a *area, f *field) bool {
			return f.rec.kind == cuda.R_CUDA_CONST_FIELD19_28 || f.rec.kind == cuda.R_CUDA_CONST_FIELD19_20 || f.rec.kind == cuda.R_CUDA_CONST_FIELD21_38
		})
		if f == nil {
			return false
		}
		e.flip(at+5, 0x01)
		return true
	}, []Kind{RelocationField, CodeBytes}},
	{"relocated field of data", func(e *editor) bool {
		f, _, at := e.field(func(a *area, f *field) bool { return !a.code() && f.rec.kind != 0 })
		if f == nil {
			return false
		}
		e.flip(at, 1)
		return true
	}, []Kind{RelocationField}},
}

var recordDefects = []defect{
	{"kept record dropped", func(e *editor) bool {
		l, _, width := e.record(anyList)
		if width == 0 {
			return false
		}
		e.put(e.header(l.section.index, shSize), 8, l.section.size-width)
		return true
	}, []Kind{RelocationMissing}},
	{"first kept record dropped", func(e *editor) bool {
		l, _, width := e.record(func(l relocs) bool { return anyList(l) && len(l.list) > 1 })
		if width == 0 {
			return false
		}
		e.move(l.section.index, l.section.body[width:])
		return true
	}, []Kind{RelocationMissing}},
	{"kept record twice", func(e *editor) bool {
		l, _, width := e.record(anyList)
		if width == 0 {
			return false
		}
		e.move(l.section.index, append(bytes.Clone(l.section.body), l.section.body[:width]...))
		return true
	}, []Kind{RelocationStray}},
	{"applied record kept as well", func(e *editor) bool {
		f, a, _ := e.field(func(a *area, f *field) bool { return a.code() && f.rec.rela && f.target != nil && f.target.out != 0 })
		if f == nil {
			return false
		}
		l, _, width := e.record(func(l relocs) bool { return relaList(l) && l.target == a.out.index })
		if width == 0 {
			return false
		}
		record := make([]byte, 24)
		for i := range 8 {
			record[i] = byte(f.offset >> (8 * i))
		}
		record[8], record[12] = byte(f.rec.kind), byte(f.target.out)
		e.move(l.section.index, append(bytes.Clone(l.section.body), record...))
		return true
	}, []Kind{RelocationStray}},
	{"type of a kept record", func(e *editor) bool {
		_, at, width := e.record(anyList)
		if width == 0 {
			return false
		}
		e.put(at+8, 4, cuda.R_CUDA_FUNC_DESC_64)
		return true
	}, []Kind{RelocationType}},
	{"symbol of a kept record", func(e *editor) bool {
		l, at, width := e.record(anyList)
		if width == 0 {
			return false
		}
		n := uint64(l.list[0].symbol)
		if n++; n >= uint64(len(e.out.symbols)) {
			n -= 2
		}
		e.put(at+12, 4, n)
		return true
	}, []Kind{RelocationSymbol}},
	{"kept record without a symbol", func(e *editor) bool {
		_, at, width := e.record(anyList)
		if width == 0 {
			return false
		}
		e.put(at+12, 4, 0)
		return true
	}, []Kind{RelocationSymbol}},
	{"kept record of a symbol behind the table", func(e *editor) bool {
		_, at, width := e.record(anyList)
		if width == 0 {
			return false
		}
		e.put(at+12, 4, 1<<31)
		return true
	}, []Kind{RelocationSymbol}},
	{"addend of a kept record", func(e *editor) bool {
		_, at, width := e.record(relaList)
		if width == 0 {
			return false
		}
		e.flip(at+16, 8)
		return true
	}, []Kind{RelocationAddend}},
	{"sign of an addend", func(e *editor) bool {
		_, at, width := e.record(relaList)
		if width == 0 {
			return false
		}
		e.flip(at+23, 0x80)
		return true
	}, []Kind{RelocationAddend}},
	{"place of a kept record", func(e *editor) bool {
		_, at, width := e.record(anyList)
		if width == 0 {
			return false
		}
		e.flip(at, 0x20)
		return true
	}, []Kind{RelocationMissing, RelocationStray}},
	{"addend of a REL record, in its place", func(e *editor) bool {
		l, _, width := e.record(func(l relocs) bool {
			return l.section.kind == cuda.SHTRel && e.out.sections[l.target].body != nil
		})
		if width == 0 {
			return false
		}
		e.flip(e.out.sections[l.target].offset+l.list[0].offset, 4)
		return true
	}, []Kind{SectionBytes, CodeBytes, RelocationField}},
	{"records of another section", func(e *editor) bool {
		l, _, width := e.record(anyList)
		if width == 0 {
			return false
		}
		e.put(e.header(l.section.index, shInfo), 4, uint64(l.target)-1)
		return true
	}, []Kind{SectionHeader, RelocationMissing, SectionStray}},
	{"REL for RELA", func(e *editor) bool {
		l, _, width := e.record(relaList)
		if width == 0 || l.section.size%48 != 0 {
			return false
		}
		e.put(e.header(l.section.index, shType), 4, uint64(cuda.SHTRel))
		return true
	}, []Kind{RelocationType, RelocationMissing, SectionHeader}},
	{"resolved record dropped", func(e *editor) bool {
		l, _, width := e.record(func(l relocs) bool { return l.section.kind == cuda.SHTCudaResolvedRela })
		if width == 0 {
			return false
		}
		e.put(e.header(l.section.index, shSize), 8, l.section.size-width)
		return true
	}, []Kind{ResolvedMissing}},
	{"addend of a resolved record", func(e *editor) bool {
		_, at, width := e.record(func(l relocs) bool { return l.section.kind == cuda.SHTCudaResolvedRela })
		if width == 0 {
			return false
		}
		e.flip(at+16, 1)
		return true
	}, []Kind{ResolvedMissing}},
}
