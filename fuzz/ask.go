package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz/opinion"
	"github.com/twinlink/twinlink/fuzz/reduce"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/oracle/check"
)

// Ruling is how the opinions on a question relate.
type Ruling string

// The rulings.
const (
	Agree         Ruling = "agree"
	Diverge       Ruling = "diverge"
	BothRefuse    Ruling = "both-refuse"
	OneRefuses    Ruling = "one-refuses"
	Inexpressible Ruling = "inexpressible" // the other can't say
	Dead          Ruling = "dead"          // the tool crashed or hung
)

// Link is the engine's answer. No output and no error is a refusal of the command line.
func (q *Question) Link() (*engine.Output, error) {
	options, err := q.options(q.Command("out.cubin"))
	if err != nil {
		return nil, err
	}
	out, err := engine.Link(q.Inputs, options)
	if err != nil || q.Final == nil {
		return out, err
	}
	if options, err = q.options(append(slices.Clone(q.Final), "out.cubin", "-o", "final.cubin")); err != nil {
		return nil, err
	}
	return engine.Link([]engine.Input{{Name: "out.cubin", Data: out.Image}}, options)
}

func (q *Question) options(args []string) (engine.Options, error) {
	release, ok := cmdline.ParseRelease(q.Release)
	if !ok {
		return engine.Options{}, fmt.Errorf("fuzz: no release %s", q.Release)
	}
	cmd, err := cmdline.Parse(release, args, func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	if err != nil {
		return engine.Options{}, err
	}
	if cmd.Failed { // -Werror; nvlink reads the inputs first
		return engine.Options{}, &cmdline.Refusal{Messages: cmd.Messages, Exit: 255}
	}
	return cmd.Options, nil
}

func (q *Question) size() int {
	n := 0
	for _, in := range q.Inputs {
		n += len(in.Data)
	}
	return n
}

// of adds the link to what was found on it; reduce knows links of one step alone.
func (d *Divergence) of(q *Question) *Divergence {
	if d != nil && q.Final == nil {
		d.Link = &reduce.Case{Release: q.Release, Options: q.Args}
		for _, in := range q.Inputs {
			d.Link.Inputs = append(d.Link.Inputs, reduce.File{Name: in.Name, Data: in.Data})
		}
	}
	return d
}

// story says how the question is put by hand.
func (q *Question) story() string {
	text := "nvlink " + q.Release + " " + strings.Join(q.Command("out.cubin"), " ") + "\n"
	for i, from := range q.From {
		if len(q.From) == len(q.Inputs) {
			text += q.Inputs[i].Name + " is " + from + " of the corpus\n"
		} else {
			text += "made of " + from + " of the corpus\n"
		}
	}
	if q.Final != nil {
		text += "and then " + strings.Join(q.Final, " ") + " out.cubin -o final.cubin\n"
	}
	return text
}

// Judge links with the engine and shows the output to the oracle, twice: a refusal says why, the output opens and is the
// same again, and the oracle finds nothing wrong with it.
func (q *Question) Judge(key string) (Ruling, *Divergence) {
	ruling, d := q.judge(key)
	return ruling, d.of(q)
}

func (q *Question) judge(key string) (Ruling, *Divergence) {
	var out *engine.Output
	var err error
	if d := within(key, q.size(), func() *Divergence {
		out, err = q.Link()
		return nil
	}); d != nil {
		d.Traces = append(d.Traces, Trace{"link", q.story()})
		return Diverge, d
	}
	if err != nil {
		var refused *engine.LinkError
		var wrong *cmdline.Refusal
		if !errors.As(err, &wrong) && (!errors.As(err, &refused) || len(refused.Diags) == 0 || refused.Exit == 0) {
			return Diverge, &Divergence{Key: key + "-refusal", What: fmt.Sprintf("refused by %T, %v", err, err), Traces: []Trace{{"link", q.story()}}}
		}
		return BothRefuse, nil
	}
	if again, err := q.Link(); err != nil || !bytes.Equal(out.Image, again.Image) {
		return Diverge, &Divergence{Key: key + "-again", What: fmt.Sprintf("the same link gives another output: %v", err), Traces: []Trace{{"link", q.story()}}}
	}
	if q.Final != nil {
		return Inexpressible, nil // the oracle is told of one link
	}
	var inputs []check.Input
	for _, in := range q.Inputs {
		inputs = append(inputs, check.Input{Name: in.Name, Data: in.Data})
	}
	var verdict check.Verdict
	if d := within(key+"-oracle", q.size(), func() *Divergence {
		verdict = check.Check(inputs, out.Image, opinion.CheckOptions(q.Release, q.Args))
		return nil
	}); d != nil {
		d.Traces = append(d.Traces, Trace{"link", q.story()})
		return Diverge, d
	}
	switch {
	case verdict.Total > 0:
		cause := opinion.Cause(&verdict).String()
		if key != "objects" && cause == check.CodeBytes.String() { // too much has this alone
			cause = strings.ReplaceAll(kinds(verdict.Findings), ", ", "+")
		}
		const stack = "EIATTR_MAX_STACK_SIZE"
		if !slices.ContainsFunc(verdict.Findings, func(f check.Finding) bool { return f.Detail != stack }) {
			cause = "fact." + stack // whose it is, which 13.5 mistakes with -r
		}
		return Diverge, &Divergence{Key: key + "-oracle-" + cause, What: "the oracle does not accept the engine's output: " + kinds(verdict.Findings),
			Traces: []Trace{{"link", q.story()}, {"oracle", head(verdict.String(), 20)}}}
	case !verdict.Agrees():
		return Inexpressible, nil
	}
	return Agree, nil
}

// kinds names the kinds of findings, each once.
func kinds(list []check.Finding) string {
	var names []string
	for _, f := range list {
		names = append(names, f.Kind.String())
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
