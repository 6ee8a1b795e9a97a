package inputs

import (
	"errors"
	"fmt"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
)

// addHost adds a host object: the device code in it for the target.
func (s *Set) addHost(p *part, inArchive bool) []engine.Diagnostic {
	if p.fault != nil {
		return s.hostFault(p)
	}
	o := p.host
	if !o.Segment || len(o.Relocatable) == 0 {
		// Nothing is known of what a host object without device code refers to.
		s.incomplete = true
		return nil
	}
	if said := s.late(); said != nil {
		return said
	}
	s.refer(o)
	fatbins := o.Relocatable
	if len(fatbins) > 1 && s.lost(p.name, fmt.Sprintf("'%s' holds %d fatbinaries: all but the first", p.name, len(fatbins))) {
		fatbins = fatbins[:1]
	}
	s.register(p.name, o, len(fatbins))
	var said []engine.Diagnostic
	for i := range fatbins {
		found, err := s.take(p.name, fatbins[i].Members)
		if err != nil {
			return err
		}
		if !found && !inArchive {
			said = append(said, s.noCode(p.name)...)
		}
	}
	return said
}

// hostFault tells of a host object that can't be read.
func (s *Set) hostFault(p *part) []engine.Diagnostic {
	var e *container.Error
	if errors.As(p.fault, &e) && e.Kind == container.Unsupported {
		return nil // of another class or byte order: no host object of nvlink's
	}
	return append(fatal(p.name, "Could not find fatbin in '%s': %s", p.name, p.fault), fatal(p.name, "elfLink internal error")...)
}

// refer adds what the host refers to. An object that doesn't list the kernels
// that it launches makes all of it unknown.
func (s *Set) refer(o *container.Object) {
	s.objects++
	if o.References == nil || !o.References.ListsKernels {
		s.incomplete = true
		return
	}
	s.host.Kernels = append(s.host.Kernels, o.References.Kernels...)
	s.host.InternalKernels = append(s.host.InternalKernels, o.References.InternalKernels...)
}

// register adds an object's names for the registration file. Before 13.0 an
// object has one.
func (s *Set) register(name string, o *container.Object, linked int) {
	if !o.HasModuleIDs {
		s.Registered = append(s.Registered, Registration{Path: name})
		return
	}
	ids := o.ModuleIDs
	if len(ids) > 1 && linked == 1 && s.cmd.Release.RegistersFirst() {
		ids = ids[:1]
	}
	for _, id := range ids {
		s.Registered = append(s.Registered, Registration{ID: id})
	}
}

// take links the piece of a fatbinary that is for the target; false where there
// is none.
func (s *Set) take(name string, members []container.Member) (found bool, fault []engine.Diagnostic) {
	if s.virtual {
		return container.ChoosePTX(members, s.target) != nil, nil
	}
	m := container.Choose(members, s.target)
	if m == nil {
		return false, nil
	}
	if m.Kind == container.PTX {
		return true, s.needsCompiler(name, m)
	}
	data, err := m.Data(s.reader.budget)
	if err != nil {
		return true, append(fatal(name, "%s", err), fatal(name, "elfLink fatbinary error")...)
	}
	s.link(name, data)
	return true, nil
}

// needsCompiler refuses PTX: nvlink compiles it, with a ptxas of its own.
func (s *Set) needsCompiler(name string, m *container.Member) []engine.Diagnostic {
	d := cmdline.Unsupported("input file '%s': PTX for compute_%s, to be compiled for %s,", name, m.Arch, s.cmd.Options.Arch)
	d.File = name
	return []engine.Diagnostic{d}
}

// addFatbin adds a .fatbin file.
func (s *Set) addFatbin(name string, data []byte) []engine.Diagnostic {
	list, err := container.ReadFatbins(name, data, s.reader.spend(data))
	if err != nil {
		return append(fatal(name, "%s", err), fatal(name, "elfLink fatbinary error")...)
	}
	if len(list) == 0 {
		return nil
	}
	if said := s.late(); said != nil {
		return said
	}
	if len(list) > 1 && s.lost(name, fmt.Sprintf("'%s' holds %d fatbinaries: all but the first", name, len(list))) {
		list = list[:1]
	}
	said := s.noHostCode(name)
	s.incomplete = true
	registered := false
	for i := range list {
		found, err := s.take(name, list[i].Members)
		if err != nil {
			return append(said, err...)
		}
		if !found {
			said = append(said, s.noCode(name)...)
		} else if !registered {
			s.Registered, registered = append(s.Registered, Registration{Path: name}), true
		}
	}
	if !registered && s.cmd.Release.RegistersNull() {
		s.Registered = append(s.Registered, Registration{ID: "(null)"})
	}
	return said
}

// addPTX refuses a .ptx file; 13.0 and later ignore it.
func (s *Set) addPTX(name string, data []byte) []engine.Diagnostic {
	arch, _ := container.PTXTarget(data)
	if s.cmd.Release.IgnoresPTX() {
		if s.cmd.AsNvlink {
			s.Lost = append(s.Lost, engine.Diagnostic{Severity: engine.Warning, Kind: engine.Lost, File: name, Text: fmt.Sprintf("'%s': dropped, as nvlink does", name)})
			return nil
		}
		return []engine.Diagnostic{{Severity: engine.Fatal, Kind: engine.Lost, File: name,
			Text: fmt.Sprintf("'%s' is PTX, which nvlink %s ignores without a word: compile it with ptxas -c, or give --as-nvlink", name, s.cmd.Release)}}
	}
	return s.needsCompiler(name, &container.Member{Arch: arch})
}
