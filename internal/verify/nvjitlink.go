package verify

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/report"
)

// libraries is nvJitLink as a question is put to it.
type libraries struct {
	found   []nvjitlink.SharedObject
	options nvjitlink.Options
}

// WithNvJitLink lets a question be put to these libraries too, each a column of
// its own. The one of the question's release is compared with the engine's
// image; the others show what their release makes of the inputs.
func (q *Question) WithNvJitLink(found []nvjitlink.SharedObject, o nvjitlink.Options) {
	q.jit = libraries{found, o}
}

// askNvJitLink asks the libraries, some at a time: most of an answer's time is
// the loading of 100 MB.
func (a *run) askNvJitLink(ctx context.Context) []report.Answer {
	libs := a.q.jit.found
	answers := make([]report.Answer, len(libs))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range libs {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			answers[i] = a.askLibrary(ctx, libs[i])
		})
	}
	all.Wait()
	return answers
}

func (a *run) askLibrary(ctx context.Context, lib nvjitlink.SharedObject) report.Answer {
	answer := report.Answer{Source: report.NvJitLink, Release: lib.Release, Outcome: report.Absent}
	options, err := nvjitlink.FromNvlink(lib.Release, a.q.Args)
	if err != nil {
		answer.Detail = err.Error()
		return answer
	}
	question := nvjitlink.Question{Options: options}
	for _, f := range a.q.Inputs {
		question.Inputs = append(question.Inputs, nvjitlink.Input{Kind: kindOf(f.Data), Name: f.Name, Data: f.Data})
	}
	l := nvjitlink.New(lib, a.q.jit.options)
	defer l.Close()
	res, err := l.Link(ctx, question)
	if err != nil {
		answer.Detail = err.Error()
		return answer
	}
	answer.Release = l.Release()
	switch res.Outcome {
	case nvjitlink.Linked:
		answer.Outcome, answer.Detail = report.Linked, size(len(res.Output))
		if res.Complained() {
			// From 12.6 on: two definitions of one name, of which it drops one.
			answer.Detail += ", though it reports: " + firstLine(res.Text)
		}
		if answer.Release == a.cmd.Release.String() && a.image != nil {
			if d := nvjitlink.Same(res.Output, a.image); d != "" {
				answer.Detail += ", not the engine's: " + d
			} else {
				answer.Detail += ", the engine's except for the tool's name"
			}
		}
	case nvjitlink.Refused:
		answer.Outcome, answer.Detail = report.Refused, strings.TrimSpace(fmt.Sprintf("%s\n%s", res, res.Message()))
	case nvjitlink.Crashed:
		answer.Outcome, answer.Detail = report.Crashed, res.String()
	case nvjitlink.Hung:
		answer.Outcome, answer.Detail = report.Hung, res.String()
	default:
		answer.Detail = res.String()
	}
	return answer
}

// kindOf tells an input's kind by its first bytes.
func kindOf(data []byte) nvjitlink.Kind {
	head := string(data[:min(len(data), 8)])
	switch {
	case strings.HasPrefix(head, "\x50\xed\x55\xba"):
		return nvjitlink.Fatbin
	case strings.HasPrefix(head, "!<arch>\n"):
		return nvjitlink.Library
	case strings.HasPrefix(head, "\x7fELF") && len(data) > 19 && data[18] != 190:
		return nvjitlink.Object
	case strings.HasPrefix(head, "\x7fELF"):
		return nvjitlink.Cubin
	}
	return nvjitlink.PTX
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}
