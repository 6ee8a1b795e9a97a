package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz"
	"github.com/twinlink/twinlink/oracle/check"
)

// steps links a program at once, and in two steps: all its files, or a part of them, with -r, and the rest with what
// that made. The oracle is shown every link with what went into it.
func (s *search) steps(ctx context.Context, q *fuzz.Question) (wrong []string) {
	args := slices.DeleteFunc(slices.Clone(q.Args), func(a string) bool { return a == "-r" })
	if slices.ContainsFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-arch=") }) || q.Release < "13" {
		args = args[:1] // before 13.0 -r has no effect
	}
	if q.Release < "13" {
		return nil
	}
	once := s.ask(ctx, q.Release, q.Inputs, slices.Concat(args, names(q.Inputs)), nil, nil, "once")
	if !once.linked() {
		return nil
	}
	if v := judge(q.Inputs, once.image, q.Release, args); v != "" {
		return nil // one link is FuzzLive's
	}
	for n := 1; n <= len(q.Inputs); n++ {
		part := s.ask(ctx, q.Release, q.Inputs[:n], slices.Concat(args, []string{"-r"}, names(q.Inputs[:n])), nil, nil, "part")
		if part.exit < 0 {
			wrong = append(wrong, fmt.Sprintf("-r of %d of %d files: it dies", n, len(q.Inputs)))
		}
		if !part.linked() {
			continue
		}
		if v := judge(q.Inputs[:n], part.image, q.Release, append(slices.Clone(args), "-r")); v != "" {
			wrong = append(wrong, fmt.Sprintf("-r of %d of %d files: %s", n, len(q.Inputs), v))
		}
		rest := append([]engine.Input{{Name: "part.cubin", Data: part.image}}, q.Inputs[n:]...)
		final := s.ask(ctx, q.Release, rest, slices.Concat(args, names(rest)), nil, nil, "final")
		switch {
		case final.exit < 0:
			wrong = append(wrong, fmt.Sprintf("the link of -r of %d of %d files: it dies", n, len(q.Inputs)))
		case !final.linked():
			head, _, _ := strings.Cut(final.text, "\n")
			wrong = append(wrong, fmt.Sprintf("-r of %d of %d files can't be linked: %s", n, len(q.Inputs), head))
		default:
			if v := judge(rest, final.image, q.Release, args); v != "" {
				wrong = append(wrong, fmt.Sprintf("the link of -r of %d of %d files: %s", n, len(q.Inputs), v))
			}
			if was, is := kernels(once.image), kernels(final.image); len(was) != len(is) {
				wrong = append(wrong, fmt.Sprintf("the link of -r of %d of %d files has %d kernels, in one step %d", n, len(q.Inputs), len(is), len(was)))
			}
		}
	}
	return wrong
}

// judge is what the oracle has against a link, "" for nothing.
func judge(inputs []engine.Input, image []byte, release string, args []string) string {
	var list []check.Input
	for _, in := range inputs {
		list = append(list, check.Input{Name: in.Name, Data: in.Data})
	}
	o := check.Options{Arch: strings.TrimPrefix(args[0], "-arch="), Toolkit: release, Relocatable: slices.Contains(args, "-r")}
	v := check.Check(list, image, o)
	if v.Refusal != nil {
		return "the oracle refuses: " + v.Refusal.Error()
	}
	kinds := map[string]bool{}
	var all []string
	for _, f := range v.Findings {
		if k := f.Kind.String(); !kinds[k] {
			kinds[k] = true
			all = append(all, k)
		}
	}
	slices.Sort(all)
	if len(all) > 0 {
		return strings.Join(all, ", ") + "\n\t" + v.Findings[0].String()
	}
	return ""
}
