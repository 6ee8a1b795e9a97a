package inputs

import (
	"fmt"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
)

// addArchive adds an archive's objects, all of them. A file given twice counts
// once.
func (s *Set) addArchive(name string) []engine.Diagnostic {
	for _, before := range s.archives {
		if same(before, name) {
			return nil
		}
	}
	s.archives = append(s.archives, name)
	f := s.reader.parts(name)
	if f.fault != nil {
		j := cmdline.BadArchive(s.cmd.Release, name)
		j.Messages[0].Text += ": " + f.fault.Error()
		return j.Messages
	}
	if s.passedOver(name) {
		return nil
	}
	var said []engine.Diagnostic
	if s.isDevrt(name) && len(s.modules) > 0 {
		// What the device runtime is asked for shows when LTO IR is compiled.
		s.runtimeGiven = true
		if said = s.optimize(); ends(said) || s.Whole != nil {
			return said
		}
	}
	behind := false // a member that is no ELF file
	for i := range f.objects {
		p := &f.objects[i]
		if p.fault != nil && p.host == nil && p.data == nil {
			return append(fatal(p.name, "Could not open input file '%s'", p.file), fatal(p.name, "elfLink internal error")...)
		}
		if !container.IsELF(p.data) && container.Identify(p.data) != container.Fatbinary {
			behind = true
			continue
		}
		if p.named && !behind {
			behind = true // nvlink takes the name for the content
			if p.carries() && s.lost(p.name, fmt.Sprintf("'%s' has a BSD long name", p.name)) {
				continue
			}
		} else if behind && p.carries() && s.lost(p.name, fmt.Sprintf("'%s' comes after a member that is not an ELF file", p.name)) {
			continue
		}
		more := s.addMember(p)
		said = append(said, more...)
		if ends(more) {
			break
		}
	}
	return said
}

// carries reports whether a member holds device code.
func (p *part) carries() bool {
	return p.host == nil || p.host.Segment && len(p.host.Relocatable) > 0
}

// addMember adds one member. nvlink takes host objects alone.
func (s *Set) addMember(p *part) []engine.Diagnostic {
	switch container.Identify(p.data) {
	case container.HostObject:
		if p.nested && p.carries() && s.lost(p.name, fmt.Sprintf("'%s' is in a nested archive", p.name)) {
			return nil
		}
		return s.addHost(p, true)
	case container.DeviceCode:
		if s.lost(p.name, fmt.Sprintf("'%s' is a cubin in an archive", p.name)) {
			return nil
		}
		if said := s.checkTarget(p.name, p.data); said != nil {
			return said
		}
		return s.addDevice(p.name, p.data)
	case container.Fatbinary:
		if s.lost(p.name, fmt.Sprintf("'%s' is a fatbinary in an archive", p.name)) {
			return nil
		}
		return s.addFatbin(p.name, p.data)
	}
	return nil
}

func ends(list []engine.Diagnostic) bool {
	for i := range list {
		if list[i].Severity == engine.Fatal {
			return true
		}
	}
	return false
}
