package registration

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/container"
)

// Program is what a check of a finished program found.
type Program struct {
	Format  container.Format
	Modules int      // translation units compiled for linking
	Images  []string // the architectures of its linked images
	Names   int      // kernels, variables and constants that host code refers to
	Faults  []Fault
	// Unjudged says what could not be held against anything.
	Unjudged []string
}

// define begins the entries that a device link adds.
const define = "def "

// CheckProgram checks a program or shared object. An error is one of its format.
func CheckProgram(name string, data []byte) (*Program, error) {
	budget := container.NewBudget(len(data))
	o, err := container.ReadObject(name, data, budget)
	if err != nil {
		return nil, err
	}
	p := &Program{Format: o.Format}
	p.checkModules(o.ModuleIDs)
	images, err := imagesOf(o, budget)
	if err != nil {
		return nil, err
	}
	for arch := range images {
		p.Images = append(p.Images, arch)
	}
	slices.Sort(p.Images)
	r := o.References
	switch {
	case r == nil:
		p.Unjudged = append(p.Unjudged, "the file doesn't say what its host code refers to")
		return p, nil
	case len(images) == 0:
		p.Unjudged = append(p.Unjudged, "no image for a real architecture is there: only PTX, or nothing")
		return p, nil
	}
	p.Names = len(r.Kernels) + len(r.InternalKernels) + len(r.Variables) + len(r.InternalVariables) + len(r.Constants) + len(r.InternalConstants)
	for _, arch := range p.Images {
		names := images[arch]
		p.lacking(NoKernel, arch, r.Kernels, r.InternalKernels, names.kernels)
		p.lacking(NoVariable, arch, r.Variables, r.InternalVariables, names.variables)
		p.lacking(NoVariable, arch, r.Constants, r.InternalConstants, names.variables)
	}
	return p, nil
}

// checkModules holds the identifiers of modules against those that were
// registered. Identifiers without a name are of objects compiled by others.
func (p *Program) checkModules(ids []string) {
	var modules, registered []string
	for _, id := range ids {
		id = strings.TrimSpace(id)
		if def, ok := strings.CutPrefix(id, define); ok {
			registered = append(registered, strings.TrimSpace(def))
		} else if id != "" {
			modules = append(modules, id)
		}
	}
	p.Modules = len(modules)
	p.Faults = append(p.Faults, matchNames(registered, modules)...)
	seen := make(map[string]bool)
	for _, m := range modules {
		if seen[m] {
			p.Faults = append(p.Faults, Fault{Kind: Twice, Name: m})
		}
		seen[m] = true
	}
}

// defined are the names in the images for one architecture.
type defined struct{ kernels, variables []string }

func imagesOf(o *container.Object, budget *container.Budget) (map[string]*defined, error) {
	images := make(map[string]*defined)
	for _, f := range o.Plain {
		for i := range f.Members {
			m := &f.Members[i]
			if m.Kind != container.Cubin {
				continue
			}
			data, err := m.Data(budget)
			if err != nil {
				return nil, err
			}
			d := images[m.Target()]
			if d == nil {
				d = new(defined)
				images[m.Target()] = d
			}
			if err := d.add(m.Name(), data); err != nil {
				return nil, err
			}
		}
	}
	return images, nil
}

func (d *defined) add(name string, data []byte) error {
	f, err := cubin.Open(name, data)
	if err != nil {
		return err
	}
	t := f.Symtab()
	for i := 1; t != nil && i < t.Len(); i++ {
		s, ok := t.At(i)
		if !ok || s.Shndx == cuda.SHNUndef {
			continue
		}
		switch {
		case s.Type() == cuda.STTFunc && s.Other&cuda.STOEntry != 0:
			d.kernels = append(d.kernels, strings.Clone(t.Name(&s)))
		case slices.Contains([]cuda.SymbolType{cuda.STTObject, cuda.STTCudaObject, cuda.STTCudaTexture, cuda.STTCudaSurface, cuda.STTCudaSampler}, s.Type()):
			d.variables = append(d.variables, strings.Clone(t.Name(&s)))
		}
	}
	return nil
}

// lacking notes the names that an architecture's images lack. Of a template nvcc
// lists two patterns, for external and for internal linkage, with the same end;
// one of them is there.
func (p *Program) lacking(kind FaultKind, arch string, external, internal, names []string) {
	there := func(pattern string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return matches(pattern, n) })
	}
	paired := func(list []string, same func(string) bool) bool {
		return slices.ContainsFunc(list, func(other string) bool { return same(other) && there(other) })
	}
	for _, e := range external {
		if !there(e) && !paired(internal, func(i string) bool { return end(i) != "" && strings.HasSuffix(e, end(i)) }) {
			p.Faults = append(p.Faults, Fault{Kind: kind, Name: e, Image: arch})
		}
	}
	for _, i := range internal {
		listed := slices.ContainsFunc(external, func(e string) bool { return end(i) != "" && strings.HasSuffix(e, end(i)) })
		if !listed && !there(i) {
			p.Faults = append(p.Faults, Fault{Kind: kind, Name: i, Image: arch})
		}
	}
}

// end is what follows a pattern's first star: the name without its module.
func end(pattern string) string {
	_, tail, _ := strings.Cut(pattern, "*")
	return tail
}

// matches reports whether a name fits a pattern in which * stands for any
// characters.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	if len(parts) == 1 {
		return rest == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}
