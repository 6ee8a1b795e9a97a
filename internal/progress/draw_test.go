package progress

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// at is a clock that a test sets, in milliseconds.
type at int

func (a *at) now() time.Time { return time.UnixMilli(int64(*a)) }

// A bar begins after a second and is drawn again a tenth of a second later; its end takes it away.
func TestRedraws(t *testing.T) {
	var out bytes.Buffer
	clock := at(5000)
	m := start(&out, Bar, "faults", 8, clock.now)
	for _, c := range []struct {
		ms    at
		done  int64
		shown string
	}{
		{5500, 1, ""}, {5999, 2, ""}, {6000, 3, "3 / 8"}, {6099, 4, ""}, {6100, 5, "5 / 8"}, {6199, 6, ""}, {6300, 7, "7 / 8"},
	} {
		clock = c.ms
		out.Reset()
		m.Set(c.done, "d")
		if got := out.String(); (got == "") != (c.shown == "") || !strings.Contains(got, c.shown) || got != "" && (!strings.Contains(got, "faults: d") || !strings.HasPrefix(got, "\r")) {
			t.Errorf("%d ms: %q, want %q", c.ms, got, c.shown)
		}
	}
	out.Reset()
	m.End()
	if got := out.String(); !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("%q", got)
	}
	out.Reset()
	m.Set(8, "")
	if out.Len() > 0 {
		t.Errorf("after the end: %q", out.String())
	}
}

// With a total the bar shows what may be left, without one the time that is gone.
func TestTemplates(t *testing.T) {
	for total, want := range map[int64][2]string{0: {"3", "left"}, 4: {"3 / 4", "no such text"}} {
		var out bytes.Buffer
		clock := at(0)
		m := start(&out, Bar, "work", total, clock.now)
		clock = 2000
		m.Add(3, "")
		if got := out.String(); !strings.Contains(got, "work ") || !strings.Contains(got, want[0]) || strings.Contains(got, want[1]) || strings.Contains(got, "work:") || total > 0 != strings.Contains(got, "[") {
			t.Errorf("total %d: %q", total, got)
		}
		m.End()
	}
}

// Lines come a second apart, and a last one only where there was one before.
func TestLines(t *testing.T) {
	var out bytes.Buffer
	clock := at(0)
	m := start(&out, JSON, "w", 0, clock.now)
	for _, c := range []struct {
		ms   at
		want string
	}{
		{999, ""}, {1000, `{"what":"w","done":2,"seconds":1}`}, {1999, ""}, {2500, `{"what":"w","done":4,"seconds":2.5}`}, {3499, ""},
	} {
		clock = c.ms
		out.Reset()
		m.Add(1, "")
		if got := strings.TrimSpace(out.String()); got != c.want {
			t.Errorf("%d ms: %q, want %q", c.ms, got, c.want)
		}
	}
	out.Reset()
	m.Set(9, strings.Repeat("x", 70))
	m.End()
	if got, want := strings.TrimSpace(out.String()), `{"what":"w","done":9,"seconds":3.499,"detail":"`+strings.Repeat("x", 70)+`"}`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m.state.Detail = strings.Repeat("x", 70)
	if got := m.describe(); got != "w: "+strings.Repeat("x", 60) {
		t.Errorf("%q", got)
	}
	for _, mode := range []Mode{None, Auto, ""} {
		if m := start(&out, mode, "w", 0, clock.now); m != nil {
			t.Errorf("%q shows something", mode)
		}
	}
	if got := Modes(); len(got) != 4 || got[0] != Auto || got[1] != Bar || got[2] != JSON || got[3] != None {
		t.Errorf("%v", got)
	}
}
