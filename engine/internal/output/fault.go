package output

import (
	"sync"

	"github.com/twinlink/twinlink/engine/internal/model"
)

// Faults keeps the first of the errors that filling pieces side by side finds:
// the one that nvlink, which goes through the records in order, meets first.
type Faults struct {
	mu    sync.Mutex
	first place
	err   error
}

// place is where in that order an error stands.
type place struct {
	late bool // of the second pass over the records
	in   model.SecID
	at   int // records are gone through from the last to the first
	side int
}

func (p place) before(q place) bool {
	switch {
	case p.late != q.late:
		return !p.late
	case p.in != q.in:
		return p.in < q.in
	case p.at != q.at:
		return p.at > q.at
	}
	return p.side < q.side
}

// Add notes an error of record at of a section.
func (f *Faults) Add(late bool, in model.SecID, at, side int, err error) {
	p := place{late, in, at, side}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil || p.before(f.first) {
		f.first, f.err = p, err
	}
}

// Err returns the first error, nil for none.
func (f *Faults) Err() error { return f.err }
