package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
	"github.com/twinlink/twinlink/internal/cufilt"
	"github.com/twinlink/twinlink/internal/inputs"
	"github.com/twinlink/twinlink/internal/usage"
)

// linker runs one link command. Steps are in the order in which nvlink takes
// them, since that decides which of several faults is told.
type linker struct {
	streams
	tool   string // what --help and --version call the program
	folder string // of as-nvlink, "" for none
	reader *inputs.Reader
	cmd    *cmdline.Command
	set    *inputs.Set

	mapped []mapping // inputs that are mapped

	own   ownOptions
	watch *stopwatch // nil without --phases
}

func link(tool, folder string, args []string, s streams) int {
	l := &linker{streams: s, tool: tool, folder: folder, reader: inputs.NewReader(os.ReadFile)}
	if tool != "nvlink" {
		args, l.own = takeOwn(args)
	}
	if l.own.save == "" {
		l.own.save = os.Getenv(saveVariable)
	}
	if l.own.phases {
		l.watch = &stopwatch{}
		l.watch.begin("inputs")
	}
	status := l.status(l.faultsAsErrors(func() error { return l.run(args) }))
	if l.watch != nil {
		l.watch.print(l.err)
	}
	if l.own.save != "" {
		if err := l.saveLink(l.own.save, args, status); err != nil {
			fmt.Fprintf(l.err, "twinlink: --save-dir: %v\n", err)
		}
	}
	return status
}

// status is the exit status of a link that ended with err.
func (l *linker) status(err error) int {
	var status exitStatus
	if errors.As(err, &status) {
		return int(status)
	}
	return exitOK
}

func (l *linker) run(args []string) error {
	preview := cmdline.Scan(args, readOptions)
	release := l.release(preview)
	cmd, err := cmdline.Parse(release, withCompilers(args), readOptions)
	l.cmd = cmd
	for i := range cmd.Messages {
		fmt.Fprintln(l.err, cmd.Line(&cmd.Messages[i]))
	}
	var refused *cmdline.Refusal
	if errors.As(err, &refused) {
		return exitStatus(refused.Exit)
	}
	switch cmd.Mode {
	case cmdline.ShowHelp:
		fmt.Fprint(l.out, cmdline.Usage(release, l.name()))
		return nil
	case cmdline.ShowVersion:
		fmt.Fprint(l.out, cmdline.VersionText(release, l.name()))
		return nil
	case cmdline.HostScript:
		return l.hostScript()
	}
	for _, step := range [...]func() error{l.openTime, l.inputs, l.link} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (l *linker) name() string {
	if l.cmd.Voice.Tool != "" {
		return l.cmd.Voice.Tool
	}
	return l.tool
}

// toolkitVariable names the release to behave as, where -toolkit doesn't.
const toolkitVariable = "TWINLINK_TOOLKIT"

// release is -toolkit, or the release that knows the newest input.
func (l *linker) release(p cmdline.Preview) cmdline.Release {
	for _, name := range [...]string{p.Toolkit, os.Getenv(toolkitVariable)} {
		if r, ok := cmdline.ParseRelease(name); ok {
			return r
		}
	}
	if r, ok := placedRelease(l.folder); ok {
		return r
	}
	l.mapInputs(p.Inputs)
	target, _ := container.ParseArch(p.Arch)
	return cmdline.Choose(l.reader.Newest(target, inputs.Files(&p)))
}

// readOptions reads an options file; a folder reads as an empty one.
func readOptions(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		if info, statErr := os.Stat(name); statErr == nil && info.IsDir() {
			return nil, nil
		}
	}
	return data, err
}

// say prints messages and returns an error where one ends the link.
func (l *linker) say(diags ...engine.Diagnostic) error {
	var err error
	for i := range diags {
		fmt.Fprintln(l.err, l.cmd.Voice.Line(&diags[i]))
		if diags[i].Severity == engine.Fatal {
			err = exitStatus(exitDiffer)
		}
	}
	return err
}

