package model

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// Role makes a section that is looked up by what it is for.
func (l *Program) Role(name string, typ cuda.SectionType, flags cuda.SectionFlags, align uint64) SecID {
	n := l.Names.ID(name)
	id := l.NewSection(n, typ, flags, align)
	l.SetUnowned(n, id)
	return id
}

// WillMake marks sections whose content the link makes at its end.
func (l *Program) WillMake(ids ...SecID) {
	for _, id := range ids {
		l.Secs[id].Made = true
	}
}

// PoolShared returns .nv_debug.shared, the section of shared variables that
// belong to no kernel, and makes it where there is none.
func (l *Program) PoolShared() SecID {
	name := l.Names.ID(".nv_debug.shared")
	id := l.Unowned(name)
	if id == Absent {
		id = l.NewSection(name, cuda.SHTCudaShared, cuda.SHFWrite|cuda.SHFAlloc, 1)
		l.SetUnowned(name, id)
	}
	return id
}

// PreserveFor makes the section for a target's resolved records, named by what the
// input calls the target. It is looked up by name alone, so that two static functions of a name share the first's.
// It reports whether the section is a new one.
func (l *Program) PreserveFor(of names.ID, target SecID) bool {
	name := l.Names.ID(".nv.resolvedrela" + l.Names.Str(of))
	if l.Unowned(name) != Absent {
		return false
	}
	id := l.NewSection(name, cuda.SHTCudaResolvedRela, l.InfoFlags(), 8)
	l.Secs[id].Target = target
	l.SetUnowned(name, id)
	return true
}

// DescribesCode reports whether a section is one of those debug sections.
func (l *Program) DescribesCode(target SecID) bool {
	switch l.Names.Str(l.Secs[target].Name) {
	case ".debug_frame", ".debug_line", ".nv_debug_line_sass":
		return true
	}
	return false
}

// unifiedSymbols are the synthetic symbols of the unified tables. Undefined,
// they stand for nothing: relocations to them go.
var unifiedSymbols = []string{"__UDT_OFFSET", "__UFT_OFFSET", "__UFT_CANONICAL", "__UDT_CANONICAL",
	"__UFT", "__UDT", "__UFT_END", "__UDT_END"}

// IsUnified reports whether a symbol is an undefined synthetic one.
func (l *Program) IsUnified(s SymID) bool {
	if l.unified == nil {
		l.NameUnified()
	}
	sym := &l.Syms[s]
	return !sym.Is(SymDefined) && l.unified[sym.Name]
}

// NameUnified looks up the names that IsUnified asks for: several cores may then ask.
func (l *Program) NameUnified() {
	l.unified = make(map[names.ID]bool)
	for _, n := range unifiedSymbols {
		l.unified[l.Names.ID(n)] = true
	}
}

func (l *Program) SymName(s SymID) string {
	if s < 0 {
		return ""
	}
	return l.Names.Str(l.Syms[s].Name)
}

// IsDescSize reports whether a name is of the size of a descriptor of textures or surfaces, such as
// .nv.unified.texrefDescSize, that a query of ptxas names (nvlink 13.0.88, 13.4.92).
func IsDescSize(name string) bool {
	return strings.HasPrefix(name, ".nv.") && strings.HasSuffix(name, "refDescSize")
}

// ConstantSize is the symbol by which code learns how long the program's own constants are.
const ConstantSize = ".nv.ptx.const0.size"

// TensorColumns is the symbol by which code of 13.3 and later learns how many columns tensor memory has.
const TensorColumns = "__tcgen05_tmem_max_col_size"

// IsDriverValue reports whether a name is of a number that no object defines: of the driver's part of shared
// memory, or of tensor memory.
func IsDriverValue(name string) bool {
	return strings.HasPrefix(name, ".nv.reservedSmem") || name == TensorColumns
}

// IsSynthetic reports whether a name is one of those that the linker itself
// gives a meaning to.
func IsSynthetic(name string) bool {
	return IsDriverValue(name) || IsDescSize(name) || slices.Contains(unifiedSymbols, name)
}
