package check

import (
	"bytes"

	"github.com/twinlink/twinlink/cuda"
)

var codeDefects = []defect{
	{"bit of an instruction", func(e *editor) bool {
		for _, a := range e.areas {
			if !a.code() || a.out == nil {
				continue
			}
			covered := map[uint64]bool{}
			for _, f := range a.fields {
				for i := range f.size {
					covered[f.offset+i] = true
				}
			}
			for i := range a.out.size {
				if !covered[i] {
					e.flip(a.out.offset+i, 1)
					return true
				}
			}
		}
		return false
	}, []Kind{CodeBytes}},
	{"last instruction", func(e *editor) bool {
		i := e.section(isCode)
		if i == 0 {
			return false
		}
		s := &e.out.sections[i]
		e.flip(s.offset+s.size-1, 0x80)
		return true
	}, []Kind{CodeBytes, RelocationField}},
	{"scheduling bits", func(e *editor) bool {
		i := e.section(isCode)
		if i == 0 || e.sm < 70 {
			return false
		}
		e.flip(e.out.sections[i].offset+13, 0x10)
		return true
	}, []Kind{CodeBytes, RelocationField}},
	{"two instructions change places", func(e *editor) bool {
		i := e.section(isCode)
		if i == 0 {
			return false
		}
		b := e.bytes[e.out.sections[i].offset:]
		if bytes.Equal(b[0x40:0x50], b[0x50:0x60]) {
			return false
		}
		was := bytes.Clone(b[0x40:0x50])
		copy(b[0x40:0x50], b[0x50:0x60])
		copy(b[0x50:0x60], was)
		return true
	}, []Kind{CodeBytes, RelocationField}},
	{"byte of a constant", dataByte(func(a *area) bool { _, c := bankOf(a.kind); return c }), []Kind{SectionBytes, RelocationField}},
	{"byte of a parameter bank", dataByte(func(a *area) bool { return a.kind == cuda.SHTCudaConstant0 }), []Kind{SectionBytes, RelocationField}},
	{"byte of an initialiser", dataByte(func(a *area) bool { return a.kind == cuda.SHTCudaGlobalInit }), []Kind{SectionBytes, RelocationField}},
	{"byte of debug information", dataByte(func(a *area) bool { return a.kind == cuda.SHTProgbits && !a.code() }), []Kind{SectionBytes, RelocationField}},
	{"code truncated", func(e *editor) bool {
		i := e.section(isCode)
		if i == 0 {
			return false
		}
		e.put(e.header(i, shSize), 8, e.out.sections[i].size-16)
		return true
	}, []Kind{SectionSize}},
	{"code of two functions changed over", func(e *editor) bool {
		var found []int
		for i := range e.out.sections {
			if isCode(&e.out.sections[i]) {
				found = append(found, i)
			}
		}
		if len(found) < 2 || bytes.Equal(e.out.sections[found[0]].body, e.out.sections[found[1]].body) {
			return false
		}
		a, b := e.header(found[0], shOffset), e.header(found[1], shOffset)
		x, y := e.get(a, 8), e.get(b, 8)
		e.put(a, 8, y)
		e.put(b, 8, x)
		return true
	}, []Kind{CodeBytes, SectionSize, RelocationField}},
	{"function missing", func(e *editor) bool {
		i := e.section(func(s *section) bool { b := e.out.bodies[s.index]; return b != nil && !b.kernel() })
		if i == 0 {
			return false
		}
		e.put(e.header(i, shType), 4, 0)
		e.put(e.header(i, shFlags), 8, 0)
		return true
	}, []Kind{FunctionMissing}},
	{"kernel missing", func(e *editor) bool {
		i := e.section(func(s *section) bool { b := e.out.bodies[s.index]; return b != nil && b.kernel() })
		if i == 0 {
			return false
		}
		e.put(e.header(i, shType), 4, 0)
		e.put(e.header(i, shFlags), 8, 0)
		return true
	}, []Kind{FunctionMissing}},
	{"constants missing", func(e *editor) bool {
		i := e.section(func(s *section) bool {
			a := e.out.areas[s.index]
			return a != nil && a.kind > cuda.SHTCudaConstant0 && a.kind <= cuda.SHTCudaConstant17
		})
		if i == 0 {
			return false
		}
		e.put(e.header(i, shType), 4, 0)
		return true
	}, []Kind{SectionMissing}},
	{"section twice", func(e *editor) bool {
		a := e.section(isCode)
		b := e.section(func(s *section) bool { return isCode(s) && s.index != a })
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
		e.put(e.header(i, shSize), 8, e.out.sections[i].size-1)
		return true
	}, []Kind{SectionSize}},
	{"shared memory too small", func(e *editor) bool {
		i := e.section(func(s *section) bool {
			a := e.out.areas[s.index]
			return a != nil && a.kind == cuda.SHTCudaShared && s.size > 0
		})
		if i == 0 {
			return false
		}
		e.put(e.header(i, shSize), 8, e.out.sections[i].size-4)
		return true
	}, []Kind{SectionSize, SharedSize, SegmentCover}},
	{"constants in another bank", func(e *editor) bool {
		i := e.named(".nv.constant3")
		if i == 0 {
			return false
		}
		at := e.out.sections[e.out.header.shstrndx].offset + e.get(e.header(i, shName), 4)
		copy(e.bytes[at:], ".nv.constant4")
		return true
	}, []Kind{SectionMissing}},
}

