package cmdline

import (
	"strings"

	"github.com/twinlink/twinlink/engine"
)

// From 13.0 on .note.nv.tkinfo records the command line: each option that was
// given, once, as "-short value " in an order of its own, a flag with an empty
// value ("-g  "). With -g, or --verbose-tkinfo=true, file names are recorded
// too, cut to what follows the last slash: the inputs at the beginning, and
// the options that name files.

// recorded is an option's place in the note.
type recorded struct {
	id       ID
	verbose  bool // only in the verbose form
	baseName bool
}

var recordOrder = [...]recorded{
	{SuppressStackSizeWarning, false, false},
	{SuppressArchWarning, false, false},
	{OutputFile, true, true},
	{Debug, false, false},
	{Arch, false, false},
	{Machine, false, false},
	{Library, false, false},
	{LibraryPath, false, false},
	{RegisterLinkBinaries, true, true},
	{Verbose, false, false},
	{Verbose2, false, false},
	{PreserveRelocs, false, false},
	{DisableWarnings, false, false},
	{WarningAsError, false, false},
	{DisableInfos, false, false},
	{KeepSystemLibraries, false, false},
	{KernelsUsed, false, false},
	{VariablesUsed, false, false},
	{CPUArch, false, false},
	{ReportArch, false, false},
	{Time, true, false},
	{ExtraWarnings, false, false},
	{LinkTimeOpt, false, false},
	{DLTO, false, false},
	{NVVMPath, false, false},
	{SplitCompile, false, false},
	{SplitCompileExtended, false, false},
	{SuppressDebugInfo, false, false},
	{AsToolsPatch, false, false},
	{Xptxas, false, false},
	{Xnvvm, false, false},
	{MaxRegCount, false, false},
	{DumpCallgraph, false, false},
	{DumpCallgraphNoDemangle, false, false},
	{UseHostInfo, false, false},
	{IgnoreHostInfo, false, false},
	{RelocatableLink, false, false},
	{DeviceStackProtector, false, false},
	{OfastCompile, false, false},
	{OptionsFile, true, false},
}

// record returns what the note says of the command line.
func (c *Command) record() engine.CommandLine {
	verbose := c.Given(Debug)
	if c.Given(VerboseTkinfo) {
		verbose = c.set[VerboseTkinfo].truth
	}
	reproducible := c.Given(Reproducible)
	verbose = verbose && !reproducible
	rec := engine.CommandLine{Tool: c.toolName(), Named: c.Given(ToolName)}
	var b strings.Builder
	if verbose {
		rec.Object = baseName(c.Output)
		for i, in := range c.Inputs {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(baseName(in))
		}
		b.WriteByte(' ')
	}
	for _, r := range recordOrder {
		if !c.Given(r.id) || r.verbose && !verbose || reproducible && namesFolder(r.id) {
			continue
		}
		value := c.recordValue(r.id)
		if r.baseName {
			value = baseName(value)
		}
		b.WriteByte('-')
		b.WriteString(Table[r.id].Short)
		b.WriteByte(' ')
		b.WriteString(value)
		b.WriteByte(' ')
	}
	rec.Text = b.String()
	return rec
}

// namesFolder reports whether an option names folders of the machine.
func namesFolder(id ID) bool { return id == LibraryPath || id == NVVMPath }

// recordValue returns an option's value; that of -optf is used up by the time
// the note is written.
func (c *Command) recordValue(id ID) string {
	switch Table[id].argument(id, c.Release) {
	case List:
		return strings.Join(c.set[id].list, ",")
	case Flag, Files:
		return ""
	}
	return c.set[id].text
}

// toolName is what --tool-name says without folders and without the last extension.
func (c *Command) toolName() string {
	name := baseName(c.text(ToolName))
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		name = name[:dot]
	}
	return name
}

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
