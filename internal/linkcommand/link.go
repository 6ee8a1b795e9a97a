// Package linkcommand is nvlink's command line: what "twinlink link" and the
// program twinlink-nvlink run. It imports nothing that a link doesn't need, since a
// small link takes as long as the start of its process.
package linkcommand

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
	"github.com/twinlink/twinlink/internal/cufilt"
	"github.com/twinlink/twinlink/internal/filemap"
	"github.com/twinlink/twinlink/internal/inputs"
	"github.com/twinlink/twinlink/internal/outfile"
)

// linker runs one link command. Steps are in the order in which nvlink takes
// them, since that decides which of several faults is told.
type linkCommand struct {
	Call
	reader *inputs.Reader
	cmd    *cmdline.Command
	set    *inputs.Set
	mapped filemap.Set // inputs that are mapped

	checked, checkedUnlinked int // of set: inputs that fit the target

	unknownBuild string // of nvlink that is to be behaved as; "" where it is known

	own   ownOptions
	watch *stopwatch // nil without --phases
}

// Call is a link command: who is called, and where it writes.
type Call struct {
	Tool     string // what --help and --version call the program
	Folder   string // of as-nvlink, "" for none
	Out, Err io.Writer
}

// Exit statuses, which are nvlink's. After errors that aren't fatal it ends with 255.
const (
	exitOK        = 0
	exitFatal     = 1
	undefinedExit = 255
)

// exitStatus ends a link that has printed all there is to say.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func newLinker(c Call) *linkCommand {
	return &linkCommand{Call: c, reader: inputs.NewReader(os.ReadFile)}
}

// Run executes a link command line and returns its exit status.
func Run(c Call, args []string) int {
	l := newLinker(c)
	if l.Tool != NvlinkName {
		args, l.own = takeOwn(args)
	}
	if l.own.save == "" {
		l.own.save = os.Getenv(saveVariable)
	}
	if l.own.phases {
		l.watch = &stopwatch{}
		l.watch.begin("inputs")
	}
	status := l.status(l.watched(func() error { return l.run(args) }))
	if l.watch != nil {
		l.watch.print(l.Err)
	}
	if l.own.save != "" {
		if err := l.saveLink(l.own.save, args, status); err != nil {
			fmt.Fprintf(l.Err, "twinlink: --save-dir: %v\n", err)
		}
	}
	return status
}

// status is the exit status of a link that ended with err.
func (l *linkCommand) status(err error) int {
	var status exitStatus
	if errors.As(err, &status) {
		return int(status)
	}
	return exitOK
}

// watched runs a step of a link. Where mapped inputs change under it, that is an
// error like any other.
func (l *linkCommand) watched(step func() error) error {
	err := l.mapped.Watch(step)
	var changed *filemap.ChangedError
	if !errors.As(err, &changed) {
		return err
	}
	if l.cmd == nil {
		l.cmd = &cmdline.Command{} // while the release was looked for
	}
	return l.inputChanged(changed.Path)
}

func (l *linkCommand) inputChanged(name string) error {
	return l.fatal(engine.Malformed, "Input file '%s' changed while it was linked", name)
}

func (l *linkCommand) run(args []string) error {
	preview := cmdline.Scan(args, ReadOptions)
	release := l.release(preview)
	cmd, err := cmdline.Parse(release, withCompilers(args), ReadOptions)
	l.cmd = cmd
	for i := range cmd.Messages {
		fmt.Fprintln(l.Err, cmd.Line(&cmd.Messages[i]))
	}
	var refused *cmdline.Refusal
	if errors.As(err, &refused) {
		return exitStatus(refused.Exit)
	}
	switch cmd.Mode {
	case cmdline.ShowHelp:
		fmt.Fprint(l.Out, cmdline.Usage(release, l.name()))
		return nil
	case cmdline.ShowVersion:
		fmt.Fprint(l.Out, cmdline.VersionText(release, l.name()))
		return nil
	case cmdline.HostScript:
		return l.hostScript()
	}
	for _, step := range [...]func() error{l.warnBuild, l.openTime, l.inputs, l.link} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (l *linkCommand) name() string {
	if l.cmd.MessageFormat.Named {
		return l.cmd.MessageFormat.Tool
	}
	return l.Tool
}

// toolkitVariable names the release to behave as, where -toolkit doesn't.
const toolkitVariable = "TWINLINK_TOOLKIT"

// Release is the release as which a command line is to be read.
func Release(folder string, args []string) cmdline.Release {
	return newLinker(Call{Folder: folder}).release(cmdline.Scan(args, ReadOptions))
}

// release is that of -toolkit, of the environment or of the toolkit in whose folder the program is, or else
// the one that knows the newest input.
func (l *linkCommand) release(p cmdline.Preview) cmdline.Release {
	for _, name := range [...]string{p.Toolkit, os.Getenv(toolkitVariable), placedRelease(l.Folder)} {
		r, known := cmdline.ParseRelease(name)
		if r == 0 {
			continue
		}
		if !known {
			l.unknownBuild = name
		}
		return r
	}
	l.mapInputs(p.Inputs)
	target, _ := container.ParseArch(p.Arch)
	return cmdline.Choose(l.reader.Newest(target, inputs.Files(&p)))
}

// warnBuild warns where nvlink of the build that was asked for was never compared with.
func (l *linkCommand) warnBuild() error {
	if l.unknownBuild == "" {
		return nil
	}
	_, build := l.cmd.Release.Version()
	return l.say(engine.Diagnostic{Severity: engine.Warning, Kind: engine.WrongToolkit,
		Text: fmt.Sprintf("nvlink %s is not known to twinlink: linking as %s (%s)", l.unknownBuild, l.cmd.Release, build)})
}

// mapInputs maps inputs that are large together.
func (l *linkCommand) mapInputs(names []string) {
	left := slices.DeleteFunc(slices.Clone(names), l.reader.Has)
	l.mapped.Map(left, l.reader.Keep)
}

// ReadOptions reads an options file; a folder reads as an empty one.
func ReadOptions(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		if info, statErr := os.Stat(name); statErr == nil && info.IsDir() {
			return nil, nil
		}
	}
	return data, err
}

