package inputs

import (
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/container"
)

// compilesPTX is the first SM for which 13.0 and later link what they make of a .ptx file. Below it they
// drop that.
const compilesPTX = 90

// addPTX adds what is made of a .ptx file, if anything is.
func (s *Set) addPTX(name string, data []byte) []engine.Diagnostic {
	linked := s.target.SM >= compilesPTX && !s.virtual && container.Identify(data) != container.DeviceCode
	if s.cmd.Release.IgnoresPTX() && !linked {
		if said := s.ignore(name, "is PTX", "compile it with ptxas -c"); said != nil {
			return said
		}
		return s.cubinAsPTX(name, data)
	}
	f, err := container.Open(name, data, container.Options{Budget: s.reader.spend(data)})
	if err != nil || len(f.Members) != 1 {
		return append(fatal(name, "'%s' is no PTX", name), fatal(name, "elfLink fatbinary error")...)
	}
	s.incomplete = true
	s.Registered = append(s.Registered, Registration{Path: name})
	return append(s.notIR(name), s.compile(name, &f.Members[0])...)
}

// cubinAsPTX is what nvlink says of a cubin that is called .ptx, which it ignores too: of one for another target
// that no code was found. For sm_90 that ends the link, in 13.0.88 by a signal.
func (s *Set) cubinAsPTX(name string, data []byte) []engine.Diagnostic {
	if container.Identify(data) != container.DeviceCode {
		return nil
	}
	f, err := container.Open(name, data, container.Options{Budget: s.reader.spend(data)})
	if err != nil || len(f.Members) != 1 || f.Members[0].Arch.Links(s.target, s.cmd.Release.Toolkit()) {
		return nil
	}
	said := s.noCode(name)
	if s.target.SM == 90 {
		said = append(said, fatal(name, "elfLink internal error")...)
	}
	return said
}
