package linkcommand

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/outfile"
)

// hostSections is what nvlink has a host's linker do with device code: the whole
// of -ghls=lcs-aug, and the end of -ghls=lcs-abs.
const hostSections = `SECTIONS
{
	.nvFatBinSegment : { *(.nvFatBinSegment) }
	__nv_relfatbin : { *(__nv_relfatbin) } 
	.nv_fatbin : { *(.nv_fatbin) }
}
`

// hostScript writes the script of -ghls to the output file, or else prints it.
// With lcs-abs the linker's own script comes first.
func (l *linkCommand) hostScript() error {
	script := []byte(hostSections)
	if l.cmd.Value(cmdline.GenHostLinkerScript) == "lcs-abs" {
		own, err := l.linkersScript()
		if err != nil {
			return l.fatal(engine.BadOption, "Host linker script creation failed.")
		}
		script = append(own, script...)
	}
	if l.cmd.Output == "" {
		_, err := l.Out.Write(script)
		return err
	}
	if err := outfile.Write([]outfile.File{{Path: l.cmd.Output, Data: script}}); err != nil {
		return l.fatal(engine.BadOption, "Host linker script creation failed.")
	}
	return nil
}

// linkerFlags are those of the compiler's call of the linker on which the
// linker's script depends.
var linkerFlags = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\s)(-pie|-z \S+|-m \S+|-r|-shared)(?:\s|$)`)
})

// linkersScript asks ld for its script, with the options of -Xlinker, or those
// that the host's compiler gives it.
func (l *linkCommand) linkersScript() ([]byte, error) {
	args := []string{"--verbose"}
	if given := strings.Join(l.cmd.Values(cmdline.HostLinkerOptions), ""); given != "" {
		args = append(args, given)
	} else {
		args = append(args, l.compilersFlags()...)
	}
	out, err := exec.Command("ld", args...).Output()
	if err != nil {
		return nil, err
	}
	version, err := exec.Command("ld", "-V").Output()
	if err != nil {
		return nil, err
	}
	known := bytes.Split(version, []byte("\n"))
	lines := bytes.SplitAfter(out, []byte("\n"))
	lines = slices.DeleteFunc(lines, func(line []byte) bool {
		return len(line) == 0 || slices.ContainsFunc(known, func(v []byte) bool { return len(v) > 0 && bytes.Equal(v, bytes.TrimSuffix(line, []byte("\n"))) })
	})
	if len(lines) < 3 {
		return nil, fmt.Errorf("ld prints no script")
	}
	return bytes.Join(lines[2:len(lines)-1], nil), nil // "using internal linker script:" and two lines of ===
}

// compilersFlags asks the host's compiler how it would call the linker.
func (l *linkCommand) compilersFlags() []string {
	compiler := l.cmd.Value(cmdline.HostCcbin)
	if compiler == "" {
		compiler = "gcc"
	}
	args := []string{"-###", os.DevNull}
	if l.cmd.Given(cmdline.Shared) {
		args = append(args, "-shared")
	}
	out, err := exec.Command(compiler, append(args, "-m64")...).CombinedOutput()
	if err != nil {
		return nil // ld's script for no options, as nvlink takes it
	}
	var flags []string
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "collect2") {
			continue
		}
		for rest := line; ; {
			at := linkerFlags().FindStringSubmatchIndex(rest)
			if at == nil {
				break
			}
			flags = append(flags, strings.Fields(rest[at[2]:at[3]])...)
			rest = rest[at[3]:]
		}
	}
	return flags
}
