package check

import (
	"bytes"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// onHeader changes a field of the first fitting section header.
func onHeader(ok func(*image.Section) bool, field, width uint64, change func(uint64) uint64) func(*editor) bool {
	return func(e *editor) bool {
		i := e.section(ok)
		if i == 0 {
			return false
		}
		at := e.header(i, field)
		e.put(at, width, change(e.get(at, width)))
		return true
	}
}

func hasBytes(s *image.Section) bool { return s.Kind == cuda.SHTProgbits && s.Size > 0 }

var headerDefects = []defect{
	{"registers of code", onHeader(link.IsCode, shInfo, 4, xor(1<<26)), []Kind{SectionHeader}},
	{"symbol of code", onHeader(link.IsCode, shInfo, 4, add(1)), []Kind{SectionHeader}},
	{"barriers in the flags", onHeader(link.IsCode, shFlags, 8, xor(1<<20)), []Kind{SectionHeader}},
	{"code not executable", onHeader(link.IsCode, shFlags, 8, xor(4)), []Kind{FunctionMissing, SectionHeader}},
	{"code writable", onHeader(link.IsCode, shFlags, 8, xor(1)), []Kind{SectionHeader}},
	{"alignment of code", onHeader(link.IsCode, shAlign, 8, set(32)), []Kind{SectionHeader}},
	{"link of code", onHeader(link.IsCode, shLink, 4, add(1)), []Kind{SectionHeader}},
	{"entry size", onHeader(hasBytes, shEntry, 8, set(8)), []Kind{SectionHeader}},
	{"type of a section", onHeader(func(s *image.Section) bool { return s.Kind == cuda.SHTNobits }, shType, 4, set(0x7000000a)), []Kind{SectionHeader}},
	{"owner of a parameter bank", onHeader(func(s *image.Section) bool { return bytes.HasPrefix([]byte(s.Name), []byte(".nv.constant0.")) }, shInfo, 4, set(1)), []Kind{SectionMissing, SectionHeader}},
	{"owner of attributes", onHeader(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaInfo && s.Info != 0 }, shInfo, 4, set(1)), []Kind{SectionStray, FactMissing}},
	{"name of a section", onHeader(hasBytes, shName, 4, add(1)), []Kind{SectionMissing, FunctionMissing, SectionHeader, SectionStray}},
	{"address of a section", onHeader(hasBytes, 16, 8, set(0x1000)), []Kind{SectionHeader}},
	{"section where another lies", func(e *editor) bool {
		i := e.section(link.IsCode)
		j := e.section(func(s *image.Section) bool { return s.Index != i && hasBytes(s) })
		if i == 0 || j == 0 {
			return false
		}
		e.put(e.header(j, shOffset), 8, e.out.Sections[i].Offset)
		return true
	}, []Kind{SectionOverlap}},
	{"section behind the file", onHeader(hasBytes, shOffset, 8, set(1<<40)), []Kind{Unreadable}},
	{"size that overflows", onHeader(hasBytes, shSize, 8, set(1<<64-1)), []Kind{Unreadable}},
	{"string table of the symbols", onHeader(func(s *image.Section) bool { return s.Kind == cuda.SHTSymtab }, shLink, 4, set(1)), []Kind{SectionHeader, SymbolMissing, Unreadable}},
}

// onSegment changes a field of the i-th program header.
func onSegment(i, field, width uint64, change func(uint64) uint64) func(*editor) bool {
	return func(e *editor) bool {
		if e.out.Header.Phnum <= i {
			return false
		}
		at := e.out.Header.Phoff + 56*i + field
		e.put(at, width, change(e.get(at, width)))
		return true
	}
}

func onFile(at, width uint64, change func(uint64) uint64) func(*editor) bool {
	return func(e *editor) bool {
		e.put(at, width, change(e.get(at, width)))
		return true
	}
}

func withNotes(plant func(*editor) bool) func(*editor) bool {
	return func(e *editor) bool { return e.Release >= 130 && plant(e) }
}

func onBody(name string, at, width uint64, change func(uint64) uint64) func(*editor) bool {
	return func(e *editor) bool {
		i := e.named(name)
		if i == 0 || e.out.Sections[i].Size < at+width {
			return false
		}
		at := e.out.Sections[i].Offset + at
		e.put(at, width, change(e.get(at, width)))
		return true
	}
}

