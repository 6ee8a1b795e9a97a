package mercury

import (
	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// mark6D returns an attribute without a name that is known. It is 1 where a
// function's code lets the dependent grid begin (PREEXIT), and for a kernel where
// that of a function does that it calls or takes the address of. What the input
// says doesn't count.
func (l *Backend) mark6D(text model.SecID) cubin.InfoRecord {
	rec := cubin.InfoRecord{Format: cuda.FormatByte, Attr: 0x6d}
	if l.dependents[l.Secs[text].Fun] {
		rec.Value = 1
	}
	return rec
}

// findDependents finds the functions that let dependent grids begin, and the
// kernels that reach one. A link with -r looks at each function alone.
func (l *Backend) findDependents() {
	l.dependents = make([]bool, len(l.Funs))
	var queue []model.FunID
	for _, fn := range l.order {
		if id := l.Secs[fn.text].Fun; preexits(fn.sass) {
			l.dependents[id] = true
			queue = append(queue, id)
		}
	}
	if len(queue) == 0 || l.IsRelocatable() {
		return
	}
	users := make([][]model.FunID, len(l.Funs))
	for i := range l.Funs {
		for _, list := range [][]model.FunID{l.Funs[i].Callees.List, l.Funs[i].Edges.List} {
			for _, callee := range list {
				users[callee] = append(users[callee], model.FunID(i))
			}
		}
	}
	reaches := make([]bool, len(l.Funs))
	for ; len(queue) > 0; queue = queue[1:] {
		for _, user := range users[queue[0]] {
			if !reaches[user] {
				reaches[user] = true
				queue = append(queue, user)
			}
		}
	}
	for i := range l.Funs {
		if reaches[i] && l.Syms[l.Funs[i].Sym].Other&cuda.STOEntry != 0 {
			l.dependents[i] = true
		}
	}
}

// preexits reports whether code lets the dependent grid begin.
func preexits(sass []byte) bool {
	for at := 0; at+capsule.WordSize <= len(sass); at += capsule.WordSize {
		if opcode(sass[at:]) == opPREEXIT {
			return true
		}
	}
	return false
}
