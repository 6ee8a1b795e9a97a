package nvjitlink

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twinlink/twinlink/internal/nvjitlink/wire"
)

// Linker asks one library, through one worker at a time. Several goroutines may
// use it; their batches wait for each other.
type Linker struct {
	lib  SharedObject
	opts Options

	mu      sync.Mutex
	process *process
	unfit   *Result // once the library is known not to serve
	release string
	starts  int
}

// New returns a Linker. Nothing is started before the first question.
func New(lib SharedObject, o Options) *Linker {
	o.Limits = o.Limits.withDefaults()
	return &Linker{lib: lib, opts: o, release: lib.Release}
}

// Release is the library's release: what its folder says or, after the first
// question, what it says itself.
func (l *Linker) Release() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.release
}

// Starts is how many workers were started so far.
func (l *Linker) Starts() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.starts
}

// Close ends the worker. The Linker may be used again.
func (l *Linker) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop()
}

func (l *Linker) drop() {
	if l.process != nil {
		l.process.close()
		l.process = nil
	}
}

// Link asks one question.
func (l *Linker) Link(ctx context.Context, q Question) (*Result, error) {
	res, err := l.Ask(ctx, []Question{q})
	if err != nil {
		return nil, err
	}
	return &res[0], nil
}

// Ask asks questions one after the other and returns a result for each, in
// their order. The only error is ctx's.
//
// A worker that dies or hangs loses the question it was at: if it had answered
// others before, a new one is asked the same; if the question was its first, or
// it dies again, that is the result. The rest goes to a new worker.
func (l *Linker) Ask(ctx context.Context, qs []Question) ([]Result, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	results := make([]Result, len(qs))
	for next := 0; next < len(qs); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := qs[next].check(); err != nil {
			results[next] = Result{Outcome: NotAsked, Reason: err.Error()}
			next++
			continue
		}
		if failure := l.ready(); failure != nil {
			keep(&results[next], failure)
			next++
			continue
		}
		p := l.process
		fresh := p.served == 0
		n, end, retire := l.batch(ctx, p, qs[next:], results[next:])
		next += n
		switch {
		case ctx.Err() != nil:
			l.drop()
			return nil, ctx.Err()
		case end != nil:
			res := end.result(p)
			l.drop()
			if fresh && n == 0 {
				keep(&results[next], res)
				next++
			} else if next < len(qs) {
				results[next].Deaths++
			}
		case retire || p.served >= l.opts.Limits.Links:
			l.drop()
		}
	}
	return results, nil
}

// keep stores a result and keeps the count of deaths.
func keep(at *Result, res *Result) {
	deaths := at.Deaths
	*at = *res
	at.Deaths = deaths
}

// ready has a worker running; or says what came of it.
func (l *Linker) ready() *Result {
	if l.unfit != nil || l.process != nil {
		return l.unfit
	}
	program, err := l.opts.worker()
	if err != nil {
		l.unfit = &Result{Outcome: Unfit, Reason: err.Error()}
		return l.unfit
	}
	l.starts++
	p, failure := start(l.lib, program, l.opts.Limits)
	if failure != nil {
		if failure.Outcome == Unfit {
			l.unfit = failure
		}
		return failure
	}
	l.process, l.release = p, release(&p.greeting)
	return nil
}

// batch sends questions and reads answers until all are answered, the worker
// has done its share, or something ends it. It returns how many were answered,
// and whether the worker had better be replaced.
func (l *Linker) batch(ctx context.Context, p *process, qs []Question, results []Result) (n int, end *ending, retire bool) {
	qs = qs[:min(len(qs), l.opts.Limits.Links-p.served)]
	for i := range qs {
		if qs[i].check() != nil {
			qs = qs[:i]
			break
		}
	}
	sent := make(chan struct{})
	go p.send(qs, sent)
	running := p.cmd.Process
	stop := context.AfterFunc(ctx, func() { kill(running) })
	defer stop()
	began := time.Now()
	for n < len(qs) {
		a, e := p.read(l.opts.Limits.Time)
		if e == nil && a.ID != uint64(n+1) {
			e = &ending{err: wire.ErrGarbled}
		}
		if e != nil {
			end = e
			break
		}
		keep(&results[n], resultOf(a, qs[n].PTX))
		now := time.Now()
		results[n].Time, began = now.Sub(began), now
		n++
		p.served++
		// 13.0 was seen to damage its heap by two definitions of one name, and to die
		// of it at another question.
		if results[n-1].Outcome == Linked && results[n-1].Complained() {
			p.complaints++
		}
		if results[n-1].Outcome == Garbled || p.complaints >= mostComplaints {
			retire = true
			break
		}
	}
	if end != nil || retire {
		kill(running)
	}
	<-sent
	return n, end, retire
}

// mostComplaints is how many links that it should have refused a worker makes
// before it is replaced. 1,300 links with 209 of them among them gave the same
// images as without, in every release from 12.6 on.
const mostComplaints = 32

var elfMagic = []byte("\x7fELF")

// resultOf makes a result of a worker's answer.
func resultOf(a *wire.Answer, ptx bool) *Result {
	res := &Result{
		Outcome: Linked, Step: Step(a.Step), Input: int(a.Input), Code: Code(a.Code),
		Log: string(a.Log), Info: string(a.Info), Text: string(a.Text), Lost: a.Lost,
	}
	switch {
	case a.Fault != "":
		res.Outcome, res.Reason = Garbled, a.Fault
	case a.Code != 0:
		res.Outcome = Refused
	case a.Step != wire.StepDone:
		res.Outcome, res.Reason = Garbled, "success before completion"
	case len(a.Output) == 0:
		res.Outcome, res.Reason = Garbled, "success without output"
	case !ptx && !bytes.HasPrefix(a.Output, elfMagic):
		res.Outcome, res.Reason = Garbled, "success, but the output is not an ELF file"
	default:
		res.Output = bytes.Clone(a.Output)
	}
	return res
}

func release(greeting *wire.Answer) string {
	return fmt.Sprintf("%d.%d", greeting.Major, greeting.Minor)
}
