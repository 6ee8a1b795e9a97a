package inputs

import (
	"fmt"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
)

// unpack returns the code of a fatbinary's piece. zstd came with 12.8: nvlink 12.4 fails to
// unpack it, and 11.8 takes what is packed for an object.
func (s *Set) unpack(name string, m *container.Member) (data []byte, said []engine.Diagnostic) {
	if m.Compression() == "zstd" {
		switch s.cmd.Release {
		case cmdline.R118:
			if s.cmd.Machine32 {
				return nil, fatal(name, "Input file '%s' arch does not match target '%s'", name, s.cmd.Options.Arch)
			}
			return nil, []engine.Diagnostic{{Severity: engine.Fatal, Kind: engine.WrongArch, File: name, Text: fmt.Sprintf("Input file '%s' size does not match target '-m64'", name)}}
		case cmdline.R124:
			said := []engine.Diagnostic{{Severity: engine.Error, Kind: engine.Malformed, File: name, Text: "Uncompress failed"}}
			return nil, append(said, fatal(name, "elfLink fatbinary error")...)
		}
	}
	data, err := m.Data(s.reader.budget)
	if err != nil {
		return nil, append(fatal(name, "%s", err), fatal(name, "elfLink fatbinary error")...)
	}
	return data, nil
}