var fileDefects = []defect{
	{"program header's type", onSegment(1, 0, 4, set(2)), []Kind{SegmentCover}},
	{"program header's permission", onSegment(1, 4, 4, xor(2)), []Kind{SegmentCover}},
	{"program header's place", onSegment(1, 8, 8, add(8)), []Kind{SegmentCover}},
	{"program header's address", onSegment(1, 16, 8, set(0x1000)), []Kind{SegmentCover}},
	{"program header's size in the file", onSegment(1, 32, 8, add(16)), []Kind{SegmentCover}},
	{"program header's size in memory", onSegment(2, 40, 8, add(16)), []Kind{SegmentCover}},
	{"a program header too few", onFile(56, 2, func(v uint64) uint64 {
		if v == 0 {
			return 1
		}
		return v - 1
	}), []Kind{SegmentCover, Unreadable}},
	{"kind of file", onFile(16, 2, xor(3)), []Kind{HeaderField}},
	{"machine", onFile(18, 2, set(62)), []Kind{Unreadable}},
	{"entry point", onFile(24, 8, set(0x40)), []Kind{HeaderField}},
	{"architecture in the flags", onFile(48, 4, func(v uint64) uint64 { return v ^ 0x0101 }), []Kind{HeaderField}},
	{"OS ABI", onFile(7, 1, xor(1)), []Kind{HeaderField}},
	{"ABI version", onFile(8, 1, xor(1)), []Kind{HeaderField}},
	{"class", onFile(4, 1, set(1)), []Kind{Unreadable}},
	{"magic", onFile(0, 1, set(0)), []Kind{Unreadable}},
	{"section table behind the file", onFile(40, 8, set(1<<50)), []Kind{Unreadable}},
	{"section table empty", onFile(60, 2, set(1)), []Kind{OtherProgram, FunctionMissing, SymbolMissing}},
	{"name table", onFile(62, 2, add(1)), []Kind{HeaderField, SectionMissing, FunctionMissing}},
	{"table for the driver", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaRelocInfo })
		if i == 0 {
			return false
		}
		e.flip(e.out.Sections[i].Offset+12, 1)
		return true
	}, []Kind{SectionBytes}},
	{"release in the note", withNotes(onBody(".note.nv.cuinfo", 28, 4, add(1))), []Kind{NoteValue, HeaderField}},
	{"SM in the note", withNotes(onBody(".note.nv.cuinfo", 26, 2, add(1))), []Kind{NoteValue}},
	{"owner of the note", withNotes(onBody(".note.nv.tkinfo", 12, 1, xor(0x20))), []Kind{NoteValue}},
	{"an input's note dropped", withNotes(func(e *editor) bool {
		i := e.named(".note.nv.tkinfo")
		if i == 0 || e.Relocatable || uint64(image.Word(e.out.Sections[i].Body, 4))+24 == e.out.Sections[i].Size {
			return false
		}
		e.put(e.header(i, shSize), 8, e.out.Sections[i].Size-4)
		return true
	}), []Kind{NoteValue}},
	{"compatibility", withNotes(onBody(".nv.compat", 6, 1, add(1))), []Kind{CompatValue}},
	{"compatibility cut short", func(e *editor) bool {
		i := e.named(".nv.compat")
		if i == 0 || e.out.Sections[i].Size < 8 {
			return false
		}
		e.put(e.header(i, shSize), 8, e.out.Sections[i].Size-4)
		return true
	}, []Kind{CompatValue}},
}

// onFact changes the value of an attribute.
func onFact(attr cuda.InfoAttr, at, width uint64, change func(uint64) uint64) func(*editor) bool {
	return func(e *editor) bool {
		i, from := e.attribute(attr)
		if i == 0 {
			return false
		}
		e.put(from+at, width, change(e.get(from+at, width)))
		return true
	}
}