func (l *linker) fatal(kind engine.DiagKind, format string, args ...any) error {
	return l.say(engine.Diagnostic{Severity: engine.Fatal, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// special reads what stands in files of its own: --nv-host is put into the image,
// --uidx-file is refused.
func (l *linker) special() error {
	if l.cmd.Given(cmdline.UidxFile) {
		if _, err := l.reader.Read(l.cmd.UidxFile); err != nil {
			return l.say(cmdline.CannotOpen(l.cmd.UidxFile).Messages...)
		}
		return l.say(cmdline.Unsupported("option '--%s'", cmdline.Table[cmdline.UidxFile].Name))
	}
	if !l.cmd.Given(cmdline.NVHost) {
		return nil
	}
	data, err := l.reader.Read(l.cmd.NVHostFile)
	if err != nil {
		return l.say(cmdline.CannotOpen(l.cmd.NVHostFile).Messages...)
	}
	if len(data) == 0 {
		return l.fatal(engine.Malformed, "Could not read file '%s'", l.cmd.NVHostFile)
	}
	l.cmd.Options.Host = data
	return nil
}

// link runs the engine and writes what it made.
func (l *linker) link() error {
	if l.set.Whole != nil {
		return l.write(l.set.Whole, nil)
	}
	// Names are demangled with --dump-callgraph-no-demangle too, as nvlink has it.
	l.cmd.Options.Demangle = func(name string) string { return cufilt.Demangle(name, l.cmd.Release.ShowsClones()) }
	if l.watch != nil {
		l.cmd.Options.OnPhase = l.watch.begin
	}
	l.cmd.Options.HostUse = l.set.HostUse()
	l.cmd.Options.Empty = true // nvlink asks for input files, not for code in them
	var piecewise *streamed
	var to io.WriterAt
	if !l.cmd.Verbose {
		if piecewise = stream(l.cmd.Output); piecewise != nil {
			defer piecewise.discard()
			to = piecewise
		}
	}
	out, err := engine.LinkTo(to, l.set.Objects, l.cmd.Options)
	var refused *engine.LinkError
	if errors.As(err, &refused) {
		l.report(refused.Diags)
		if refused.Image != nil {
			if err := l.verbose(refused.Image); err != nil {
				return err
			}
		}
		if refused.Exit == undefinedExit {
			if err := l.write(nil, nil); err != nil {
				return err
			}
		}
		return exitStatus(refused.Exit)
	}
	failed := l.report(out.Diags)
	if err := l.verbose(out.Image); err != nil {
		return err
	}
	if failed {
		return exitStatus(undefinedExit)
	}
	if err := l.dotFile(); err != nil {
		return err
	}
	return l.write(out.Image, piecewise)
}

// report prints the engine's messages, warnings as the options want them; what
// the command line has said is not said again. It returns whether a warning
// became an error.
func (l *linker) report(diags []engine.Diagnostic) (failed bool) {
	for _, d := range diags {
		if d.Severity == engine.Warning {
			if l.said(d.Text) || l.cmd.NoWarnings {
				continue
			}
			if l.cmd.WarningsAsErrors && !ofNvlinksImage(d.Kind) {
				d.Severity, failed = engine.Error, true
			}
		}
		_ = l.say(d)
	}
	return failed
}

// ofNvlinksImage reports whether a warning is about what nvlink makes too, without a
// word: -Werror doesn't fail such a link, as it doesn't with nvlink.
func ofNvlinksImage(kind engine.DiagKind) bool {
	return kind == engine.Displaced || kind == engine.NullPointer
}

func (l *linker) said(text string) bool {
	for i := range l.cmd.Messages {
		if l.cmd.Messages[i].Text == text {
			return true
		}
	}
	return false
}

// undefinedExit is nvlink's exit status after errors that aren't fatal.
const undefinedExit = 255

// verbose prints what the image uses.
func (l *linker) verbose(image []byte) error {
	if !l.cmd.Verbose {
		return nil
	}
	f, err := cubin.Open(l.cmd.Output, image)
	if err != nil {
		return l.fatal(engine.Internal, "%s", err)
	}
	u, err := usage.Of(f, l.cmd.Options.NoReserved)
	if err != nil {
		return l.fatal(engine.Internal, "%s", err)
	}
	for _, line := range u.Lines() {
		_ = l.say(engine.Diagnostic{Severity: engine.Info, Text: line})
	}
	return nil
}

// write puts the image, and the list of registered names, in place: both or
// neither. A link that makes no image may have such a list all the same.
func (l *linker) write(image []byte, piecewise *streamed) error {
	if name := l.changed(); name != "" {
		return l.fatal(engine.Malformed, "Input file '%s' changed while it was linked", name)
	}
	if l.watch != nil {
		l.watch.begin("file")
	}
	var files []outFile
	if image != nil || piecewise != nil {
		files = append(files, outFile{path: l.cmd.Output, data: image, made: piecewise})
	}
	if l.cmd.Given(cmdline.RegisterLinkBinaries) {
		folder, err := os.Getwd()
		if err != nil {
			folder = ""
		}
		files = append(files, outFile{path: l.cmd.RegisterFile, data: inputs.RegisterText(folder, l.set.Registered)})
	}
	var bad *fs.PathError
	if err := writeFiles(files); errors.As(err, &bad) {
		return l.fatal(engine.BadOption, "Could not open output file '%s'", bad.Path)
	}
	return nil
}
