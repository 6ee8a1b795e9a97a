package inputs

import (
	"encoding/binary"
	"fmt"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
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
	if f.Header.SM() >= cuda.MercuryMin && s.cmd.Release.Toolkit() == cmdline.R130.Toolkit() {
		return tooLong(name)
	}
	if int(f.Header.SM()) > target {
		return refuse(engine.WrongArch, "Input file '%s' arch does not match target '%s'", name, s.cmd.Options.Arch)
	}
	return nil
}

// tooLong is how nvlink 13.0.88 ends a link for a virtual target with code for sm_100 and up.
func tooLong(name string) []engine.Diagnostic {
	return fatal(name, "specified arch exceeds buffer length")
}

// limits warns of the first object without a Mercury side in a link for a virtual target that has one.
func (s *Set) limits(name string, data []byte) []engine.Diagnostic {
	if !s.virtual || s.target.SM < uint32(cuda.MercuryMin) || s.limited {
		return nil
	}
	f, err := cubin.Open(name, data)
	if err != nil || f.Header.SM() >= cuda.MercuryMin {
		return nil
	}
	s.limited = true
	return s.warn(name, "Output is limited to run on SM Arch '%d' only due to limitations in input file %s", s.target.SM, name)
}

// isExecutable reports whether a cubin is of a whole program or linked already. It
// looks at the header's first bytes alone, as the engine reads every object anyway.
func isExecutable(data []byte) bool {
	const typeAt = 16
	return len(data) > typeAt+1 && binary.LittleEndian.Uint16(data[typeAt:]) == cuda.ETExec
}

// addExecutable refuses a cubin that is no object. Every nvlink ignores it, whatever
// its target and release.
func (s *Set) addExecutable(name string) []engine.Diagnostic {
	return s.ignore(name, "is an executable, not an object", "compile with ptxas -c, or link its objects")
}

// ignore refuses a file that nvlink ignores silently. With --as-nvlink it
// is ignored here too, with a warning.
func (s *Set) ignore(name, what, instead string) []engine.Diagnostic {
	d := engine.Diagnostic{Severity: engine.Warning, Kind: engine.Lost, File: name, Text: fmt.Sprintf("'%s' %s: dropped, as nvlink does", name, what)}
	if s.cmd.AsNvlink {
		s.Lost = append(s.Lost, d)
		return nil
	}
	d.Severity, d.Text = engine.Fatal, fmt.Sprintf("'%s' %s, which nvlink %s ignores silently: %s, or give --as-nvlink", name, what, s.cmd.Release, instead)
	return []engine.Diagnostic{d}
}
