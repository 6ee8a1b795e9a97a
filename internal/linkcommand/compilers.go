package linkcommand

import (
	"os"
	"path/filepath"
	"time"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/lto"
	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// Environment of a build whose command lines can't be changed: what --lto-with
// and --ptxas say elsewhere.
const (
	ltoVariable   = "TWINLINK_LTO_WITH"
	ptxasVariable = "TWINLINK_PTXAS"
)

// What one optimization may take: whole libraries take minutes.
const (
	ltoTime   = 30 * time.Minute
	ltoMemory = 64 << 30
)

// withCompilers puts what the environment says before a command line, so
// that the command line wins.
func withCompilers(args []string) []string {
	for _, v := range [...]struct{ name, option string }{{ltoVariable, "--lto-with="}, {ptxasVariable, "--ptxas="}} {
		if value := os.Getenv(v.name); value != "" {
			args = append([]string{v.option + value}, args...)
		}
	}
	return args
}

// compilers finds them where --lto-with is given; nil without.
func (l *linkCommand) compilers() (*lto.Tools, error) {
	if !l.cmd.Given(cmdline.LTOWith) {
		return nil, nil
	}
	p := lto.Places{With: l.cmd.Value(cmdline.LTOWith), Ptxas: l.cmd.Value(cmdline.Ptxas), Release: l.cmd.Release.String()}
	if l.Folder != "" {
		if bin, err := filepath.EvalSymlinks(filepath.Join(l.Folder, RealName)); err == nil {
			p.Folders = append(p.Folders, filepath.Dir(bin))
		}
	}
	if nvvm := l.cmd.Value(cmdline.NVVMPath); nvvm != "" {
		p.Folders = append(p.Folders, nvvm)
	}
	// A program may take minutes; a machine that serves builds has the memory.
	p.Options.Limits = nvjitlink.Limits{Time: ltoTime, Memory: ltoMemory}
	tools, err := lto.Find(p)
	if err != nil {
		return nil, l.fatal(engine.BadOption, "--lto-with: %s", err)
	}
	return tools, nil
}
