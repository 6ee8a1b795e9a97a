package mercury

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/resched"
)

// jumps are where a function's branches by a register go, as its attributes tell, by words of the
// input's SASS; nil where it has none.
func (l *Backend) jumps(fn *code) resched.Jumps {
	info := l.Funs[l.Secs[fn.text].Fun].Info
	if info == model.Absent {
		return nil
	}
	var jumps resched.Jumps
	records := l.Parts[info].Records()
	for i := range records {
		r := &records[i]
		if r.Attr != cuda.AttrIndirectBranchTargets || r.Gone {
			continue
		}
		if jumps == nil {
			jumps = make(resched.Jumps)
		}
		data, branch := r.Data(), 0
		word := func(at int) int {
			return int(fn.wordOf(cuda.AttrIndirectBranchTargets, binary.LittleEndian.Uint32(data[at:])) / capsule.WordSize)
		}
		_ = capsule.VisitBranches(data,
			func(at int) { branch = word(at) },
			func(at int) { jumps[branch] = append(jumps[branch], word(at)) })
	}
	return jumps
}

// parts returns which words of the input's SASS are of instructions of several words.
func (fn *code) parts() (list []int) {
	for i := range fn.words {
		n := &fn.words[i]
		if n.Kind != capsule.Full || n.Span < 2 {
			continue
		}
		for k := range int(n.Span) {
			list = append(list, int(n.SASS/capsule.WordSize)+k)
		}
	}
	return list
}
