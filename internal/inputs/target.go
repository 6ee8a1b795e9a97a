package inputs

import (
	"fmt"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
)

// checkTarget refuses an object for targets that the engine isn't asked about.
func (s *Set) checkTarget(name string, data []byte) []engine.Diagnostic {
	refuse := func(kind engine.DiagKind, format string, args ...any) []engine.Diagnostic {
		return []engine.Diagnostic{{Severity: engine.Fatal, Kind: kind, File: name, Text: fmt.Sprintf(format, args...)}}
	}
	if s.cmd.Machine32 {
		return refuse(engine.WrongArch, "Input file '%s' size does not match target '-m32'", name)
	}
	target, virtual := s.cmd.Virtual()
	if !virtual {
		return nil
	}
	f, err := cubin.Open(name, data)
	if err != nil {
		return refuse(engine.Malformed, "%s", err)
	}
	if int(f.Header.SM()) > target {
		return refuse(engine.WrongArch, "Input file '%s' arch does not match target '%s'", name, s.cmd.Options.Arch)
	}
	return nil
}
