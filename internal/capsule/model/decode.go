package model

import (
	"encoding/binary"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/dwarf"
)

// decodeBody decodes a section by its type and, for debug sections, which are
// all PROGBITS, by its name.
func (m *Model) decodeBody(i int) (Body, error) {
	p, data := m.draft.Part(i), m.draft.Data(i)
	switch {
	case p.Type == cuda.SHTStrtab:
		return decodeStrings(data), nil
	case cubin.IsSymbols(p.Type):
		return m.decodeSymbols(i)
	case p.Type == cuda.SHTSymtabShndx:
		return decodeWords(data), nil
	case cubin.IsRelocs(p.Type):
		list, err := m.draft.Relocs(i)
		return &Relocs{list, p.EntSize == cubin.RelSize}, err
	case cubin.IsInfo(p.Type):
		list, err := m.draft.Info(i)
		return &Attributes{list}, err
	case p.Type == cuda.SHTNote:
		list, err := m.draft.Notes(i)
		return decodeNotes(list), err
	case cubin.IsCallgraph(p.Type):
		list, err := m.draft.Callgraph(i)
		return &Callgraph{list}, err
	case cubin.IsPrototype(p.Type):
		list, err := m.draft.Pairs(i)
		return &Pairs{list}, err
	case p.Type == cuda.SHTCudaCapmerc:
		return m.decodeCapsule(i)
	case p.Flags&cuda.SHFExec != 0:
		return decodeCode(data), nil
	}
	return m.decodeDebug(i)
}

func (m *Model) fault(i int, f *capsule.Fault) error {
	return f.In(m.draft.Name(), m.draft.SectionName(i))
}

func (m *Model) decodeDebug(i int) (Body, error) {
	data := m.draft.Data(i)
	switch strings.TrimPrefix(m.draft.SectionName(i), ".nv.merc") {
	case ".debug_line", ".nv_debug_line_sass":
		units, f := dwarf.DecodeLines(data)
		return &Lines{units}, m.fault(i, f)
	case ".debug_frame":
		list, f := dwarf.DecodeFrames(data)
		return &Frames{list}, m.fault(i, f)
	case ".nv_debug_info_reg_sass":
		list, f := dwarf.DecodeRegisters(data)
		return &Registers{list}, m.fault(i, f)
	}
	return Bytes(data), nil
}

// decodeCapsule decodes a capsule, whose first word names the code it covers.
func (m *Model) decodeCapsule(i int) (Body, error) {
	data := m.draft.Data(i)
	head, ok := cubin.Window(data, 0, 4)
	if !ok {
		return nil, &cubin.Error{Kind: cubin.BadRecord, File: m.draft.Name(), Section: m.draft.SectionName(i),
			Value: uint64(len(data)), Detail: "a capsule of that many bytes has no header"}
	}
	text := binary.LittleEndian.Uint32(head)
	code := m.draft.Part(int(text))
	if code == nil || code.Flags&cuda.SHFExec == 0 || code.NoBits() {
		return nil, &cubin.Error{Kind: cubin.BadIndex, File: m.draft.Name(), Section: m.draft.SectionName(i),
			Value: uint64(text), Detail: "the capsule's first word is not a text section"}
	}
	c, f := capsule.Decode(data, code.Size)
	if f != nil {
		return nil, m.fault(i, f)
	}
	c.Locate(m.draft.Data(int(text)))
	return &Capsule{c}, nil
}

func (m *Model) decodeSymbols(i int) (Body, error) {
	list, err := m.draft.Symbols(i)
	if err != nil {
		return nil, err
	}
	b := &Symbols{List: make([]Symbol, len(list))}
	for k := range list {
		b.List[k] = Symbol{list[k].Symbol, list[k].Name}
	}
	return b, nil
}
