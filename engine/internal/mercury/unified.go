package mercury

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
)

// stubCode is how long the code of a function of the unified table is before its
// trap: newer finalizers bring it there with NOPs, which is not done here.
const stubCode = 0x60

// checkUnified gives functions of the unified table the finalizer's schedule, and refuses
// what else it does to unified tables and is not known.
func (l *Backend) checkUnified() error {
	if l.Release.FreshNames && len(l.UnifiedEntries) > 0 {
		return diag.Refuse(diag.Unsupported, "", "unified tables as nvlink %s writes them from sm_100 on are not known", l.Release.Name)
	}
	for _, fn := range l.order {
		if l.Secs[fn.text].Type != cuda.SHTCudaUFT {
			continue
		}
		nodes := fn.cap.Nodes
		if n := len(nodes); n == 0 || nodes[n-1].Kind != capsule.Skip || nodes[n-1].SASS != stubCode {
			return diag.Refuse(diag.Unsupported, fn.input.File.Name, "how nvlink %s pads the code of a unified function is not known", l.Release.Name)
		}
		fn.sass = scheduleStub(fn.sass, l.ShowsDebug())
	}
	return nil
}

// Stalls and waits of a function of the unified table: of its call and the branch
// behind it, of the NOPs, and of all of them with -g. They begin at a bit of the upper half.
const (
	stubSchedule = 41
	stubBranch   = 0x7f5
	stubNOP      = 0x7f1
	stubDebug    = 0x1fef
)

// scheduleStub returns the code with the schedule that the finalizer gives it, whatever
// it had.
func scheduleStub(text []byte, debug bool) []byte {
	text = slices.Clone(text)
	for at := 0; at < min(stubCode, len(text)); at += capsule.WordSize {
		schedule := uint64(stubNOP)
		switch {
		case debug:
			schedule = stubDebug
		case at < 2*capsule.WordSize:
			schedule = stubBranch
		}
		half := text[at+capsule.WordSize/2:]
		hi := binary.LittleEndian.Uint64(half)
		binary.LittleEndian.PutUint64(half, hi&(1<<stubSchedule-1)|schedule<<stubSchedule)
	}
	return text
}
