package cmdline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/engine"
)

// Mode is what a command line asks for.
type Mode uint8

const (
	Link Mode = iota
	ShowHelp
	ShowVersion
	HostScript // -ghls: write a script for the host's linker
)

// Command is a command line nvlink accepts, as far as it can be judged
// without looking at the files it names.
type Command struct {
	Release       Release
	Mode          Mode
	MessageFormat MessageFormat

	Inputs       []string
	Libraries    []string // -l
	LibraryPaths []string // -L
	Output       string   // -o

	TimeFile     string // --time; "" for none
	RegisterFile string // --register-link-binaries; "" for none
	UidxFile     string // --uidx-file; "" for none
	NVHostFile   string // --nv-host; "" for none
	Verbose      bool   // -v
	Machine32    bool   // -m32, which 11.8 still reads
	AsNvlink     bool   // --as-nvlink: drop what nvlink drops, with a warning

	NoWarnings bool // -w, from 13.0 on -disable-infos

	// Options is what the engine needs, the record for .note.nv.tkinfo
	// included.
	Options engine.Options

	// Messages is everything said so far: warnings and remarks. Failed is
	// set where -Werror made an error of one: nvlink then reads the inputs,
	// and ends with status 255 instead of linking.
	Messages []Message
	Failed   bool

	set [numOptions]setting
}

// Parse reads args as nvlink of a release does. The error is a *Refusal that
// holds all messages; the Command comes back with it as far as it got.
func Parse(r Release, args []string, read ReadFile) (*Command, error) {
	p := &parser{release: r, read: read}
	err := p.args(args)
	c := &Command{Release: r, Inputs: p.inputs, Messages: p.messages, set: p.set}
	if err != nil {
		return c, err
	}
	c.MessageFormat.Tool, c.MessageFormat.Named = c.toolName(), c.Given(ToolName)
	if c.Given(ReportArch) {
		c.MessageFormat.Target = c.text(Arch)
	}
	switch {
	case c.Given(Help):
		c.Mode = ShowHelp
		return c, nil
	case c.Given(Version):
		c.Mode = ShowVersion
		return c, nil
	}
	c.fill()
	return c, c.check()
}

// Given reports whether an option is in the command line.
func (c *Command) Given(id ID) bool { return c.set[id].given }

// Value returns what was given for an option of one value, Values for a list.
func (c *Command) Value(id ID) string    { return c.set[id].text }
func (c *Command) Values(id ID) []string { return slices.Clone(c.set[id].list) }

// Optimizes reports whether link-time optimization is asked for.
func (c *Command) Optimizes() bool { return c.Given(DLTO) || c.Given(LinkTimeOpt) }

func (c *Command) text(id ID) string { return c.set[id].text }

// fill turns settings into fields.
func (c *Command) fill() {
	c.Libraries = c.set[Library].list
	c.LibraryPaths = c.set[LibraryPath].list
	c.Output = c.text(OutputFile)
	c.TimeFile = c.text(Time)
	c.RegisterFile = c.text(RegisterLinkBinaries)
	c.UidxFile = c.text(UidxFile)
	c.NVHostFile = c.text(NVHost)
	c.Verbose = c.Given(Verbose)
	c.AsNvlink = c.Given(AsNvlink)
	c.Machine32 = c.set[Machine].number == 32

	o := &c.Options
	o.Arch = c.text(Arch)
	o.Output = c.Output
	o.Toolkit = c.Release.String()
	o.Debug, o.SuppressDebug = c.Given(Debug), c.Given(SuppressDebugInfo)
	o.Relocatable = c.Given(RelocatableLink)
	o.PreserveRelocs = c.Given(PreserveRelocs)
	o.ForceRela = c.Given(ForceRela)
	o.KernelsUsed = slices.Clone(c.set[KernelsUsed].list)
	o.VariablesUsed = slices.Clone(c.set[VariablesUsed].list)
	o.DumpCallgraph = c.Given(DumpCallgraph) || c.Given(DumpCallgraphNoDemangle)
	o.AllowUndefined = c.Given(AllowUndefinedGlobals)
	o.ToolsPatch = c.Given(AsToolsPatch)
	o.ReserveNull = c.Given(ReserveNullPointer)
	o.NoReserved = c.Given(DisableSmemReservation) && c.set[DisableSmemReservation].truth
	o.ExtraWarnings = c.Given(ExtraWarnings)
	o.SuppressStackWarning = c.Given(SuppressStackSizeWarning)
	o.WarningsAsErrors = c.Given(WarningAsError)
	c.NoWarnings = c.Given(DisableWarnings)
	if c.Release.Cuda13() {
		// In 13.0 the two have changed places: -disable-infos silences
		// warnings, and -w nothing.
		c.NoWarnings = c.Given(DisableInfos)
	}
	o.Record = c.record()
}

// Virtual returns the number of a virtual target, compute_NN. nvlink writes
// nothing for one: it only checks that the inputs fit.
func (c *Command) Virtual() (sm int, ok bool) {
	digits, ok := strings.CutPrefix(c.text(Arch), "compute_")
	if !ok {
		return 0, false
	}
	sm, err := strconv.Atoi(strings.TrimRight(digits, "af"))
	return sm, err == nil
}
