package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/inputs"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check"
	"github.com/twinlink/twinlink/report"
)

// gather finds the objects in the inputs. What ends the link is the engine's
// answer. An output that is there may be nvlink's, which drops what is refused here: it is judged by the others.
func (a *run) gather() {
	if a.gatherAs(a.cmd) || a.q.Output == nil {
		return
	}
	asNvlink := *a.cmd
	asNvlink.AsNvlink = true
	a.gatherAs(&asNvlink)
}

// gatherAs gathers by a command, and reports whether nothing ends the link.
func (a *run) gatherAs(cmd *cmdline.Command) bool {
	a.set = inputs.New(cmd, a.q.reader())
	names := append([]string(nil), a.cmd.Inputs...)
	for _, lib := range a.cmd.Libraries {
		if path, _ := a.set.Library(lib); path != "" {
			names = append(names, path)
		}
	}
	for _, name := range names {
		if a.refusedBy(a.set.Add(name)) {
			return false
		}
	}
	if a.refusedBy(a.set.Finish()) {
		return false
	}
	a.cmd.Options.HostUse = a.set.HostUse()
	a.cmd.Options.Empty = true
	return true
}

func (a *run) refusedBy(said []engine.Diagnostic) bool {
	for i := range said {
		if said[i].Severity == engine.Fatal {
			if a.engine != nil {
				return true
			}
			a.engine = &report.Answer{Source: report.Engine, Outcome: report.Refused, Detail: a.lines(said)}
			return true
		}
	}
	return false
}

// askEngine links. What it says is what the command line would print.
func (a *run) askEngine() {
	if a.engine != nil {
		return
	}
	out, err := engine.Link(a.set.Objects, a.cmd.Options)
	var refused *engine.LinkError
	switch {
	case errors.As(err, &refused):
		a.engine = &report.Answer{Source: report.Engine, Outcome: report.Refused, Detail: a.lines(refused.Diags)}
	case err != nil:
		a.engine = &report.Answer{Source: report.Engine, Outcome: report.Refused, Detail: err.Error()}
	default:
		a.image = out.Image
		a.engine = &report.Answer{Source: report.Engine, Outcome: report.Linked, Detail: size(len(out.Image))}
	}
}

