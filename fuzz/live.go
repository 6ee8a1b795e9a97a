package fuzz

import (
	"bytes"
	"context"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/internal/ownwarnings"
)

// Live are the tools that questions are put to: nvlink, and the nvJitLinks that stay loaded in a process of their own. nvlink
// from 13.0 on takes more time to start and to link than three hundred cases a second leave. So nvJitLink of the same
// release is asked first, and nvlink only where the engine refuses, where it and nvJitLink part, or nvJitLink can't be asked.
type Live struct {
	Set *nvidia.Toolset
	jit map[string]*nvjitlink.Linker // by release
}

// FindLive finds the tools that are installed.
func FindLive(ctx context.Context, o nvjitlink.Options) (*Live, error) {
	set, err := nvidia.Find(ctx, nvidia.Options{Scratch: nvidia.InMemory()})
	if err != nil {
		return nil, err
	}
	l := &Live{Set: set, jit: map[string]*nvjitlink.Linker{}}
	for _, lib := range nvjitlink.Find(o) {
		if lib.Release >= "13" {
			l.jit[lib.Release] = nvjitlink.New(lib, o)
		}
	}
	return l, nil
}

// Close ends the processes.
func (l *Live) Close() {
	for _, j := range l.jit {
		j.Close()
	}
}

// Judge puts a question to the engine and to the tools of its release. Where nvlink made an image the engine's is the
// same, or a warning says that it may not be; what the engine links nvlink links as well. Of two steps the first is asked.
func (l *Live) Judge(ctx context.Context, q *Question, kind string) (Ruling, *Divergence) {
	first := *q
	first.Final = nil
	ruling, d := l.judge(ctx, &first, kind)
	return ruling, d.of(&first)
}

func (l *Live) judge(ctx context.Context, q *Question, kind string) (Ruling, *Divergence) {
	var out *engine.Output
	var err error
	if d := guarded("live", func() *Divergence { out, err = q.Link(); return nil }); d != nil {
		return Diverge, d
	}
	if err == nil && q.failsByWarning(out.Diags) {
		out, err = nil, &cmdline.Refusal{}
	}
	if ruling := l.quick(ctx, q, kind, out); ruling != "" {
		return ruling, nil
	}
	var files []nvidia.File
	for _, in := range q.Inputs {
		files = append(files, nvidia.File{Name: in.Name, Data: in.Data})
	}
	res, failed := l.Set.Link(ctx, q.Release, q.Args, files)
	if failed != nil {
		return Diverge, &Divergence{Key: "live", What: failed.Error()}
	}
	diverge := func(key, what string) (Ruling, *Divergence) {
		return Diverge, &Divergence{Key: "live-" + kind + "-" + key, What: what, Traces: []Trace{{"link", q.story()}, {"nvlink", res.String() + "\n" + head(res.Message(), 10)}}}
	}
	switch res.Outcome {
	case nvidia.Success:
		switch {
		case err != nil:
			return OneRefuses, nil // what the engine doesn't take it says; see the keys of the recorded answers
		case !bytes.Equal(out.Image, res.Output) && foretold(out.Diags):
			return Diverge, nil
		case !bytes.Equal(out.Image, res.Output):
			key, first := difference(out.Image, res.Output)
			return diverge(key, "bytes differ: "+first)
		}
		return Agree, nil
	case nvidia.Refused:
		if err == nil {
			return diverge("refused", "the engine links what nvlink refuses: "+strings.TrimSpace(head(res.Message(), 1)))
		}
		return BothRefuse, nil
	}
	return Dead, nil
}

// werror makes errors of warnings.
const werror = "-Werror"

// failsByWarning reports whether -Werror makes an error of a warning that nvlink has too.
func (q *Question) failsByWarning(diags []engine.Diagnostic) bool {
	return slices.Contains(q.Args, werror) && !slices.Contains(q.Args, "-w") && slices.ContainsFunc(diags, func(d engine.Diagnostic) bool {
		return d.Severity == engine.Warning && !d.Kind.IsOwn()
	})
}

// foretold reports whether a warning says that the image may not be nvlink's.
func foretold(diags []engine.Diagnostic) bool {
	return slices.ContainsFunc(diags, func(d engine.Diagnostic) bool {
		_, warned := ownwarnings.Strip("nvlink warning : " + d.Text + "\n")
		return warned
	})
}

// alsoNvlink is how many questions there are for each that is put to nvlink whatever nvJitLink says.
const alsoNvlink = 16

// sum is a number of a question that is the same on every machine.
func (q *Question) sum() uint32 { return crc32.ChecksumIEEE([]byte(q.story())) }

// nvlinksOwn are options that nvJitLink has not, though they change what nvlink does.
func nvlinksOwn(option string) bool {
	_, err := nvjitlink.FromNvlink("13.5", []string{option})
	return err != nil && option != werror
}

// Lighten leaves the options that only nvlink has out of three questions of four: a link by nvlink takes the time of three by
// nvJitLink.
func (l *Live) Lighten(q *Question) {
	if l.jit[q.Release] != nil && q.sum()%4 != 0 {
		q.Args = slices.DeleteFunc(slices.Clone(q.Args), nvlinksOwn)
	}
}

// quick asks nvJitLink: "" where that doesn't settle it. What the engine refuses nvlink refuses as quickly, and some of it ends nvJitLink's
// process, which costs more than ten links.
func (l *Live) quick(ctx context.Context, q *Question, kind string, out *engine.Output) Ruling {
	j := l.jit[q.Release]
	if j == nil || out == nil || q.sum()%alsoNvlink == 0 {
		return ""
	}
	// nvJitLink can't make errors of its warnings, but says whether there are any.
	strict := slices.Contains(q.Args, werror)
	options, err := nvjitlink.FromNvlink(q.Release, slices.DeleteFunc(slices.Clone(q.Args), func(a string) bool { return a == werror }))
	if err != nil {
		return ""
	}
	question := nvjitlink.Question{Options: options}
	for _, in := range q.Inputs {
		question.Inputs = append(question.Inputs, nvjitlink.Input{Kind: nvjitlink.Cubin, Name: in.Name, Data: in.Data})
	}
	res, err := j.Link(ctx, question)
	switch {
	case err != nil || res.Outcome != nvjitlink.Linked || res.Complained() || strict && strings.Contains(res.Text, "warning"):
	case nvjitlink.Same(res.Output, out.Image) == "":
		return Agree
	case foretold(out.Diags), unknown(&Divergence{Key: "live-" + kind + "-image"}) == nil: // any difference is known
		return Diverge
	}
	return ""
}
