package verify

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
	"github.com/twinlink/twinlink/internal/inputs"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/report"
)

// File is an input: its name as messages tell it, and its bytes.
type File struct {
	Name string
	Data []byte
}

// Question is one link.
type Question struct {
	Subject string   // what the row is called
	Release string   // of nvlink, "12.4"; "": the oldest that knows the newest input
	Args    []string // nvlink's options, -arch among them; neither inputs nor -o
	Inputs  []File

	// ReadFile reads the options files that Args name; nil: there are none.
	ReadFile cmdline.ReadFile

	// Output is judged instead of what the engine makes, unless it is nil.
	Output []byte

	// Strict makes findings of what nvlink does another way and no correct link
	// needs.
	Strict bool

	// AllowUnjudged lets a link agree of which something could not be judged.
	AllowUnjudged bool

	// Judged gets the file that the oracle judged; nil: nothing asks.
	Judged func(file []byte)

	// Step is called before each source is asked, with its name; nil: nobody
	// asks.
	Step func(source string)

	// Recorded is what nvlink did, for where it isn't installed.
	Recorded *Recorded

	jit libraries
}

// Recorded is a run of nvlink as a corpus keeps it.
type Recorded struct {
	Output  []byte // nil where it refused
	Message string // its standard error
}

// outputName stands for the output in a command line; it shows in no byte.
const outputName = "out.cubin"

// Toolkit is the release of nvlink that the question is about: the one that is
// asked for, else the oldest that knows the newest input.
func (q *Question) Toolkit() cmdline.Release { return q.release() }

// release is the release of nvlink the question is about.
func (q *Question) release() cmdline.Release {
	if r, known := cmdline.ParseRelease(q.Release); known {
		return r
	}
	args := q.Args
	for i := range q.Inputs {
		args = append(args[:len(args):len(args)], q.Inputs[i].Name)
	}
	p := cmdline.Scan(args, q.options())
	target, _ := container.ParseArch(p.Arch)
	return cmdline.Choose(q.reader().Newest(target, inputs.Files(&p)))
}

// reader reads the inputs, and libraries and members of thin archives where
// they stand.
func (q *Question) reader() *inputs.Reader {
	return inputs.NewReader(func(name string) ([]byte, error) {
		for i := range q.Inputs {
			if q.Inputs[i].Name == name {
				return q.Inputs[i].Data, nil
			}
		}
		return os.ReadFile(name)
	})
}

// options reads options files.
func (q *Question) options() cmdline.ReadFile {
	if q.ReadFile != nil {
		return q.ReadFile
	}
	return func(string) ([]byte, error) { return nil, fs.ErrNotExist }
}

// command parses the question's options as nvlink would.
func (q *Question) command(release cmdline.Release) (*cmdline.Command, error) {
	args := append([]string(nil), q.Args...)
	for i := range q.Inputs {
		args = append(args, q.Inputs[i].Name)
	}
	return cmdline.Parse(release, append(args, "-o", outputName), q.options())
}

// Ask puts the question to the engine, the oracle and, unless tools is nil or
// lacks the release, nvlink.
func Ask(ctx context.Context, q *Question, tools *nvidia.Toolset) report.Row {
	release := installedBuild(q.release(), tools)
	row := report.Row{Subject: q.Subject, Release: release.String()}
	cmd, err := q.command(release)
	if err != nil {
		row.Answers = []report.Answer{{Source: report.Engine, Outcome: report.Refused, Detail: err.Error()}}
		row.Verdict, row.Note = report.Skipped, "invalid options"
		return row
	}
	row.Arch = cmd.Options.Arch
	a := &run{q: q, cmd: cmd}
	a.gather()
	q.step(report.Engine)
	a.askEngine()
	q.step(report.Oracle)
	a.askOracle()
	q.step(report.Nvlink)
	a.askNvlink(ctx, tools)
	for _, one := range []*report.Answer{a.engine, a.oracle, a.nvlink} {
		if one != nil {
			row.Answers = append(row.Answers, *one)
		}
	}
	q.step(report.NvJitLink)
	row.Answers = append(row.Answers, a.askNvJitLink(ctx)...)
	a.decide(&row)
	a.addWords(&row)
	row.Functions, row.Unjudged = a.functions, a.unjudged
	return row
}

// installedBuild is the build of a release that is to be asked, so that the engine behaves as that one too. It
// is the release itself where none is installed, or one that isn't known.
func installedBuild(release cmdline.Release, tools *nvidia.Toolset) cmdline.Release {
	if tools == nil {
		return release
	}
	tool, err := tools.Tool(release.String(), nvidia.Nvlink)
	if err != nil {
		return release
	}
	if build, known := cmdline.ParseRelease(tool.Version.String()); known {
		return build
	}
	return release
}

func (q *Question) step(source report.Source) {
	if q.Step != nil {
		q.Step(string(source))
	}
}

// run is a question and its answers so far.
type run struct {
	q   *Question
	cmd *cmdline.Command

	engine, oracle, nvlink *report.Answer // nil where none was asked

	set      *inputs.Set // the objects in the inputs
	image    []byte      // what the engine made
	judged   []byte      // what the oracle saw
	nvImage  []byte      // what nvlink made
	findings []report.Finding
	more     int // findings that were not kept

	functions *report.Functions
	unjudged  []report.Unjudged
}

// size tells a size with commas.
func size(n int) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String() + " bytes"
}