func (a *run) lines(diags []engine.Diagnostic) string {
	var b strings.Builder
	for i := range diags {
		b.WriteString(a.cmd.MessageFormat.Line(&diags[i]))
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// askOracle judges the given output, or the engine's.
func (a *run) askOracle() {
	a.judged = a.image
	if a.q.Output != nil {
		a.judged = a.q.Output
	}
	if a.q.Judged != nil && a.judged != nil {
		a.q.Judged(a.judged)
	}
	if a.judged == nil {
		return
	}
	objects := make([]check.Input, len(a.set.Objects))
	for i, f := range a.set.Objects {
		objects[i] = check.Input{Name: f.Name, Data: f.Data}
	}
	toolkit := a.cmd.Release.Of()
	if a.q.Output != nil && a.q.Release == "" {
		toolkit = "" // whoever made it, its header tells
	}
	options := checkOptions(&a.cmd.Options, toolkit)
	options.Strict = a.q.Strict
	v := check.Check(objects, a.judged, options)
	a.takeVerdict(&v)
}

// checkOptions are a link's options for the oracle; toolkit is "" where the
// output's header tells.
func checkOptions(o *engine.Options, toolkit string) check.Options {
	return check.Options{
		Arch: o.Arch, Toolkit: toolkit,
		Relocatable: o.Relocatable, PreserveRelocs: o.PreserveRelocs, ForceRela: o.ForceRela,
		Debug: o.Debug, SuppressDebug: o.SuppressDebug, NoReserved: o.NoReserved, ReserveNull: o.ReserveNull,
		KernelsUsed: o.KernelsUsed, VariablesUsed: o.VariablesUsed,
		HostUse: (*check.HostUse)(o.HostUse),
	}
}

// takeVerdict makes an answer of the oracle's verdict.
func (a *run) takeVerdict(v *check.Verdict) {
	answer := &report.Answer{Source: report.Oracle, Outcome: report.Accepted}
	a.oracle = answer
	accepted, rejected, notJudged := v.Count()
	a.functions = &report.Functions{Accepted: accepted, Rejected: rejected, NotJudged: notJudged}
	for _, f := range v.Unjudged {
		a.unjudged = append(a.unjudged, report.Unjudged{Name: f.Symbol, Reason: fmt.Sprintf("%s+0x%x: %s", f.Section, f.Offset, f.Detail)})
	}
	for _, f := range v.Findings {
		a.findings = append(a.findings, finding(f))
	}
	a.more = v.Total - len(v.Findings)
	switch {
	case v.Refusal != nil:
		answer.Outcome, answer.Detail = report.Refused, v.Refusal.Error()
	case v.Total > 0:
		answer.Outcome, answer.Detail = report.Rejected, fmt.Sprintf("%d findings", v.Total)
		if v.Trace != nil {
			answer.Trace = split(v.Trace.String())
			if a.engine != nil {
				a.engine.Trace = engineTrace(v.Trace)
			}
		}
	case len(v.Unjudged) > 0:
		answer.Outcome, answer.Detail = report.Unsure, fmt.Sprintf("%d of %d functions not judged", notJudged, len(v.Functions))
	case len(v.Remarks) > 0:
		answer.Detail = fmt.Sprintf("%d remarks", len(v.Remarks))
		for _, r := range v.Remarks {
			answer.Trace = append(answer.Trace, r.String())
		}
	}
}

var levels = map[check.Gravity]report.Level{check.WrongProgram: report.Wrong, check.Misleading: report.Suspect, check.Habit: report.Remark}

// finding is one of the oracle's with its place, what is expected and found, and
// what it means.
func finding(f check.Finding) report.Finding {
	key := f.Kind.String()
	if f.Relocation != "" {
		key += "." + f.Relocation
	}
	out := report.Finding{Key: key, Level: levels[f.Gravity()], File: f.File, Section: f.Section, Symbol: f.Symbol, Offset: offsetOf(f), Meaning: f.Meaning()}
	if f.Want != f.Got {
		out.Values = []report.Value{{Of: "expected", Text: f.Want}, {Of: "found", Text: f.Got}}
	}
	if f.Detail != "" {
		out.Meaning = strings.TrimSpace(capital(f.Detail) + ". " + out.Meaning)
	}
	return out
}

func offsetOf(f check.Finding) *uint64 {
	if f.Section == "" {
		return nil
	}
	offset := f.Offset
	return &offset
}

func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' || strings.HasPrefix(s, "e_") || strings.HasPrefix(s, "p_") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func split(text string) []string {
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// engineTrace follows the engine's descriptor over the relocation that the
// oracle traced.
func engineTrace(t *oracle.Traced) []string {
	if t.Recipe == nil || int(t.Recipe.Number) >= len(descriptor.Table) {
		return nil
	}
	d := &descriptor.Table[t.Recipe.Number]
	place := append([]byte(nil), t.Before...)
	old, err := d.Apply(place, &descriptor.Values{
		Rela: t.Inputs.Rela, Symbol: t.Inputs.S, Addend: t.Inputs.A, Size: uint64(t.Inputs.Slot), Place: t.Inputs.P,
		Bank: uint32(t.Inputs.SectionType - cuda.SHTCudaConstant0),
	})
	var lines []string
	for i := range descriptor.Slots {
		if s := d.Slot(i); s != (descriptor.Slot{}) {
			lines = append(lines, fmt.Sprintf("slot %d: bits %d..%d, action %d", i, s.First, s.First+s.Width-1, s.Action))
		}
	}
	line := fmt.Sprintf("%x -> %x, old 0x%x", t.Before, place, old)
	if err != nil {
		line += ", " + err.Error()
	}
	return append(lines, line)
}

// askNvlink runs the release's nvlink, or takes what is recorded of it.
func (a *run) askNvlink(ctx context.Context, tools *nvidia.Toolset) {
	if tools != nil && a.runNvlink(ctx, tools) {
		return
	}
	if r := a.q.Recorded; r != nil {
		a.nvImage = r.Output
		if r.Output != nil {
			a.nvlink = &report.Answer{Source: report.Nvlink, Outcome: report.Linked, Detail: size(len(r.Output)) + ", recorded"}
		} else {
			a.nvlink = &report.Answer{Source: report.Nvlink, Outcome: report.Refused, Detail: strings.TrimSpace(r.Message)}
		}
	}
}

// runNvlink reports whether there was an nvlink to run.
func (a *run) runNvlink(ctx context.Context, tools *nvidia.Toolset) bool {
	files := make([]nvidia.File, len(a.q.Inputs))
	for i, f := range a.q.Inputs {
		files[i] = nvidia.File{Name: f.Name, Data: f.Data}
	}
	res, err := tools.Link(ctx, a.cmd.Release.String(), a.q.Args, files)
	var missing *nvidia.NotFoundError
	if errors.As(err, &missing) {
		return false
	}
	answer := &report.Answer{Source: report.Nvlink}
	switch {
	case err != nil:
		answer.Outcome, answer.Detail = report.Absent, err.Error()
	case res.Outcome == nvidia.Success:
		a.nvImage = res.Output
		answer.Outcome, answer.Detail = report.Linked, size(len(res.Output))
	case res.Outcome == nvidia.Crashed:
		answer.Outcome, answer.Detail = report.Crashed, res.String()
	case res.Outcome == nvidia.Hung:
		answer.Outcome, answer.Detail = report.Hung, res.String()
	default:
		answer.Outcome, answer.Detail = report.Refused, strings.TrimSpace(res.Message())
	}
	a.nvlink = answer
	return true
}
