package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/report"
)

const outName = "out.cubin"

// court is whom a case is put to.
type court struct {
	tools *nvidia.Toolset
	ours  nvidia.Tool // twinlink's command line, under the name nvlink
}

// limits are short: the cases are small, and a hang is an answer too.
var limits = nvidia.Limits{Time: 10 * time.Second, File: 64 << 20}

// build compiles twinlink's command line into dir.
func build(ctx context.Context, dir string) (string, error) {
	name := filepath.Join(dir, "nvlink")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", name, "github.com/twinlink/twinlink/cmd/twinlink")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, text)
	}
	return name, nil
}

// run puts a plan to both linkers. A row stands for each link: one, or with p.final two.
func (c *court) run(ctx context.Context, p plan, keep string) ([]report.Row, error) {
	inputs, row, err := c.compile(ctx, p)
	if err != nil || inputs == nil {
		return row, err
	}
	args := p.args
	var files []nvidia.File
	for _, f := range p.files {
		files = append(files, nvidia.File{Name: f.name, Data: f.data})
	}
	first := question{p: &p, subject: fmt.Sprintf("seed %d", p.seed), inputs: inputs, files: files, args: args, behind: p.behind}
	if keep != "" {
		if err := keepSources(folderOf(keep, first), p); err != nil {
			return nil, err
		}
	}
	rows, output, err := c.put(ctx, first, keep)
	if err != nil || !p.final || output == nil {
		return rows, err
	}
	second := question{p: &p, subject: first.subject + " final", inputs: []nvidia.File{{Name: "part.cubin", Data: output}}}
	more, _, err := c.put(ctx, second, keep)
	return append(rows, more...), err
}

// compile makes the objects; nil with a skipped row where ptxas refuses.
func (c *court) compile(ctx context.Context, p plan) ([]nvidia.File, []report.Row, error) {
	var inputs []nvidia.File
	for _, m := range p.modules {
		source := nvidia.File{Name: m.Name + ".ptx", Data: []byte(m.Text)}
		res, err := c.tools.Assemble(ctx, m.release, append([]string{"-arch=" + p.arch}, m.flags...), source)
		if err != nil {
			return nil, nil, err
		}
		if res.Outcome != nvidia.Success {
			return nil, []report.Row{{
				Subject: fmt.Sprintf("seed %d", p.seed), Release: p.release, Arch: p.arch, Verdict: report.Skipped,
				Note: "ptxas " + m.release + ": " + firstLine(res.Message()),
			}}, nil
		}
		inputs = append(inputs, nvidia.File{Name: m.Name + ".cubin", Data: res.Output})
	}
	return inputs, nil, nil
}

// question is one link.
type question struct {
	p       *plan
	subject string
	inputs  []nvidia.File
	files   []nvidia.File
	args    []string
	behind  bool
}

func (q *question) command() []string {
	args := []string{"-arch=" + q.p.arch}
	if !q.behind {
		args = append(args, q.args...)
	}
	for _, in := range q.inputs {
		args = append(args, in.Name)
	}
	if q.behind {
		args = append(args, q.args...)
	}
	return append(args, "-o", outName)
}

// put asks both and compares; it returns nvlink's output as well.
func (c *court) put(ctx context.Context, q question, keep string) ([]report.Row, []byte, error) {
	theirs, err := c.tools.Tool(q.p.release, nvidia.Nvlink)
	if err != nil {
		return nil, nil, err
	}
	job := nvidia.Job{Args: q.command(), Inputs: append(q.inputs, q.files...), Collect: outName, Limits: limits}
	want, err := theirs.Run(ctx, job)
	if err != nil {
		return nil, nil, err
	}
	if q.p.mixed() {
		job.Args = append([]string{"-toolkit", q.p.release}, job.Args...)
	}
	got, err := c.ours.Run(ctx, job)
	if err != nil {
		return nil, nil, err
	}
	row := compare(got, want)
	row.Subject, row.Release, row.Arch = q.subject, q.p.release, q.p.arch
	if len(q.args) > 0 {
		row.Subject += " " + strings.Join(q.args, " ")
	}
	if row.Verdict == report.Differ {
		row.Repeat = fmt.Sprintf("go run ./corpus/internal/live -n 1 -seed %d -keep DIR", q.p.seed)
	}
	if keep != "" {
		err = keepFiles(folderOf(keep, q), q.p.release, job, got, want)
	}
	return []report.Row{row}, want.Files[outName], err
}

func folderOf(keep string, q question) string {
	return filepath.Join(keep, strings.ReplaceAll(q.subject, " ", "-"))
}

// keepSources writes the PTX, with what it was compiled by in front.
func keepSources(dir string, p plan) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, m := range p.modules {
		head := fmt.Sprintf("// ptxas %s -c -arch=%s %s\n", m.release, p.arch, strings.Join(m.flags, " "))
		if err := os.WriteFile(filepath.Join(dir, m.Name+".ptx"), []byte(head+m.Text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// keepFiles writes what a link read and made.
func keepFiles(dir, release string, job nvidia.Job, got, want *nvidia.Result) error {
	files := map[string][]byte{
		"command":   []byte("nvlink " + release + "\n" + strings.Join(job.Args, "\n") + "\n"),
		"ours.text": got.Stderr, "nvlink.text": want.Stderr,
		"ours.cubin": got.Files[outName], "nvlink.cubin": want.Files[outName],
	}
	for _, f := range job.Inputs {
		files[f.Name] = f.Data
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if data == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
