package documents

import (
	"fmt"
	"strings"
)

// Step is one slot as it was walked.
type Step struct {
	Slot    int // 0 to 2
	Action  Slot
	Case    Case
	Running uint64 // running value before
	After   uint64 // running value after
	ReadOld bool   // the field was read first (REL)
	Old     int64  // what it held
	Wrote   bool
	Value   uint64 // what was handed to the writer, before it is cut to the width
	Fast    bool   // the full-width path of ABS_FULL
	Open    bool   // see Result.Open
}

// String prints the step on one line.
func (s Step) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "slot %d +%d: action 0x%02x %s", s.Slot, slotsAt+slotSize*s.Slot, s.Action.Action, s.Case)
	if s.Case == CaseNone {
		return b.String() + ": return 0"
	}
	if s.Case == CaseEnd {
		return b.String()
	}
	fmt.Fprintf(&b, " bit %d width %d: running 0x%x", s.Action.BitOffset, s.Action.BitWidth, s.Running)
	if s.Fast {
		b.WriteString(", whole word")
	}
	if s.ReadOld {
		fmt.Fprintf(&b, ", old 0x%x", uint64(s.Old))
	}
	if s.Wrote {
		fmt.Fprintf(&b, ", write 0x%x", s.Value)
	}
	fmt.Fprintf(&b, ", running after 0x%x", s.After)
	if s.Open {
		b.WriteString(", by x86 shift counts")
	}
	return b.String()
}

// String prints the run, one line a slot.
func (r Result) String() string {
	var b strings.Builder
	for _, s := range r.Steps {
		fmt.Fprintln(&b, s)
	}
	fmt.Fprintf(&b, "return %d, output 0x%x, place %x\n", r.Return, uint64(r.Output), r.Bytes)
	return b.String()
}
