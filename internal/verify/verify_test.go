package verify_test

import (
	"context"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/verify"
	"github.com/twinlink/twinlink/report"
)

// question makes a recorded run of nvlink a question.
func question(c corpus.Case) *verify.Question {
	q := &verify.Question{Subject: c.ID(), Release: c.Release, Recorded: &verify.Recorded{Output: c.Output, Message: c.Stderr}}
	names := map[string]bool{}
	for _, in := range c.Inputs {
		q.Inputs = append(q.Inputs, verify.File{Name: in.Name, Data: in.Data})
		names[in.Name] = true
	}
	for i := 0; i < len(c.Args); i++ {
		if c.Args[i] == "-o" {
			i++
		} else if !names[c.Args[i]] {
			q.Args = append(q.Args, c.Args[i])
		}
	}
	return q
}

func find(t *testing.T, id string) corpus.Case {
	t.Helper()
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.ID() == id {
			return c
		}
	}
	t.Fatalf("no case %s", id)
	return corpus.Case{}
}

// TestRecorded holds the answers against what nvlink 11.8, 12.4 and 13.0 were
// recorded to do.
func TestRecorded(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	agree, refused := 0, 0
	for _, c := range cases {
		if !c.Complete() || strings.Count(c.Name, "-") != 1 || c.Linked() && c.Output == nil {
			continue
		}
		row := verify.Ask(context.Background(), question(c), nil)
		switch row.Verdict {
		case report.Agree:
			agree++
		case report.RefusedAlike:
			refused++
		default:
			t.Errorf("%s: %s, first %+v, answers %+v", c.ID(), row.Verdict, row.First(), row.Answers)
		}
	}
	t.Logf("%d agree, %d refused alike", agree, refused)
	if agree < 100 || refused < 10 {
		t.Errorf("only %d agree and %d are refused alike: the corpus has more", agree, refused)
	}
}

// TestGiven judges outputs that are given: nvlink's own, one of another
// program, and no ELF file.
func TestGiven(t *testing.T) {
	c := find(t, "calls/12.4-sm_72")
	other := find(t, "globals/12.4-sm_80").Output
	for name, test := range map[string]struct {
		output  []byte
		verdict report.Verdict
		key     string
	}{
		"nvlink's":        {c.Output, report.Agree, ""},
		"another program": {other, report.Differ, "output.other-program"},
		"no ELF":          {[]byte("not an image"), report.Differ, "output.unreadable"},
	} {
		q := question(c)
		q.Output = test.output
		row := verify.Ask(context.Background(), q, nil)
		if row.Verdict != test.verdict {
			t.Errorf("%s: %s, wanted %s", name, row.Verdict, test.verdict)
			continue
		}
		if test.key != "" && row.First().Key != test.key {
			t.Errorf("%s: first difference %s, wanted %s", name, row.First().Key, test.key)
		}
	}
}

// TestWrongOptions skips what can't be asked.
func TestWrongOptions(t *testing.T) {
	q := question(find(t, "calls/12.4-sm_72"))
	q.Args = []string{"-arch=sm_1"}
	if row := verify.Ask(context.Background(), q, nil); row.Verdict != report.Skipped {
		t.Errorf("%s, wanted %s", row.Verdict, report.Skipped)
	}
}

// TestNothingToLink asks about an object under a name that nvlink 11.8 and 12.4 ignore: they make an empty image without
// a word, and the engine refuses, whether an output is there to be judged or not.
func TestNothingToLink(t *testing.T) {
	c := find(t, "calls/12.4-sm_72")
	for _, output := range [][]byte{nil, c.Output} {
		q := &verify.Question{Subject: "ignored", Release: "12.4", Args: []string{"-arch=sm_72"}, Inputs: []verify.File{{Name: "a.so", Data: c.Inputs[0].Data}}, Output: output}
		row := verify.Ask(context.Background(), q, nil)
		if a := row.Answer(report.Engine); a.Outcome != report.Refused || !strings.HasPrefix(a.Detail, "nvlink fatal   : nothing is linked") {
			t.Errorf("an output of %d bytes: %+v", len(output), a)
		}
	}
}

// TestLive asks nvlink itself.
func TestLive(t *testing.T) {
	tools := nvidiatest.Need(t, "12.4", nvidia.Nvlink)
	for _, id := range []string{"calls/12.4-sm_72", "err_duplicate/12.4-sm_87"} {
		q := question(find(t, id))
		q.Recorded = nil
		row := verify.Ask(context.Background(), q, tools)
		if row.Answer(report.Nvlink).Outcome == report.Absent || row.Verdict == report.Differ {
			t.Errorf("%s: %+v", id, row)
		}
	}
}

func BenchmarkAsk(b *testing.B) {
	cases, err := corpus.Cases()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range cases {
		if c.ID() == "calls/12.4-sm_72" {
			q := question(c)
			for b.Loop() {
				verify.Ask(context.Background(), q, nil)
			}
		}
	}
}

// TestExecutableFirst: nvlink drops executables, so an output is judged by the objects alone, wherever those stand.
func TestExecutableFirst(t *testing.T) {
	programs, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	var c, other corpus.Case
	for _, x := range corpus.CasesOf(programs) {
		switch x.ID() {
		case "fast_path/13.0-sm_100-integers":
			c = x
		case "fast_path/13.0-sm_100-doubles":
			other = x
		}
	}
	for _, first := range []bool{true, false} {
		q := question(c)
		q.Recorded, q.Output = nil, c.Output
		whole := verify.File{Name: "whole.cubin", Data: other.Output}
		if q.Inputs = append(q.Inputs, whole); first {
			q.Inputs[0], q.Inputs[1] = whole, q.Inputs[0]
		}
		row := verify.Ask(context.Background(), q, nil)
		engine, judge := row.Answers[0], row.Answers[1]
		if engine.Outcome != report.Refused || judge.Source != report.Oracle || judge.Outcome != report.Accepted {
			t.Errorf("first %t: %+v, %+v", first, engine, judge)
		}
		q.Output = other.Output
		if row := verify.Ask(context.Background(), q, nil); row.Answers[1].Outcome != report.Rejected {
			t.Errorf("first %t: another link's output: %+v", first, row.Answers[1])
		}
	}
}