// say prints messages and returns an error where one ends the link.
func (l *linkCommand) say(diags ...engine.Diagnostic) error {
	var err error
	for i := range diags {
		fmt.Fprintln(l.Err, l.cmd.MessageFormat.Line(&diags[i]))
		if diags[i].Severity == engine.Fatal {
			err = exitStatus(exitFatal)
		}
	}
	return err
}

func (l *linkCommand) fatal(kind engine.DiagKind, format string, args ...any) error {
	return l.say(engine.Diagnostic{Severity: engine.Fatal, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// special reads what is in files of its own: --nv-host is put into the image,
// --uidx-file is refused.
func (l *linkCommand) special() error {
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
func (l *linkCommand) link() error {
	if l.set.Whole != nil {
		return l.write(l.set.Whole, nil)
	}
	// Names are demangled with --dump-callgraph-no-demangle too, as nvlink has it.
	l.cmd.Options.Demangle = func(name string) string { return cufilt.Demangle(name, l.cmd.Release.Major()) }
	if l.watch != nil {
		l.cmd.Options.OnPhase = l.watch.begin
	}
	l.cmd.Options.HostUse = l.set.HostUse()
	l.cmd.Options.Empty = true // nvlink asks for input files, not for code in them
	var piecewise *outfile.Streamed
	var to io.WriterAt
	if !l.cmd.Verbose {
		if piecewise = outfile.Stream(l.cmd.Output); piecewise != nil {
			defer piecewise.Discard()
			to = piecewise
		}
	}
	options := l.cmd.Options
	options.Scratch = l.mapped.Scratch()
	calls := l.collectCalls(&options)
	out, err := engine.LinkTo(to, l.set.Objects, options)
	var refused *engine.LinkError
	if errors.As(err, &refused) {
		l.report(refused.Diags)
		if refused.Image != nil {
			if err := l.verbose(refused.Image, refused.Left); err != nil {
				return err
			}
		}
		if refused.Exit == undefinedExit {
			if err := l.writeCalls(calls); err != nil {
				return err
			}
			if err := l.write(nil, nil); err != nil {
				return err
			}
		}
		return exitStatus(refused.Exit)
	}
	failed := l.report(out.Diags)
	if err := l.verbose(out.Image, out.Left); err != nil {
		return err
	}
	if err := l.writeCalls(calls); err != nil {
		return err
	}
	if failed {
		if err := l.write(nil, nil); err != nil {
			return err
		}
		return exitStatus(undefinedExit)
	}
	return l.write(out.Image, piecewise)
}

// report prints the engine's messages, warnings as the options want them; what
// the command line has said is not said again. It returns whether a warning
// became an error.
func (l *linkCommand) report(diags []engine.Diagnostic) (failed bool) {
	for _, d := range diags {
		if d.Severity == engine.Warning {
			if l.said(d.Text) || l.cmd.NoWarnings {
				continue
			}
			if l.cmd.Options.WarningsAsErrors && !d.Kind.IsOwn() {
				d.Severity, failed = engine.Error, true
			}
		}
		_ = l.say(d)
	}
	return failed
}

func (l *linkCommand) said(text string) bool {
	for i := range l.cmd.Messages {
		if l.cmd.Messages[i].Text == text {
			return true
		}
	}
	return false
}

// write puts the image, and the list of registered names, in place: both or
// neither. A link that makes no image may have such a list all the same.
func (l *linkCommand) write(image []byte, piecewise *outfile.Streamed) error {
	if name := l.mapped.Changed(); name != "" {
		return l.inputChanged(name)
	}
	if l.watch != nil {
		l.watch.begin("file")
	}
	var files []outfile.File
	if image != nil || piecewise != nil {
		files = append(files, outfile.File{Path: l.cmd.Output, Data: image, Made: piecewise})
	}
	if l.cmd.Given(cmdline.RegisterLinkBinaries) && (l.set.Whole == nil || !l.cmd.Given(cmdline.EmitPTX)) {
		folder, err := os.Getwd()
		if err != nil {
			folder = ""
		}
		files = append(files, outfile.File{Path: l.cmd.RegisterFile, Data: inputs.RegisterText(folder, l.set.Registered)})
	}
	var bad *fs.PathError
	if err := outfile.Write(files); errors.As(err, &bad) {
		return l.fatal(engine.BadOption, "Could not open output file '%s'", bad.Path)
	}
	return nil
}