var factDefects = []defect{
	{"register count", onFact(cuda.AttrRegcount, 4, 4, add(1)), []Kind{FactValue}},
	{"register count of another function", onFact(cuda.AttrRegcount, 0, 4, add(1)), []Kind{FactStray, FactMissing, FactValue}},
	{"stack of a kernel", onFact(cuda.AttrMinStackSize, 4, 4, add(8)), []Kind{FactValue}},
	{"frame of a function", onFact(cuda.AttrFrameSize, 4, 4, add(8)), []Kind{FactValue}},
	{"call-return stack", onFact(cuda.AttrCrsStackSize, 0, 4, add(4)), []Kind{FactValue}},
	{"barrier count", onFact(cuda.AttrNumBarriers, 0, 1, add(1)), []Kind{FactValue}},
	{"barrier count dropped", func(e *editor) bool {
		i, at := e.attribute(cuda.AttrNumBarriers)
		if i == 0 {
			return false
		}
		e.put(at-2, 2, 0x2401) // a record with no value of another attribute
		return true
	}, []Kind{FactMissing}},
	{"parameter", onFact(cuda.AttrKparamInfo, 6, 2, add(4)), []Kind{FactValue, FactMissing}},
	{"bank of parameters", onFact(cuda.AttrParamCbank, 6, 2, add(4)), []Kind{FactValue}},
	{"size of parameters", onFact(cuda.AttrCbankParamSize, 0, 2, add(4)), []Kind{FactValue}},
	{"exit of a kernel", onFact(cuda.AttrExitInstrOffsets, 0, 4, add(16)), []Kind{FactValue}},
	{"undefined function", onFact(cuda.AttrExterns, 0, 4, set(0)), []Kind{FactValue, FactStray, FactMissing}},
	{"attributes cut short", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaInfo && s.Size >= 12 })
		if i == 0 {
			return false
		}
		list := e.out.Infos[i]
		last := list[len(list)-1]
		size := uint64(4)
		if last.Format == cuda.FormatSized {
			size += uint64(len(last.Value))
		}
		e.put(e.header(i, shSize), 8, e.out.Sections[i].Size-size)
		return true
	}, []Kind{FactMissing}},
	{"attributes twice", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaInfo })
		if i == 0 {
			return false
		}
		s := &e.out.Sections[i]
		e.move(i, append(bytes.Clone(s.Body), s.Body...))
		return true
	}, []Kind{FactStray}},
	{"attribute longer than its section", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool {
			return s.Kind == cuda.SHTCudaInfo && len(s.Body) > 4 && s.Body[0] == byte(cuda.FormatSized)
		})
		if i == 0 {
			return false
		}
		e.put(e.out.Sections[i].Offset+2, 2, 0xffff)
		return true
	}, []Kind{Unreadable}},
	{"attribute of another number", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaInfo && s.Info != 0 })
		if i == 0 {
			return false
		}
		e.flip(e.out.Sections[i].Offset+1, 0x80)
		return true
	}, []Kind{FactMissing, FactStray}},
}

// onPair changes a word of the first pair under a heading.
func onPair(heading uint32, field uint64, change func(uint64) uint64) func(*editor) bool {
	return func(e *editor) bool {
		i := e.section(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaCallgraph })
		if i == 0 {
			return false
		}
		s := &e.out.Sections[i]
		for at := uint64(0); at+16 <= s.Size; at += 8 {
			if image.Word(s.Body, at) == 0 && image.Word(s.Body, at+4) == heading && image.Word(s.Body, at+8) != 0 {
				where := s.Offset + at + 8 + field
				e.put(where, 4, change(e.get(where, 4)))
				return true
			}
		}
		return false
	}
}

var callDefects = []defect{
	{"caller", onPair(cuda.CallgraphCalls, 0, add(1)), []Kind{CallStray, CallMissing}},
	{"callee", onPair(cuda.CallgraphCalls, 4, add(1)), []Kind{CallStray, CallMissing}},
	{"callee behind the table", onPair(cuda.CallgraphCalls, 4, set(1<<30)), []Kind{CallStray, CallMissing}},
	{"function whose address is taken", onPair(cuda.CallgraphPrototypes, 0, add(1)), []Kind{CallStray, CallMissing}},
	{"prototype", onPair(cuda.CallgraphPrototypes, 4, add(1)), []Kind{CallStray, CallMissing}},
	{"prototype of an indirect call", onPair(cuda.CallgraphIndirect, 4, set(0)), []Kind{CallStray, CallMissing}},
	{"taker of an address", onPair(cuda.CallgraphEdges, 4, add(1)), []Kind{CallStray, CallMissing}},
	{"heading", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaCallgraph })
		if i == 0 {
			return false
		}
		e.flip(e.out.Sections[i].Offset+4, 1)
		return true
	}, []Kind{CallMissing}},
	{"call graph cut short", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaCallgraph })
		if i == 0 {
			return false
		}
		e.put(e.header(i, shSize), 8, e.out.Sections[i].Size-8)
		return true
	}, []Kind{CallMissing}},
	{"call graph missing", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaCallgraph })
		if i == 0 {
			return false
		}
		e.put(e.header(i, shType), 4, 0)
		return true
	}, []Kind{CallMissing, SectionMissing}},
	{"prototype of a function", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaPrototype })
		if i == 0 {
			return false
		}
		at := e.out.Sections[i].Offset + 4
		e.put(at, 4, e.get(at, 4)+1)
		return true
	}, []Kind{CallStray, CallMissing}},
}
