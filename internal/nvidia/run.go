package nvidia

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"time"
)

// Job is one run of a tool.
type Job struct {
	Args    []string // as the tool gets them; file names relative to the scratch folder
	Inputs  []File   // put there before the start
	Outputs []string // names to read back into Result.Files
	// Collect is a [path.Match] pattern: files at the top of the scratch folder
	// that match it, and are no inputs, are read back too. Where none does, that
	// is no failure.
	Collect string
	Limits  Limits
}

// pipeGrace is how long a run waits for its pipes to close once the tool is
// dead: a child of the tool may hold them open.
const pipeGrace = time.Second

// Run runs a tool in a scratch folder of its own and waits for its end.
//
// However the tool ends, that is a Result and no error. An error means that
// the run did not take place ([FileNameError], [ArgumentError], [StartError], a
// full disk) or was given up because ctx ended (ctx's error). Nothing is left
// behind in any case: neither the folder nor a process of the tool's group.
func (t Tool) Run(ctx context.Context, job Job) (res *Result, err error) {
	for _, name := range job.Outputs {
		if err := checkName(name); err != nil {
			return nil, err
		}
	}
	if _, err := path.Match(job.Collect, ""); err != nil {
		return nil, &ArgumentError{job.Collect, "not a pattern"}
	}
	box, err := newScratch(t.scratch)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := box.remove(); e != nil && err == nil {
			res, err = nil, e
		}
	}()
	if err := box.put(job.Inputs); err != nil {
		return nil, err
	}
	limits := job.Limits.withDefaults()
	if res, err = t.exec(ctx, box.dir, job.Args, limits); err != nil {
		return nil, err
	}
	res.Files = make(map[string][]byte, len(job.Outputs))
	for _, name := range job.Outputs {
		data := box.get(name, limits.File)
		if data != nil {
			res.Files[name] = data
		} else if res.Outcome == Success {
			res.Outcome = Silent
		}
	}
	if job.Collect != "" {
		box.collect(res.Files, job, limits.File)
	}
	return res, nil
}

// exec starts the tool in dir, waits, and classifies its end by exit status
// alone.
func (t Tool) exec(ctx context.Context, dir string, args []string, limits Limits) (*Result, error) {
	timed, stop := context.WithTimeout(ctx, limits.Time)
	defer stop()
	cmd := exec.CommandContext(timed, t.Path, args...)
	cmd.Dir = dir
	cmd.Env = environment(dir)
	stdout, stderr := &capture{limit: limits.Text}, &capture{limit: limits.Text}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = pipeGrace
	ownGroup(cmd)
	stopped := false // written before Wait returns, which waits for Cancel
	cmd.Cancel = func() error {
		stopped = true
		return killGroup(cmd.Process.Pid)
	}

	began := time.Now()
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &StartError{t.Path, err}
	}
	limitProcess(cmd.Process.Pid, limits)
	waitErr := cmd.Wait()
	// Also after an orderly end: a tool may leave children of its group behind. As
	// long as there is one the group's number is taken; with none there is no
	// such group.
	_ = killGroup(cmd.Process.Pid)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	state := cmd.ProcessState
	if state == nil {
		return nil, fmt.Errorf("wait for %s: %w", t.Path, waitErr)
	}
	res := &Result{
		Tool:       t,
		Duration:   time.Since(began),
		ExitCode:   state.ExitCode(),
		Signal:     deathSignal(state),
		Stdout:     stdout.kept,
		Stderr:     stderr.kept,
		StdoutLost: stdout.lost,
		StderrLost: stderr.lost,
	}
	switch {
	case state.Success():
		res.Outcome = Success
	case stopped, isCPULimit(res.Signal):
		res.Outcome = Hung
	case res.Signal != 0:
		res.Outcome = Crashed
	default:
		res.Outcome = Refused
	}
	return res, nil
}

// environment is all that a tool sees of ours: enough to start, nothing that
// changes its messages or its options.
func environment(dir string) []string {
	env := []string{"LC_ALL=C", "TZ=UTC", "HOME=" + dir, "TMPDIR=" + dir}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH", "SystemRoot"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
