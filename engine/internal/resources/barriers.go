package resources

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// Barriers are in NUM_BARRIERS from 13.0 on, and in the code's sh_flags before.

func (l *Usage) flagBarriers(f model.FunID) uint32 {
	return uint32(l.Secs[l.Funs[f].Text].Flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift)
}

// setFlagBarriers records the barriers in the code's sh_flags, where releases
// before 13.0 have them.
func (l *Usage) setFlagBarriers(k model.FunID, n uint32) {
	if l.Release.BarrierAttr {
		return
	}
	t := &l.Secs[l.Funs[k].Text]
	t.Flags = t.Flags&^cuda.SHFBarrierMask | cuda.SectionFlags(n)<<cuda.SHFBarrierShift&cuda.SHFBarrierMask
}

// ownBarriers moves the barriers from sh_flags, where older objects have them, to
// NUM_BARRIERS: those of device functions here, those of a kernel where its records are
// written. A kernel that reaches a function with NUM_BARRIERS keeps its flags.
func (l *Usage) ownBarriers(all []demands) {
	if !l.Release.BarrierAttr {
		return
	}
	for i := range l.Funs {
		f := &l.Funs[i]
		if !f.Live || f.Text == model.Absent || l.Secs[f.Text].Fun != model.FunID(i) { // of a second name
			continue
		}
		switch entry := l.IsEntry(model.FunID(i)); {
		case entry && all[l.Calls.Comp[i]].recorded:
			continue
		case !entry:
			if n := l.flagBarriers(model.FunID(i)); n > 0 {
				l.note(model.FunID(i), model.Attribute{Format: cuda.FormatByte, Attr: cuda.AttrNumBarriers, Value: uint16(n), Sym: model.Absent})
			}
		}
		l.Secs[f.Text].Flags &^= cuda.SHFBarrierMask
	}
}

// mixBarriers leaves the barriers that a kernel's own flags tell of out of its NUM_BARRIERS, where
// it keeps the flags.
func (l *Usage) mixBarriers(k model.FunID, need *demands, all []demands, only bool) *demands {
	if !l.Release.BarrierAttr || l.flagBarriers(k) == 0 {
		return need
	}
	mixed := *need
	mixed.barriers = 0
	if r := l.Attribute(l.Funs[k].Info, cuda.AttrNumBarriers); r != nil {
		mixed.barriers = uint32(r.Value & 0xff)
	}
	if only {
		mixed.barriers = need.noted
	}
	for i := 0; ; i++ {
		w := l.Successor(int32(k), i)
		if w < 0 {
			return &mixed
		}
		mixed.barriers = max(mixed.barriers, all[l.Calls.Comp[w]].barriers)
	}
}