func dataByte(ok func(*area) bool) func(*editor) bool {
	return func(e *editor) bool {
		for _, a := range e.areas {
			if a.out != nil && len(a.out.body) > 0 && ok(a) && !a.isFree(a.out.size/2) {
				e.flip(a.out.offset+a.out.size/2, 0x11)
				return true
			}
		}
		return false
	}
}

// onSymbol changes a field of the first fitting symbol.
func onSymbol(ok func(*identity, *symbol) bool, field, width uint64, change func(uint64) uint64) func(*editor) bool {
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

func isFunction(id *identity, s *symbol) bool { return id.function() && s.defined() }
func isKernel(id *identity, s *symbol) bool   { return id.kernel() && s.defined() }
func isObject(id *identity, s *symbol) bool {
	return !id.function() && s.defined() && !s.special && s.size > 0
}
func isGlobal(id *identity, s *symbol) bool { return id.bind() == cuda.STBGlobal && s.defined() }

func add(n uint64) func(uint64) uint64 { return func(v uint64) uint64 { return v + n } }
func xor(n uint64) func(uint64) uint64 { return func(v uint64) uint64 { return v ^ n } }
func set(n uint64) func(uint64) uint64 { return func(uint64) uint64 { return n } }

var symbolDefects = []defect{
	{"function at another place", onSymbol(isFunction, stValue, 8, add(16)), []Kind{SymbolValue}},
	{"object at another place", onSymbol(isObject, stValue, 8, add(64)), placeKinds},
	{"object off its alignment", onSymbol(func(id *identity, s *symbol) bool {
		return isObject(id, s) && id.def != nil && !id.def.special && id.mod.sections[id.def.shndx].align > 1
	}, stValue, 8, add(1)), placeKinds},
	{"object behind its section", func(e *editor) bool {
		i := e.object(func(id *identity, s *symbol) bool { return true })
		if i == 0 {
			return false
		}
		e.put(e.entry(i, stValue), 8, e.out.sections[e.out.symbols[i].shndx].size)
		return true
	}, placeKinds},
	{"object far behind its section", onSymbol(isObject, stValue, 8, set(1<<63)), placeKinds},
	{"objects overlap", func(e *editor) bool {
		i := e.object(func(id *identity, s *symbol) bool { return true })
		j := e.object(func(id *identity, s *symbol) bool {
			return s.index != i && s.shndx == e.out.symbols[max(i, 0)].shndx
		})
		if i == 0 || j == 0 {
			return false
		}
		e.put(e.entry(j, stValue), 8, e.out.symbols[i].value)
		return true
	}, placeKinds},
	{"object in another section", func(e *editor) bool {
		i := e.object(func(id *identity, s *symbol) bool { return true })
		j := e.section(func(s *section) bool { return e.out.areas[s.index] != nil && s.index != e.out.symbols[max(i, 0)].shndx })
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
		j := e.section(func(s *section) bool { return isCode(s) && s.index != e.out.symbols[i].shndx })
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
		j := e.symbol(func(id *identity, s *symbol) bool { return isGlobal(id, s) && s.index > i })
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
		t := &e.out.sections[e.out.symtab]
		e.move(e.out.symtab, append(bytes.Clone(t.body), t.body[24*i:24*i+24]...))
		return true
	}, []Kind{SymbolStray}},
	{"last symbol dropped", func(e *editor) bool {
		t := &e.out.sections[e.out.symtab]
		if e.out.refs[len(e.out.symbols)-1].id == nil {
			return false
		}
		e.put(e.header(t.index, shSize), 8, t.size-24)
		return true
	}, []Kind{SymbolMissing}},
	{"symbol table empty", func(e *editor) bool {
		e.put(e.header(e.out.symtab, shSize), 8, 24)
		return true
	}, []Kind{SymbolMissing}},
	{"no symbol table", func(e *editor) bool {
		e.put(e.header(e.out.symtab, shType), 4, 1)
		return true
	}, []Kind{SymbolMissing, OtherProgram}},
	{"first global symbol", func(e *editor) bool {
		at := e.header(e.out.symtab, shInfo)
		e.put(at, 4, e.get(at, 4)+1)
		return true
	}, []Kind{SymbolOrder}},
	{"section symbol of another section", func(e *editor) bool {
		for i := range e.out.symbols {
			if s := &e.out.symbols[i]; i > 0 && s.kind() == cuda.STTSection {
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
