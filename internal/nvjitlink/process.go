package nvjitlink

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/twinlink/twinlink/internal/nvjitlink/wire"
)

// process is a worker at work.
type process struct {
	cmd       *exec.Cmd
	alive     *os.File // the end of the worker's standard input that stays open
	questions *os.File
	answers   *os.File
	in        *bufio.Reader
	printed   *os.File // what the library prints, a file without a name
	home      string   // its home and its folder for temporary files
	greeting  wire.Answer
	served    int
	// complaints counts links that the library should have refused.
	complaints int
	buf        []byte
	limits     Limits
}

// start starts a worker and reads its greeting. The failure is a Result, which
// goes to a question.
func start(lib SharedObject, program string, limits Limits) (*process, *Result) {
	p := &process{limits: limits}
	if err := p.launch(lib.Path, program); err != nil {
		p.close()
		return nil, &Result{Outcome: Unfit, Reason: err.Error()}
	}
	greeting, end := p.read(limits.Time)
	if end != nil {
		res := end.result(p)
		p.close()
		res.Reason = "before the first link: " + res.Reason
		return nil, res
	}
	p.greeting = *greeting
	if err := p.fits(lib, program); err != nil {
		p.close()
		return nil, &Result{Outcome: Unfit, Reason: err.Error()}
	}
	return p, nil
}

// launch starts the program with pipes for questions and answers.
func (p *process) launch(library, program string) error {
	path, err := filepath.Abs(library)
	if err != nil {
		return err
	}
	if p.home, err = os.MkdirTemp("", "nvjitlink"); err != nil {
		return err
	}
	if p.printed, err = unnamedFile(p.home); err != nil {
		return err
	}
	var theirs [3]*os.File
	defer func() {
		for _, f := range theirs {
			if f != nil {
				f.Close()
			}
		}
	}()
	if theirs[0], p.alive, err = os.Pipe(); err != nil {
		return err
	}
	if theirs[1], p.questions, err = os.Pipe(); err != nil {
		return err
	}
	if p.answers, theirs[2], err = os.Pipe(); err != nil {
		return err
	}
	widen(p.questions)
	widen(p.answers)
	p.in = bufio.NewReaderSize(p.answers, 1<<16)
	cmd := exec.Command(program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], p.printed, p.printed
	cmd.ExtraFiles = []*os.File{theirs[1], theirs[2]}
	cmd.Dir = p.home
	cmd.Env = p.environment(path)
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd = cmd
	return nil
}

func (p *process) environment(library string) []string {
	return []string{
		"LC_ALL=C", "TZ=UTC", "HOME=" + p.home, "TMPDIR=" + p.home, "GOTRACEBACK=none",
		// A library frees all that a link took: without these the C library would
		// give it back to the system each time.
		"MALLOC_TRIM_THRESHOLD_=268435456", "MALLOC_MMAP_THRESHOLD_=67108864", "MALLOC_TOP_PAD_=16777216",
		wire.ServeVariable + "=" + library,
		wire.LimitsVariable + fmt.Sprintf("=%d,%d,%d", p.limits.Text, p.limits.File, p.limits.Memory),
	}
}

// fits compares the greeting with what was asked for.
func (p *process) fits(lib SharedObject, program string) error {
	said := fmt.Sprintf("%d.%d", p.greeting.Major, p.greeting.Minor)
	switch {
	case p.greeting.Protocol != wire.Version:
		return fmt.Errorf("%s is from another build of twinlink", filepath.Base(program))
	case p.greeting.Fault != "":
		return fmt.Errorf("%s %s", filepath.Base(lib.Path), p.greeting.Fault)
	case lib.Release != "" && said != lib.Release:
		return fmt.Errorf("%s is of release %s, not %s", filepath.Base(lib.Path), said, lib.Release)
	}
	return nil
}

// unnamedFile makes a file for appending that is gone when it is closed.
func unnamedFile(folder string) (*os.File, error) {
	name := filepath.Join(folder, "printed")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return f, os.Remove(name)
}

// ending is why no answer came.
type ending struct {
	err  error
	hung bool
}

