package layout

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// setConstantSize gives .nv.ptx.const0.size its value: how long the program's own constants
// are, all ones where it has none. Code that asks whether an address is a global one reads it,
// with or without C++ around it.
//
// Source: links of one to three modules with and without constants put to nvlink 11.8.89,
// 12.4.131, 13.0.88 and 13.5.37.
func (l *Layout) setConstantSize() {
	id := l.LookupAny(l.Names.ID(model.ConstantSize))
	if id == model.Absent || l.Syms[id].Binding() != cuda.STBLocal || l.Syms[id].Sec != model.Absent {
		return
	}
	size := uint64(model.Unplaced)
	if bank := l.UserBank(); bank != model.Absent {
		size = l.Secs[bank].Size
	}
	l.Syms[id].Value = size
}

// UserBank is the bank of the program's own constants, absent where it has none.
func (l *Layout) UserBank() model.SecID {
	bank := model.SecID(model.Absent)
	for _, name := range userBanks {
		if id := l.Unowned(l.Names.ID(name)); id != model.Absent {
			bank = id
		}
	}
	return bank
}

// userBanks are the banks of the program's own constants: of SASS, and of Mercury.
var userBanks = [...]string{".nv.constant3", ".nv.constant.user"}
