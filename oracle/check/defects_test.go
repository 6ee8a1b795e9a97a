package check

import (
	"bytes"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
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
		f, a, at := e.field(func(a *link.Area, f *link.Field) bool {
			return a.Code() && f.Target != nil && f.Target.Out != 0 && f.Target.Space() != cuda.STOShared
		})
		if f == nil {
			return false
		}
		// The lowest bit that the recipe changed.
		in := inputOf(a, f.Offset, f.Size)
		for i := range in {
			if d := in[i] ^ e.bytes[at+uint64(i)]; d != 0 {
				e.flip(at+uint64(i), d&-d)
				return true
			}
		}
		return false
	}, []Kind{RelocationField}},
	{"relocation skipped", func(e *editor) bool {
		f, a, at := e.field(func(a *link.Area, f *link.Field) bool {
			return f.Target != nil && !bytes.Equal(inputOf(a, f.Offset, f.Size), a.Want[f.Offset:f.Offset+f.Size])
		})
		if f == nil {
			return false
		}
		copy(e.bytes[at:], inputOf(a, f.Offset, f.Size))
		return true
	}, []Kind{RelocationField}},
	{"addend off by 4", func(e *editor) bool {
		f, _, at := e.field(func(a *link.Area, f *link.Field) bool {
			return f.Rec.Kind == cuda.R_CUDA_ABS32_32 || f.Rec.Kind == cuda.R_CUDA_ABS32_20
		})
		if f == nil {
			return false
		}
		shift := uint64(32)
		if f.Rec.Kind == cuda.R_CUDA_ABS32_20 {
			shift = 20
		}
		e.put(at, 8, e.get(at, 8)+4<<shift)
		return true
	}, []Kind{RelocationField}},
	{"another symbol's value", func(e *editor) bool {
		f, a, at := e.field(func(a *link.Area, f *link.Field) bool { return a.Code() && f.Target != nil && f.Size >= 6 })
		if f == nil {
			return false
		}
		for i := range a.Fields {
			if g := &a.Fields[i]; g.Rec.Kind == f.Rec.Kind && g.Target != f.Target && g.Target != nil {
				of := bytes.Clone(e.bytes[at : at+f.Size])
				to := e.bytes[a.Out.Offset+g.Offset : a.Out.Offset+g.Offset+g.Size]
				if !bytes.Equal(of[3:], to[3:]) {
					copy(e.bytes[at+3:], to[3:])
					return true
				}
			}
		}
		return false
	}, []Kind{RelocationField}},
	{"bank of a constant", func(e *editor) bool {
		f, _, at := e.field(func(a *link.Area, f *link.Field) bool {
			return f.Rec.Kind == cuda.R_CUDA_CONST_FIELD21_38 || f.Rec.Kind == cuda.R_CUDA_CONST_FIELD19_40
		})
		if f == nil {
			return false
		}
		e.flip(at+6, 0x40)
		return true
	}, []Kind{RelocationField}},
	{"constant's place in its bank", func(e *editor) bool {
		f, _, at := e.field(func(a *link.Area, f *link.Field) bool {
			return f.Rec.Kind == cuda.R_CUDA_CONST_FIELD19_28 || f.Rec.Kind == cuda.R_CUDA_CONST_FIELD19_20 || f.Rec.Kind == cuda.R_CUDA_CONST_FIELD21_38
		})
		if f == nil {
			return false
		}
		e.flip(at+5, 0x01)
		return true
	}, []Kind{RelocationField, CodeBytes}},
	{"relocated field of data", func(e *editor) bool {
		f, _, at := e.field(func(a *link.Area, f *link.Field) bool { return !a.Code() && f.Rec.Kind != 0 })
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
		e.put(e.header(l.Section.Index, shSize), 8, l.Section.Size-width)
		return true
	}, []Kind{RelocationMissing}},
	{"first kept record dropped", func(e *editor) bool {
		l, _, width := e.record(func(l link.Relocs) bool { return anyList(l) && len(l.List) > 1 })
		if width == 0 {
			return false
		}
		e.move(l.Section.Index, l.Section.Body[width:])
		return true
	}, []Kind{RelocationMissing}},
	{"kept record twice", func(e *editor) bool {
		l, _, width := e.record(anyList)
		if width == 0 {
			return false
		}
		e.move(l.Section.Index, append(bytes.Clone(l.Section.Body), l.Section.Body[:width]...))
		return true
	}, []Kind{RelocationStray}},
	{"applied record kept as well", func(e *editor) bool {
		f, a, _ := e.field(func(a *link.Area, f *link.Field) bool {
			return a.Code() && f.Rec.Rela && f.Target != nil && f.Target.Out != 0
		})
		if f == nil {
			return false
		}
		l, _, width := e.record(func(l link.Relocs) bool { return relaList(l) && l.Target == a.Out.Index })
		if width == 0 {
			return false
		}
		record := make([]byte, 24)
		for i := range 8 {
			record[i] = byte(f.Offset >> (8 * i))
		}
		record[8], record[12] = byte(f.Rec.Kind), byte(f.Target.Out)
		e.move(l.Section.Index, append(bytes.Clone(l.Section.Body), record...))
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
		n := uint64(l.List[0].Symbol)
		if n++; n >= uint64(len(e.out.Symbols)) {
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
		l, _, width := e.record(func(l link.Relocs) bool {
			return l.Section.Kind == cuda.SHTRel && e.out.Sections[l.Target].Body != nil
		})
		if width == 0 {
			return false
		}
		e.flip(e.out.Sections[l.Target].Offset+l.List[0].Offset, 4)
		return true
	}, []Kind{SectionBytes, CodeBytes, RelocationField}},
	{"records of another section", func(e *editor) bool {
		l, _, width := e.record(anyList)
		if width == 0 {
			return false
		}
		e.put(e.header(l.Section.Index, shInfo), 4, uint64(l.Target)-1)
		return true
	}, []Kind{SectionHeader, RelocationMissing, SectionStray}},
	{"REL for RELA", func(e *editor) bool {
		l, _, width := e.record(relaList)
		if width == 0 || l.Section.Size%48 != 0 {
			return false
		}
		e.put(e.header(l.Section.Index, shType), 4, uint64(cuda.SHTRel))
		return true
	}, []Kind{RelocationType, RelocationMissing, SectionHeader}},
	{"resolved record dropped", func(e *editor) bool {
		l, _, width := e.record(func(l link.Relocs) bool { return l.Section.Kind == cuda.SHTCudaResolvedRela })
		if width == 0 {
			return false
		}
		e.put(e.header(l.Section.Index, shSize), 8, l.Section.Size-width)
		return true
	}, []Kind{ResolvedMissing}},
	{"addend of a resolved record", func(e *editor) bool {
		_, at, width := e.record(func(l link.Relocs) bool { return l.Section.Kind == cuda.SHTCudaResolvedRela })
		if width == 0 {
			return false
		}
		e.flip(at+16, 1)
		return true
	}, []Kind{ResolvedMissing}},
}