// read waits for an answer.
func (p *process) read(limit time.Duration) (*wire.Answer, *ending) {
	if err := p.answers.SetReadDeadline(p.limits.until(limit)); err != nil {
		return nil, &ending{err: err}
	}
	payload, err := wire.ReadFrame(p.in, p.buf)
	if err != nil {
		return nil, &ending{err, errors.Is(err, os.ErrDeadlineExceeded)}
	}
	p.buf = payload
	a, err := wire.ReadAnswer(payload)
	if err != nil {
		return nil, &ending{err: err}
	}
	return a, nil
}

// result ends the process and says how it ended.
func (e *ending) result(p *process) *Result {
	if errors.Is(e.err, wire.ErrGarbled) {
		return &Result{Outcome: Garbled, Reason: "the worker sent an invalid answer: the library overwrote it"}
	}
	text, size := p.takePrinted()
	if size >= p.limits.File {
		return &Result{Outcome: Garbled, Reason: fmt.Sprintf("printed more than %d bytes", p.limits.File), Text: text, Lost: uint64(size) - uint64(len(text))}
	}
	if e.hung {
		return &Result{Outcome: Hung, Reason: "no answer in " + p.limits.Time.String()}
	}
	// The pipe was closed: the process is about to end.
	status := p.end(time.Second)
	res := &Result{Outcome: Crashed, Reason: status}
	text, size = p.takePrinted()
	res.Text, res.Lost = text, uint64(size)-uint64(len(text))
	if m := goSignal().FindStringSubmatchIndex(text); m != nil {
		res.Signal = text[m[2]:m[3]]
		res.Reason, res.Text = res.Signal, text[:m[0]] // without the trace of Go's side
	} else if name, ok := strings.CutPrefix(status, "signal: "); ok {
		res.Signal = name
	}
	return res
}

// goSignal is how Go's runtime says that a signal ended the process in C:
// "SIGABRT: abort", or "fatal error: unexpected signal …" and "[signal SIGSEGV: …".
var goSignal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:fatal error: .*\n)?(?:\[signal )?(SIG[A-Z]{2,6}): `)
})

func (p *process) takePrinted() (text string, size int64) {
	info, err := p.printed.Stat()
	if err != nil {
		return "", 0
	}
	buf := make([]byte, min(info.Size(), int64(p.limits.Text)))
	n, _ := p.printed.ReadAt(buf, 0)
	return string(buf[:n]), info.Size()
}

// end waits for the process to end by itself, kills it if need be, and returns
// its status as text.
func (p *process) end(patience time.Duration) string {
	if p.cmd == nil {
		return "not started"
	}
	process := p.cmd.Process // the timer may come to it when p.cmd is gone
	timer := time.AfterFunc(patience, func() { kill(process) })
	err := p.cmd.Wait()
	timer.Stop()
	kill(process) // children that the library left in its group
	status := "exit status 0"
	if err != nil {
		status = err.Error()
	}
	p.cmd = nil
	return status
}

// close ends the process and removes what it left.
func (p *process) close() {
	for _, f := range []*os.File{p.questions, p.alive} {
		if f != nil {
			f.Close()
		}
	}
	if p.cmd != nil {
		kill(p.cmd.Process)
		p.end(time.Second)
	}
	for _, f := range []*os.File{p.answers, p.printed} {
		if f != nil {
			f.Close()
		}
	}
	if p.home != "" {
		os.RemoveAll(p.home)
	}
}

// send writes questions until all are sent or the pipe breaks: then the reader
// learns why.
func (p *process) send(qs []Question, done chan<- struct{}) {
	defer close(done)
	out := bufio.NewWriterSize(p.questions, 1<<16)
	var buf []byte
	for i := range qs {
		q := wire.Question{ID: uint64(i + 1), Options: qs[i].Options, PTX: qs[i].PTX}
		for _, in := range qs[i].Inputs {
			q.Inputs = append(q.Inputs, wire.Input{Kind: uint32(in.Kind), Name: in.Name, Data: in.Data})
		}
		buf = wire.AppendQuestion(buf[:0], &q)
		if wire.WriteFrame(out, buf) != nil {
			return
		}
	}
	_ = out.Flush()
}
