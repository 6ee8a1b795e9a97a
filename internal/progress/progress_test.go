package progress

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// clock is a time that goes on by a step at each look.
func clock(step time.Duration) func() time.Time {
	at := time.Unix(0, 0)
	return func() time.Time { at = at.Add(step); return at }
}

func TestShortRunsShowNothing(t *testing.T) {
	for _, mode := range []Mode{Bar, JSON} {
		var out bytes.Buffer
		m := start(&out, mode, "work", 3, clock(time.Millisecond))
		for range 3 {
			m.Add(1, "")
		}
		m.End()
		if out.Len() > 0 {
			t.Errorf("%s: %q", mode, out.String())
		}
	}
}

func TestJSONLines(t *testing.T) {
	var out bytes.Buffer
	m := start(&out, JSON, "faults", 4, clock(400*time.Millisecond))
	for i := range int64(4) {
		m.Set(i+1, "a")
	}
	m.End()
	var states []State
	for line := range strings.Lines(out.String()) {
		var s State
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		states = append(states, s)
	}
	// A look each 0.4 s: one line in the second second, and the last.
	if len(states) != 2 || states[0].Done != 3 || states[1].Done != 4 || states[1].Total != 4 || states[1].What != "faults" || states[1].Detail != "a" {
		t.Errorf("states %+v", states)
	}
}

func TestBar(t *testing.T) {
	var out bytes.Buffer
	m := start(&out, Bar, "faults", 4, clock(time.Second))
	m.Add(2, "x")
	m.Add(1, "y")
	m.End()
	if s := out.String(); !strings.Contains(s, "faults: x") || !strings.Contains(s, "3 / 4") || !strings.HasSuffix(s, "\r\x1b[K") {
		t.Errorf("bar %q", s)
	}
}

func TestNothingIntoAPipe(t *testing.T) {
	var out bytes.Buffer
	m := New(&out, Auto, "work", 1)
	if m != nil {
		t.Error("a buffer is no terminal")
	}
	m.Add(1, "")
	m.Set(1, "")
	m.End()
}
