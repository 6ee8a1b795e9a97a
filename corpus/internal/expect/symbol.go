package expect

import (
	"math"
	"strings"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// symbol is what a record names, in the oracle's terms.
type symbol struct {
	name     string // as the image has it
	kind     oracle.SymbolKind
	value    uint64 // S
	lies     cuda.SectionType
	slot     uint32
	section  bool   // it stands for a section
	base     uint64 // where that share of the section begins
	kernel   bool
	dynamic  bool // dynamic shared memory
	table    bool // the linker's name for a part of the unified tables
	reserved bool // its name for the reserved shared memory
	emitted  bool // hidden, and yet in the image
	unplaced bool // its value is all ones, and it reaches the output
}

const (
	dynamicAlignment = 16
	reservesShared   = 90 // the first architecture that keeps shared memory for itself
)

// reservedValues are what the finalizer takes for the symbols of reserved shared
// memory, which have the value 0 in the Mercury group.
var reservedValues = map[string]uint64{".nv.reservedSmem.offset0": 0x40, ".nv.reservedSmem.cap": 0x400}

// addend returns what is added to the addend of a record: where a symbol stands
// for a section, the record moves with the object's share of it.
func (s symbol) addend() int64 {
	if s.section {
		return int64(s.base)
	}
	return 0
}

// symbol classifies the symbol of a record.
func (c *link) symbol(i int) (symbol, error) {
	f := c.facts.Symbols[i]
	s := symbol{name: f.Name, base: f.Base, section: f.Type == cuda.STTSection, value: f.Base + f.Value, lies: f.SectionType}
	switch {
	case !f.Exists:
		return s, &Unknown{"a symbol behind the table"}
	case f.Index == 0:
		s.name, s.kind = "#0", oracle.Constant
		return s, nil
	case f.Type == cuda.STTSection:
		s.value = f.Value
		return c.sectionSymbol(s, f.Section), nil
	}
	kind := c.m.Kind(c.v.Template.Program, f.Name)
	if kind == "undefined" {
		kind = undefinedKind(f)
	}
	if err := c.classify(&s, kind, f); err != nil {
		return s, err
	}
	return s, nil
}

// classify fills in what a kind of symbol is to the oracle.
func (c *link) classify(s *symbol, kind string, f relocs.Symbol) error {
	switch kind {
	case "constant":
		s.kind = oracle.Constant
		s.unplaced = s.value == math.MaxUint64
		if !f.Defined {
			s.value, s.unplaced = math.MaxUint64, false
		}
	case "parameter":
		s.kind, s.emitted = oracle.Hidden, c.preserve
	case "compiler constant":
		s.kind, s.emitted, s.slot = oracle.Hidden, c.preserve, uint32(f.Align)
	case "unified":
		s.kind, s.table = oracle.Dead, true
	case "reserved":
		s.kind, s.reserved, s.value = oracle.Global, true, reservedValues[f.Name]
	case "shared", "dynamic", "own shared":
		// The only shared variable of the link that is used is first; one
		// that no code uses has no address. Dynamic shared memory is undefined
		// until a kernel gets it, and its alignment is 16.
		s.kind, s.slot = oracle.Hidden, uint32(f.Value)
		s.value = 0
		s.dynamic = kind == "dynamic"
		s.emitted = c.preserve && !s.dynamic && (kind == "own shared" || c.placeKind() == placeCode)
		if s.dynamic && c.placeKind() == placeCode {
			s.slot = dynamicAlignment
		}
		if kind != "own shared" && c.placeKind() != placeCode || s.dynamic && c.preserve && strings.HasSuffix(c.v.Place, ".text.deadfun") {
			s.value, s.lies = math.MaxUint64, cuda.SHTCudaShared
		}
	case "global":
		s.kind = oracle.Global
		s.unplaced = f.Defined && f.Value == math.MaxUint64
	case "function", "syscall":
		s.kind, s.kernel = oracle.Function, f.Other&cuda.STOEntry != 0
	case "dead", "idle", "idle syscall":
		s.kind = oracle.Dead
		if c.revived(f.Name) {
			s.kind = oracle.Function
		}
	case "texture":
		s.kind, s.lies = oracle.Texture, cuda.SHTCudaConstant0
		s.value = c.textureSlot(f.Name)
	default:
		return &Unknown{"symbol kind " + kind}
	}
	return nil
}

// undefinedKind says how a record against an undefined symbol is treated: as
// one against what it should have been. A constant has the address -1, in no
// section.
func undefinedKind(f relocs.Symbol) string {
	switch {
	case f.Type == cuda.STTFunc:
		return "function"
	case f.Other&cuda.STOSpace == cuda.STOConstant:
		return "constant"
	}
	return "global"
}

// reported reports whether an undefined symbol ends the link: a variable does, a
// function where code that is reached calls it or a record takes its address.
func (c *link) reported(name string) bool {
	kind := c.m.Kind(c.v.Template.Program, name)
	if kind == "undefined" {
		return true
	}
	if kind != "idle" {
		return false
	}
	return c.revived(name) || c.revived("deadfun") // which calls it
}

func (c *link) sectionSymbol(s symbol, section string) symbol {
	switch s.lies {
	case cuda.SHTCudaGlobal, cuda.SHTCudaGlobalInit:
		s.kind = oracle.Global
	case cuda.SHTCudaShared:
		// Since sm_90 all shared memory has a reserved part, and so a section.
		s.kind, s.emitted = oracle.SharedSection, c.preserve && c.sm >= reservesShared || section != ".nv_debug.shared"
	default:
		s.kind = oracle.Constant
		if strings.HasSuffix(section, ".text.deadfun") && !c.revived("deadfun") {
			s.kind = oracle.Hidden
		}
	}
	return s
}
