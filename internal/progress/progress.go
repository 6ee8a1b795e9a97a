// Package progress shows how far a run is: a bar on a terminal, a line of JSON a
// second for programs, and nothing where standard error is a file or a pipe.
// Runs of less than a second show nothing.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cheggaaa/pb/v3"

	"github.com/twinlink/twinlink/internal/terminal"
)

// Mode is how progress is shown.
type Mode string

// The modes. Auto is Bar on a terminal and None elsewhere.
const (
	Auto Mode = "auto"
	Bar  Mode = "bar"
	JSON Mode = "json"
	None Mode = "none"
)

// Modes lists them, the default first.
func Modes() []Mode { return []Mode{Auto, Bar, JSON, None} }

// quiet is how long a run goes on before it shows anything, and the time between
// two lines of JSON.
const quiet = time.Second

// redraw is the time between two states of the bar.
const redraw = 100 * time.Millisecond

// State is a line of JSON.
type State struct {
	What    string  `json:"what"`
	Done    int64   `json:"done"`
	Total   int64   `json:"total,omitempty"` // 0: not known
	Seconds float64 `json:"seconds"`
	Detail  string  `json:"detail,omitempty"`
}

// Meter shows one run. Its methods may be called by several goroutines; those of
// a nil Meter do nothing.
type Meter struct {
	mu    sync.Mutex
	now   func() time.Time
	began time.Time
	last  time.Time // of the last line
	state State
	lines *json.Encoder
	bar   *pb.ProgressBar
	w     io.Writer
	mode  Mode
}

// New begins a run of total steps, 0 if that isn't known. w is standard error.
func New(w io.Writer, mode Mode, what string, total int64) *Meter {
	return start(w, mode, what, total, time.Now)
}

func start(w io.Writer, mode Mode, what string, total int64, now func() time.Time) *Meter {
	if mode == Auto || mode == "" {
		mode = None
		if terminal.Is(w) {
			mode = Bar
		}
	}
	if mode == None {
		return nil
	}
	m := &Meter{now: now, w: w, mode: mode, state: State{What: what, Total: total}}
	m.began = now()
	m.last = m.began
	if mode == JSON {
		m.lines = json.NewEncoder(w)
	}
	return m
}

// Set says how many steps are done, and what is at hand.
func (m *Meter) Set(done int64, detail string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Done, m.state.Detail = done, detail
	m.show(false)
}

// Add counts steps.
func (m *Meter) Add(steps int64, detail string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Done, m.state.Detail = m.state.Done+steps, detail
	m.show(false)
}

// End takes the bar away; a program gets the last state if it got any before.
func (m *Meter) End() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bar != nil {
		m.bar.Finish()
		_, _ = io.WriteString(m.w, "\r\x1b[K") // clears the line
	}
	if m.lines != nil && m.last != m.began {
		m.show(true)
	}
}

func (m *Meter) show(always bool) {
	now := m.now()
	m.state.Seconds = now.Sub(m.began).Seconds()
	switch {
	case m.mode == JSON:
		if always || now.Sub(m.last) >= quiet {
			m.last = now
			_ = m.lines.Encode(&m.state)
		}
	case m.bar != nil:
		if now.Sub(m.last) >= redraw {
			m.last = now
			m.bar.Set("what", m.describe()).SetCurrent(m.state.Done).Write()
		}
	case now.Sub(m.began) >= quiet:
		m.last = now
		m.bar = m.newBar()
		m.bar.Write()
	}
}

// bar is what is at hand, how much of it is done, and what may be left of it.
const (
	shareBar = `{{string . "what"}} {{bar . }} {{counters . }} {{rtime . "%s left"}}`
	countBar = `{{string . "what"}} {{counters . }} {{etime . }}`
)

func (m *Meter) newBar() *pb.ProgressBar {
	template := pb.ProgressBarTemplate(shareBar)
	if m.state.Total == 0 {
		template = countBar
	}
	bar := template.New(int(m.state.Total)).SetWriter(m.w).Set("what", m.describe()).SetCurrent(m.state.Done)
	return bar.Set(pb.Static, true).Set(pb.ReturnSymbol, "\r").Start()
}

func (m *Meter) describe() string {
	if m.state.Detail == "" {
		return m.state.What
	}
	return fmt.Sprintf("%s: %.60s", m.state.What, m.state.Detail)
}
