package check

import (
	"bytes"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

var codeDefects = []defect{
	{"bit of an instruction", func(e *editor) bool {
		for _, a := range e.Areas {
			if !a.Code() || a.Out == nil {
				continue
			}
			covered := map[uint64]bool{}
			for _, f := range a.Fields {
				for i := range f.Size {
					covered[f.Offset+i] = true
				}
			}
			for i := range a.Out.Size {
				if !covered[i] {
					e.flip(a.Out.Offset+i, 1)
					return true
				}
			}
		}
		return false
	}, []Kind{CodeBytes}},
	{"last instruction", func(e *editor) bool {
		i := e.section(link.IsCode)
		if i == 0 {
			return false
		}
		s := &e.out.Sections[i]
		e.flip(s.Offset+s.Size-1, 0x80)
		return true
	}, []Kind{CodeBytes, RelocationField}},
	{"scheduling bits", func(e *editor) bool {
		i := e.section(link.IsCode)
		if i == 0 || e.SM < 70 {
			return false
		}
		e.flip(e.out.Sections[i].Offset+13, 0x10)
		return true
	}, []Kind{CodeBytes, RelocationField}},
	{"two instructions change places", func(e *editor) bool {
		i := e.section(link.IsCode)
		if i == 0 {
			return false
		}
		b := e.bytes[e.out.Sections[i].Offset:]
		if bytes.Equal(b[0x40:0x50], b[0x50:0x60]) {
			return false
		}
		was := bytes.Clone(b[0x40:0x50])
		copy(b[0x40:0x50], b[0x50:0x60])
		copy(b[0x50:0x60], was)
		return true
	}, []Kind{CodeBytes, RelocationField}},
	{"byte of a constant", dataByte(func(a *link.Area) bool { _, c := link.BankOf(a.Kind); return c }), []Kind{SectionBytes, RelocationField}},
	{"byte of a parameter bank", dataByte(func(a *link.Area) bool { return a.Kind == cuda.SHTCudaConstant0 }), []Kind{SectionBytes, RelocationField}},
	{"byte of an initialiser", dataByte(func(a *link.Area) bool { return a.Kind == cuda.SHTCudaGlobalInit }), []Kind{SectionBytes, RelocationField}},
	{"byte of debug information", dataByte(func(a *link.Area) bool { return a.Kind == cuda.SHTProgbits && !a.Code() }), []Kind{SectionBytes, RelocationField}},
	{"code truncated", func(e *editor) bool {
		i := e.section(link.IsCode)
		if i == 0 {
			return false
		}
		e.put(e.header(i, shSize), 8, e.out.Sections[i].Size-16)
		return true
	}, []Kind{SectionSize}},
	{"code of two functions changed over", func(e *editor) bool {
		var found []int
		for i := range e.out.Sections {
			if link.IsCode(&e.out.Sections[i]) {
				found = append(found, i)
			}
		}
		if len(found) < 2 || bytes.Equal(e.out.Sections[found[0]].Body, e.out.Sections[found[1]].Body) {
			return false
		}
		a, b := e.header(found[0], shOffset), e.header(found[1], shOffset)
		x, y := e.get(a, 8), e.get(b, 8)
		e.put(a, 8, y)
		e.put(b, 8, x)
		return true
	}, []Kind{CodeBytes, SectionSize, RelocationField}},
	{"function missing", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool { b := e.out.Bodies[s.Index]; return b != nil && !b.Kernel() })
		if i == 0 {
			return false
		}
		e.put(e.header(i, shType), 4, 0)
		e.put(e.header(i, shFlags), 8, 0)
		return true
	}, []Kind{FunctionMissing}},
	{"kernel missing", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool { b := e.out.Bodies[s.Index]; return b != nil && b.Kernel() })
		if i == 0 {
			return false
		}
		e.put(e.header(i, shType), 4, 0)
		e.put(e.header(i, shFlags), 8, 0)
		return true
	}, []Kind{FunctionMissing}},
	{"constants missing", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool {
			a := e.out.Areas[s.Index]
			return a != nil && a.Kind > cuda.SHTCudaConstant0 && a.Kind <= cuda.SHTCudaConstant17
		})
		if i == 0 {
			return false
		}
		e.put(e.header(i, shType), 4, 0)
		return true
	}, []Kind{SectionMissing}},
	{"section twice", func(e *editor) bool {
		a := e.section(link.IsCode)
		b := e.section(func(s *image.Section) bool { return link.IsCode(s) && s.Index != a })
		if b == 0 {
			return false
		}
		copy(e.bytes[e.header(b, 0):e.header(b, 64)], e.bytes[e.header(a, 0):e.header(a, 64)])
		return true
	}, []Kind{FunctionMissing, FunctionStray, SectionOverlap}},
	{"global memory too small", func(e *editor) bool {
		i := e.named(".nv.global")
		if i == 0 {
			return false
		}
		e.put(e.header(i, shSize), 8, e.out.Sections[i].Size-1)
		return true
	}, []Kind{SectionSize}},
	{"shared memory too small", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool {
			a := e.out.Areas[s.Index]
			return a != nil && a.Kind == cuda.SHTCudaShared && s.Size > 0
		})
		if i == 0 {
			return false
		}
		e.put(e.header(i, shSize), 8, e.out.Sections[i].Size-4)
		return true
	}, []Kind{SectionSize, SharedSize, SegmentCover}},
	{"constants in another bank", func(e *editor) bool {
		i := e.named(".nv.constant3")
		if i == 0 {
			return false
		}
		at := e.out.Sections[e.out.Header.Shstrndx].Offset + e.get(e.header(i, shName), 4)
		copy(e.bytes[at:], ".nv.constant4")
		return true
	}, []Kind{SectionMissing}},
}

