package container

import (
	"bytes"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Sections of host files that carry device code or speak of it.
const (
	// RelocatableSection holds code compiled with -rdc=true, to be linked.
	RelocatableSection = "__nv_relfatbin"
	// PlainSection holds whole programs, linked code among them.
	PlainSection = ".nv_fatbin"

	moduleIDSection = "__nv_module_id"
	segmentSection  = ".nvFatBinSegment"
)

// Object is a host file as far as device code is concerned.
type Object struct {
	Format      Format // HostObject, SharedObject or Program
	Machine     uint16 // e_machine
	Relocatable []Fatbin
	Plain       []Fatbin
	// HasRelocatable and HasPlain report whether the sections are there, perhaps empty.
	HasRelocatable, HasPlain bool
	// ModuleIDs names the translation units, one each: an object that "ld -r"
	// made of several has several.
	ModuleIDs    []string
	HasModuleIDs bool // the section is there, perhaps with an empty name
	// Segment reports whether .nvFatBinSegment is there.
	Segment bool
	// References says what the host uses of the device code; nil where the
	// object has no such sections.
	References *References
}

// References lists what host code refers to, from .nvHRKE and its like: names or
// patterns in which * stands for any characters. Names of things with internal
// linkage stand apart.
type References struct {
	ListsKernels                 bool // .nvHRKE is there
	Kernels, InternalKernels     []string
	Variables, InternalVariables []string
	Constants, InternalConstants []string
}

// IsHostObject reports whether data is a relocatable object of a host machine.
func IsHostObject(data []byte) bool {
	return IsELF(data) && le16(data[18:]) != cuda.EMCuda && le16(data[16:]) == etRel
}

// ReadObject reads a host object, shared object or program; path is for names
// and errors.
func ReadObject(path string, data []byte, budget *Budget) (*Object, error) {
	f, err := openELF(path, data)
	if err != nil {
		return nil, err
	}
	o := &Object{Machine: f.machine}
	switch f.typ {
	case etRel:
		o.Format = HostObject
	case etDyn, etExec:
		o.Format = SharedObject
		if f.typ == etExec || f.hasInterpreter() {
			o.Format = Program
		}
	default:
		return nil, f.fault(Unsupported, 16, uint64(f.typ), "an ELF file of another type")
	}
	if f.machine == cuda.EMCuda {
		return nil, f.fault(Unsupported, 18, uint64(f.machine), "a cubin, where a host file is looked for")
	}
	for i := range f.sections {
		if err := o.section(f, &f.sections[i], budget); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (f *elfFile) hasInterpreter() bool {
	for i := range f.sections {
		if f.sections[i].name == ".interp" {
			return true
		}
	}
	return false
}

// section reads one section, where it is of those that matter.
func (o *Object) section(f *elfFile, s *elfSect, budget *Budget) error {
	var fatbins *[]Fatbin
	switch s.name {
	case RelocatableSection:
		fatbins, o.HasRelocatable = &o.Relocatable, true
	case PlainSection:
		fatbins, o.HasPlain = &o.Plain, true
	case segmentSection:
		o.Segment = true
		return nil
	case moduleIDSection:
	default:
		if !strings.HasPrefix(s.name, ".nvHR") {
			return nil
		}
	}
	data, err := f.content(s)
	if err != nil {
		return err
	}
	if fatbins == nil {
		o.names(s.name, data)
		return nil
	}
	list, err := ReadFatbins(f.path, data, budget)
	if err != nil {
		return inSection(err, s.off)
	}
	for i := range list {
		for j := range list[i].Members {
			m := &list[i].Members[j]
			m.Section, m.Fatbin = s.name, len(*fatbins)+i
			m.Offset += s.off
		}
		list[i].Offset += s.off
	}
	*fatbins = append(*fatbins, list...)
	return nil
}

// inSection makes the offset of a fault in a section one of the file.
func inSection(err error, off uint64) error {
	if e, ok := err.(*Error); ok {
		e.Offset += off
	}
	return err
}

// names stores the names of a section.
func (o *Object) names(section string, data []byte) {
	if section == moduleIDSection {
		names := splitNames(data)
		if len(names) == 0 && len(data) > 0 {
			names = []string{""}
		}
		o.HasModuleIDs, o.ModuleIDs = true, append(o.ModuleIDs, names...)
		return
	}
	if o.References == nil {
		o.References = new(References)
	}
	r := o.References
	r.ListsKernels = r.ListsKernels || section == ".nvHRKE"
	for _, l := range [...]struct {
		section string
		list    *[]string
	}{
		{".nvHRKE", &r.Kernels}, {".nvHRKI", &r.InternalKernels}, {".nvHRDE", &r.Variables},
		{".nvHRDI", &r.InternalVariables}, {".nvHRCE", &r.Constants}, {".nvHRCI", &r.InternalConstants},
	} {
		if l.section == section {
			*l.list = append(*l.list, splitNames(data)...)
		}
	}
}

// splitNames cuts NUL-terminated names; empty ones go.
func splitNames(data []byte) []string {
	var names []string
	for _, n := range bytes.Split(data, []byte{0}) {
		if len(n) > 0 {
			names = append(names, string(n))
		}
	}
	return names
}
