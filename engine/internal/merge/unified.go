package merge

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// The unified function and data tables (UFT, UDT): .nv.uft.entry and
// .nv.udt.entry list what has one address on host and device.
//
//	 0        4        8              16              32
//	+--------+--------+---------------+---------------+
//	| symbol | flags  | place of data | uuid          |
//	+--------+--------+---------------+---------------+
//
// ptxas 13.0 writes flags 1, nvlink -r 7. The place is the one in .nv.udt. A final link takes the places from an
// index file (-uidx), without which it is refused.

// readUnified reads the entries of an input's section.
func (l *merger) readUnified(m *module, i int, s *cubin.Section) error {
	if err := l.mergeSection(m, i, s); err != nil {
		return err
	}
	data := m.file.Content(s)
	for off := uint64(0); ; off += model.UnifiedSize {
		b, ok := cubin.Window(data, off, model.UnifiedSize)
		if !ok {
			return nil
		}
		index := binary.LittleEndian.Uint32(b)
		if int64(index) >= int64(len(m.sym)) || m.sym[index] == model.Absent {
			return m.fault(cubin.BadIndex, s, off, uint64(index), "a unified entry of no symbol")
		}
		if l.UnifiedEntries == nil {
			l.UnifiedEntries = make(map[model.SecID][]model.UnifiedEntry)
		}
		id := m.sec[i]
		l.UnifiedEntries[id] = append(l.UnifiedEntries[id], model.UnifiedEntry{Sym: m.sym[index], Data: b})
	}
}
