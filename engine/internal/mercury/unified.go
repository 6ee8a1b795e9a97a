package mercury

import (
	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
)

// stubCode is how long the code of a function of the unified table is before its
// trap: newer finalizers bring it there with NOPs, which is not done here.
const stubCode = 0x60

// checkUnified refuses what the finalizer does to unified tables and is not known.
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
	}
	return nil
}