func dataByte(ok func(*link.Area) bool) func(*editor) bool {
	return func(e *editor) bool {
		for _, a := range e.Areas {
			if a.Out != nil && len(a.Out.Body) > 0 && ok(a) && !a.IsFree(a.Out.Size/2) {
				e.flip(a.Out.Offset+a.Out.Size/2, 0x11)
				return true
			}
		}
		return false
	}
}

// onSymbol changes a field of the first fitting symbol.
func onSymbol(ok func(*link.Identity, *image.Symbol) bool, field, width uint64, change func(uint64) uint64) func(*editor) bool {
	return func(e *editor) bool {
		i := e.symbol(ok)
		if i == 0 {
			return false
		}
		at := e.entry(i, field)
		e.put(at, width, change(e.get(at, width)))
		return true
	}
}

func isFunction(id *link.Identity, s *image.Symbol) bool { return id.Function() && s.Defined() }
func isKernel(id *link.Identity, s *image.Symbol) bool   { return id.Kernel() && s.Defined() }
func isObject(id *link.Identity, s *image.Symbol) bool {
	return !id.Function() && s.Defined() && !s.Special && s.Size > 0
}
func isGlobal(id *link.Identity, s *image.Symbol) bool {
	return id.Bind() == cuda.STBGlobal && s.Defined()
}

func add(n uint64) func(uint64) uint64 { return func(v uint64) uint64 { return v + n } }
func xor(n uint64) func(uint64) uint64 { return func(v uint64) uint64 { return v ^ n } }
func set(n uint64) func(uint64) uint64 { return func(uint64) uint64 { return n } }

