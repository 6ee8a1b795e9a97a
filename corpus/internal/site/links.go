package main

import (
	"context"
	"slices"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/verify"
	"github.com/twinlink/twinlink/report"
)

// recorded links and judges every recorded run whose inputs are all there.
func recorded(ctx context.Context) (*report.Report, error) {
	cases, err := corpus.Cases()
	if err != nil {
		return nil, err
	}
	r := &report.Report{Title: "Recorded links", Command: "site"}
	for _, c := range cases {
		if c.Complete() && (!c.Linked() || c.Output != nil) {
			r.Rows = append(r.Rows, verify.Ask(ctx, question(&c), nil))
		}
	}
	return r, nil
}

func question(c *corpus.Case) *verify.Question {
	q := &verify.Question{Subject: c.ID(), Release: c.Release, Recorded: &verify.Recorded{Output: c.Output, Message: c.Stderr}}
	for _, in := range c.Inputs {
		q.Inputs = append(q.Inputs, verify.File{Name: in.Name, Data: in.Data})
	}
	for i := 0; i < len(c.Args); i++ {
		switch {
		case c.Args[i] == "-o":
			i++
		case !slices.ContainsFunc(c.Inputs, func(in corpus.Input) bool { return in.Name == c.Args[i] }):
			q.Args = append(q.Args, c.Args[i])
		}
	}
	return q
}
