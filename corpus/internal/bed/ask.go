package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/internal/ownwarnings"
)

const outName = "out.cubin"

// limits are those of one link; a hang is an answer too.
var limits = nvidia.Limits{Time: 60 * time.Second, File: 256 << 20, Memory: 16 << 30}

// answer is what one linker did.
type answer struct {
	who    string // "twinlink", "nvlink 13.0", "nvJitLink 12.9"
	died   string // crashed or hung: how
	exit   int
	output []byte
	stderr string
	stdout string
	jit    *nvjitlink.Result
	warned bool // of twinlink: it gave a warning of its own, which stderr is without
}

// link is a plan and what was answered.
type link struct {
	plan  *plan
	ours  *answer
	asked []*answer // of NVIDIA's; those of the release alone
	notes []string  // what couldn't be asked
}

// provideTool puts twinlink's program into a folder under the name of the linker it is in for:
// the one named by -tool, or one built from the module.
func (b *bed) provideTool(ctx context.Context, dir string) (string, error) {
	name := filepath.Join(dir, "nvlink")
	if b.tool != "" {
		named, err := filepath.Abs(b.tool)
		if err != nil {
			return "", err
		}
		return name, os.Symlink(named, name)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", name, "github.com/twinlink/twinlink/cmd/twinlink")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, text)
	}
	return name, nil
}

// job is the command line of a link.
func (p *plan) job() nvidia.Job {
	job := nvidia.Job{Args: append([]string{"-arch=" + p.arch}, p.args...), Collect: outName, Limits: limits}
	for _, o := range p.objects {
		job.Inputs = append(job.Inputs, nvidia.File{Name: o.Name, Data: o.data})
		job.Args = append(job.Args, o.Name)
	}
	job.Args = append(job.Args, "-o", outName)
	return job
}

// askProcesses asks twinlink, and nvlink where it is there.
func (b *bed) askProcesses(ctx context.Context, p *plan) (*link, error) {
	l := &link{plan: p}
	job := p.job()
	if theirs, err := b.tools.Tool(p.release, nvidia.Nvlink); err == nil {
		res, err := theirs.Run(ctx, job)
		if err != nil {
			return nil, err
		}
		l.asked = append(l.asked, answerOf("nvlink "+p.release, res))
	}
	again := job
	job.Args = append([]string{"-toolkit=" + p.release}, job.Args...)
	res, err := nvidia.Tool{Name: "nvlink", Path: b.tool}.Run(ctx, job)
	if err != nil {
		return nil, err
	}
	l.ours = answerOf("twinlink", res)
	l.ours.stderr, l.ours.warned = ownwarnings.Strip(l.ours.stderr)
	if loud := slices.DeleteFunc(slices.Clone(job.Args), func(a string) bool { return a == "-w" }); len(loud) < len(job.Args) {
		job.Args = loud // what it warns of stays true where warnings are hidden
		if res, err = (nvidia.Tool{Name: "nvlink", Path: b.tool}).Run(ctx, job); err != nil {
			return nil, err
		}
		_, l.ours.warned = ownwarnings.Strip(string(res.Stderr))
	}
	return l, b.checkSteady(ctx, l, again)
}

// checkSteady asks nvlink a second time where twinlink's image is another: some images
// hold memory that nvlink never set.
func (b *bed) checkSteady(ctx context.Context, l *link, job nvidia.Job) error {
	if len(l.asked) == 0 || bytes.Equal(l.asked[0].output, l.ours.output) {
		return nil
	}
	theirs, err := b.tools.Tool(l.plan.release, nvidia.Nvlink)
	if err != nil {
		return err
	}
	res, err := theirs.Run(ctx, job)
	if err == nil && !bytes.Equal(res.Files[outName], l.asked[0].output) {
		l.asked[0].died = "makes another image each time"
	}
	return err
}

func answerOf(who string, res *nvidia.Result) *answer {
	a := &answer{who: who, exit: res.ExitCode, output: res.Files[outName], stderr: string(res.Stderr), stdout: string(res.Stdout)}
	if res.Outcome == nvidia.Crashed || res.Outcome == nvidia.Hung {
		a.died = res.Outcome.String()
		if res.Signal != 0 {
			a.died += " " + res.Signal.String()
		}
	}
	if bytes.Contains(res.Stderr, []byte("\ngoroutine ")) {
		a.died = "panic"
	}
	return a
}

// askJIT asks the nvJitLink of each release, all its links in batches.
func (b *bed) askJIT(ctx context.Context, links []*link) error {
	for _, lib := range b.libraries {
		var questions []nvjitlink.Question
		var of []*link
		for _, l := range links {
			if l == nil || l.plan.release != lib.Release {
				continue
			}
			opts, err := nvjitlink.FromNvlink(lib.Release, append([]string{"-arch=" + l.plan.arch}, l.plan.args...))
			if err != nil {
				l.notes = append(l.notes, err.Error())
				continue
			}
			q := nvjitlink.Question{Options: opts}
			for _, o := range l.plan.objects {
				q.Inputs = append(q.Inputs, nvjitlink.Input{Kind: nvjitlink.Cubin, Name: o.Name, Data: o.data})
			}
			questions, of = append(questions, q), append(of, l)
		}
		if len(questions) == 0 {
			continue
		}
		linker := nvjitlink.New(lib, nvjitlink.Options{Self: true, Limits: nvjitlink.Limits{Time: limits.Time}})
		began := time.Now()
		results, err := linker.Ask(ctx, questions)
		linker.Close()
		if err != nil {
			return err
		}
		b.note("nvJitLink %s: %d links in %.1f s, %d workers", lib.Release, len(results), time.Since(began).Seconds(), linker.Starts())
		for i := range results {
			r := &results[i]
			a := &answer{who: "nvJitLink " + lib.Release, output: r.Output, stderr: r.Message(), jit: r}
			switch r.Outcome {
			case nvjitlink.Linked:
			case nvjitlink.Refused:
				a.exit = 1
			default:
				a.died = r.String()
			}
			of[i].asked = append(of[i].asked, a)
		}
	}
	return nil
}

// messages are what was said of errors and warnings, without who says it.
func (a *answer) messages() string {
	var out []string
	for line := range strings.Lines(a.stderr) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "nvlink "))
		if line != "" && line != "fatal   : merge_elf failed" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