var symbolDefects = []defect{
	{"function at another place", onSymbol(isFunction, stValue, 8, add(16)), []Kind{SymbolValue}},
	{"object at another place", onSymbol(isObject, stValue, 8, add(64)), placeKinds},
	{"object off its alignment", onSymbol(func(id *link.Identity, s *image.Symbol) bool {
		return isObject(id, s) && id.Def != nil && !id.Def.Special && id.Mod.Sections[id.Def.Shndx].Align > 1
	}, stValue, 8, add(1)), placeKinds},
	{"object behind its section", func(e *editor) bool {
		i := e.object(func(id *link.Identity, s *image.Symbol) bool { return true })
		if i == 0 {
			return false
		}
		e.put(e.entry(i, stValue), 8, e.out.Sections[e.out.Symbols[i].Shndx].Size)
		return true
	}, placeKinds},
	{"object far behind its section", onSymbol(isObject, stValue, 8, set(1<<63)), placeKinds},
	{"objects overlap", func(e *editor) bool {
		i := e.object(func(id *link.Identity, s *image.Symbol) bool { return true })
		j := e.object(func(id *link.Identity, s *image.Symbol) bool {
			return s.Index != i && s.Shndx == e.out.Symbols[max(i, 0)].Shndx
		})
		if i == 0 || j == 0 {
			return false
		}
		e.put(e.entry(j, stValue), 8, e.out.Symbols[i].Value)
		return true
	}, placeKinds},
	{"object in another section", func(e *editor) bool {
		i := e.object(func(id *link.Identity, s *image.Symbol) bool { return true })
		j := e.section(func(s *image.Section) bool {
			return e.out.Areas[s.Index] != nil && s.Index != e.out.Symbols[max(i, 0)].Shndx
		})
		if i == 0 || j == 0 {
			return false
		}
		e.put(e.entry(i, stShndx), 2, uint64(j))
		return true
	}, append([]Kind{SymbolSection}, placeKinds...)},
	{"function in another's code", func(e *editor) bool {
		i := e.symbol(isFunction)
		if i == 0 {
			return false
		}
		j := e.section(func(s *image.Section) bool { return link.IsCode(s) && s.Index != e.out.Symbols[i].Shndx })
		if j == 0 {
			return false
		}
		e.put(e.entry(i, stShndx), 2, uint64(j))
		return true
	}, append([]Kind{SymbolSection}, placeKinds...)},
	{"defined symbol undefined", onSymbol(isGlobal, stShndx, 2, set(0)), []Kind{SymbolSection}},
	{"symbol absolute", onSymbol(isGlobal, stShndx, 2, set(cuda.SHNAbs)), []Kind{SymbolSection}},
	{"section index behind the table", onSymbol(isGlobal, stShndx, 2, set(0x7fff)), []Kind{Unreadable}},
	{"size of a function", onSymbol(isFunction, stSize, 8, add(16)), []Kind{SymbolSize}},
	{"size of an object", onSymbol(isObject, stSize, 8, add(1)), []Kind{SymbolSize}},
	{"type of an object", onSymbol(isObject, stInfo, 1, xor(3)), []Kind{SymbolType, SymbolMissing}},
	{"binding", onSymbol(isGlobal, stInfo, 1, xor(0x30)), []Kind{SymbolBinding}},
	{"global made local", onSymbol(isGlobal, stInfo, 1, func(v uint64) uint64 { return v % 16 }), []Kind{SymbolBinding}},
	{"kernel made a function", onSymbol(isKernel, stOther, 1, xor(cuda.STOEntry)), []Kind{SymbolOther}},
	{"visibility", onSymbol(isGlobal, stOther, 1, xor(2)), []Kind{SymbolOther}},
	{"name", func(e *editor) bool {
		i := e.symbol(isGlobal)
		if i == 0 {
			return false
		}
		e.put(e.entry(i, stName), 4, e.get(e.entry(i, stName), 4)+1)
		return true
	}, []Kind{SymbolMissing, SymbolStray}},
	{"names changed over", func(e *editor) bool {
		i := e.symbol(isGlobal)
		j := e.symbol(func(id *link.Identity, s *image.Symbol) bool { return isGlobal(id, s) && s.Index > i })
		if i == 0 || j == 0 {
			return false
		}
		a, b := e.get(e.entry(i, stName), 4), e.get(e.entry(j, stName), 4)
		e.put(e.entry(i, stName), 4, b)
		e.put(e.entry(j, stName), 4, a)
		return true
	}, []Kind{SymbolValue, SymbolSection, SymbolSize, SymbolOther, SymbolType}},
	{"symbol twice", func(e *editor) bool {
		i := e.symbol(isGlobal)
		if i == 0 {
			return false
		}
		t := &e.out.Sections[e.out.Symtab]
		e.move(e.out.Symtab, append(bytes.Clone(t.Body), t.Body[24*i:24*i+24]...))
		return true
	}, []Kind{SymbolStray}},
	{"last symbol dropped", func(e *editor) bool {
		t := &e.out.Sections[e.out.Symtab]
		if e.out.Refs[len(e.out.Symbols)-1].ID == nil {
			return false
		}
		e.put(e.header(t.Index, shSize), 8, t.Size-24)
		return true
	}, []Kind{SymbolMissing}},
	{"symbol table empty", func(e *editor) bool {
		e.put(e.header(e.out.Symtab, shSize), 8, 24)
		return true
	}, []Kind{SymbolMissing}},
	{"no symbol table", func(e *editor) bool {
		e.put(e.header(e.out.Symtab, shType), 4, 1)
		return true
	}, []Kind{SymbolMissing, OtherProgram}},
	{"first global symbol", func(e *editor) bool {
		at := e.header(e.out.Symtab, shInfo)
		e.put(at, 4, e.get(at, 4)+1)
		return true
	}, []Kind{SymbolOrder}},
	{"section symbol of another section", func(e *editor) bool {
		for i := range e.out.Symbols {
			if s := &e.out.Symbols[i]; i > 0 && s.Kind() == cuda.STTSection {
				e.put(e.entry(i, stShndx), 2, 1)
				return true
			}
		}
		return false
	}, []Kind{SymbolMissing, SymbolStray, SymbolType}},
}

// placeKinds are the findings that an object at a wrong place leads to: about its
// symbol, or, since places are read from the output, about what disagrees.
var placeKinds = []Kind{SymbolValue, SymbolAlignment, SymbolOutside, SymbolOverlap, SymbolSection, SectionBytes, SectionSize, RelocationField, SharedSize, SharedOverlap}
