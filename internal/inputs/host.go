package inputs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
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
	if o.Segment && len(o.Relocatable) == 0 && (o.HasRelocatable || !o.HasPlain) {
		return append(fatal(p.name, "Could not find fatbin in '%s'", p.name), fatal(p.name, "elfLink internal error")...)
	}
	if !o.Segment || len(o.Relocatable) == 0 {
		// Nothing is known of what a host object without device code refers to.
		s.incomplete = true
		return nil
	}
	if s.unneeded(p.name) {
		return s.checkUnneeded(p.name, o.Relocatable[0].Members)
	}
	s.opened = true
	s.refer(p.name, o)
	fatbins := o.Relocatable
	if len(fatbins) > 1 && s.lost(p.name, fmt.Sprintf("'%s' has %d fatbinaries: all but the first", p.name, len(fatbins))) {
		fatbins = fatbins[:1]
	}
	if o.HasModuleIDs {
		s.register(o, len(fatbins))
	}
	var said []engine.Diagnostic
	any := false
	for i := range fatbins {
		found, more := s.take(p.name, fatbins[i].Members)
		if said = append(said, more...); ends(more) {
			return said
		}
		if any = any || found; !found && !inArchive {
			said = append(said, s.noCode(p.name)...)
		}
	}
	if !o.HasModuleIDs {
		s.registerPath(p.name, any)
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
func (s *Set) refer(name string, o *container.Object) {
	s.objects++
	if o.References == nil || !o.References.ListsKernels {
		s.incomplete = true
		return
	}
	s.host.Kernels = append(s.host.Kernels, o.References.Kernels...)
	s.host.InternalKernels = append(s.host.InternalKernels, o.References.InternalKernels...)
	r := o.References
	if inDevrt(name) { // it launches kernels of its own, which tells nothing of the program
		s.runtimes += len(r.Kernels) + len(r.InternalKernels)
	}
	s.variables = slices.Concat(s.variables, r.Variables, r.InternalVariables, r.Constants, r.InternalConstants)
}

// register adds an object's names for the registration file. Before 13.0 an
// object has one.
func (s *Set) register(o *container.Object, linked int) {
	ids := o.ModuleIDs
	if len(ids) > 1 && linked == 1 && s.cmd.Release.RegistersFirst() {
		ids = ids[:1]
	}
	for _, id := range ids {
		s.Registered = append(s.Registered, Registration{ID: id})
	}
}

// registerPath adds a file that has no identifier; without code for the target it has no
// name either before 13.0, and later it isn't registered.
func (s *Set) registerPath(name string, found bool) {
	if found {
		s.Registered = append(s.Registered, Registration{Path: name})
	} else if s.cmd.Release.RegistersNull() {
		s.Registered = append(s.Registered, Registration{ID: "(null)"})
	}
}

// take links the piece of a fatbinary that is for the target; false where there
// is none. A fatal message among said ends the link.
func (s *Set) take(name string, members []container.Member) (found bool, said []engine.Diagnostic) {
	if s.virtual {
		found := container.ChoosePTX(members, s.target) != nil
		if found && s.target.SM >= uint32(cuda.MercuryMin) && s.cmd.Release.Toolkit() == cmdline.R130.Toolkit() {
			return true, tooLong(name)
		}
		return found, nil
	}
	ir := container.ChooseLTO(members, s.target)
	if ir != nil && s.cmd.Optimizes() {
		return true, s.keepIR(name, ir)
	}
	m := container.Choose(members, s.target, s.cmd.Release.Toolkit())
	if m == nil {
		if ir != nil {
			return true, fatal(name, "LTO objects found, use -dlto")
		}
		return false, nil
	}
	data, broken := []byte(nil), []engine.Diagnostic(nil)
	if m.Kind == container.Cubin {
		if data, broken = s.unpack(name, m); broken != nil {
			return true, broken
		}
	}
	if said = s.late(); said != nil {
		return true, said
	}
	said = s.notIR(name)
	if m.Kind == container.PTX {
		return true, append(said, s.compile(name, m)...)
	}
	if wrong := s.checkTarget(name, data); wrong != nil {
		return true, wrong
	}
	if isExecutable(data) {
		s.leftOut = name
		return true, append(said, s.addExecutable(name)...)
	}
	s.link(name, data)
	return true, said
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
	if s.unneeded(name) {
		return s.checkUnneeded(name, list[0].Members)
	}
	s.opened = true
	if len(list) > 1 && s.lost(name, fmt.Sprintf("'%s' has %d fatbinaries: all but the first", name, len(list))) {
		list = list[:1]
	}
	said := s.noHostCode(name)
	s.incomplete = true
	any := false
	for i := range list {
		found, more := s.take(name, list[i].Members)
		if said = append(said, more...); ends(more) {
			return said
		}
		if any = any || found; !found {
			said = append(said, s.noCode(name)...)
		}
	}
	if s.leftOut != name {
		s.registerPath(name, any)
	}
	return said
}
