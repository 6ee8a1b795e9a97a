package selfcheck

import "github.com/twinlink/twinlink/capsule"

// WARPSYNC.COLLECTIVE goes, in the words of a record, after the last of them. Where the
// finalizer put SKIPs there, it may go after those as well.
const (
	opWARPSYNC  = 0x948
	opMEMBAR    = 0x992
	opWARPSYNCR = 0x348 // its mask in a register

	targetLo = 0xff<<16 | 1<<64 - 1<<34
	targetHi = 1<<18 - 1
)

// behindSkips gives the first of the words that a record makes the target that is there,
// where that differs from the end of the node by the SKIPs after it.
func behindSkips(fn *capsule.Func, n *capsule.Node, want, sass []Word) {
	w, s := want[0], sass[0]
	if op := w.Lo & opcodeMask; op != opWARPSYNC && op != opWARPSYNCR {
		return
	}
	end, to := n.SASS+uint32(n.Span)*capsule.WordSize, branchTarget(n.SASS, s)
	if branchTarget(n.SASS, w) != int64(end) || to <= int64(end) || to >= int64(len(fn.Code)) {
		return
	}
	for i := fn.Cap.AtSASS(end); int64(end) < to; i++ {
		k := fn.Cap.Node(i)
		if k.Kind != capsule.Skip {
			return
		}
		end += uint32(k.Span) * capsule.WordSize
	}
	if int64(end) == to {
		want[0] = Word{Lo: w.Lo&^targetLo | s.Lo&targetLo, Hi: w.Hi&^targetHi | s.Hi&targetHi}
	}
}
