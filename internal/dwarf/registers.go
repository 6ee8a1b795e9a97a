package dwarf

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/capsule"
)

// .nv_debug_info_reg_sass says which machine register holds a PTX register
// where:
//
//	string name of the function
//	u32 number of bytes of the entries
//	entries {u32 flag, string PTX register, u32 machine register, u32 start, u32 end}
//
// Source: objects of ptxas 13.0.88 and 13.5.37 with -g.

// RegisterBlock is the registers of a function.
type RegisterBlock struct {
	At      uint64 // offset in the section
	Name    string
	Count   uint32 // as it is written
	Entries []RegisterRange
}

// RegisterRange says that a machine register holds a PTX register from Start to End.
type RegisterRange struct {
	At         uint64 // offset in the section
	Flag       uint32
	Register   string // %r12
	Machine    uint32
	Start, End uint32
}

// DecodeRegisters decodes the section.
func DecodeRegisters(data []byte) ([]RegisterBlock, *capsule.Fault) {
	r := &reader{data: data}
	var list []RegisterBlock
	for r.more(uint64(len(data))) {
		b := RegisterBlock{At: r.pos}
		b.Name = r.name("a function's name")
		b.Count = r.u32("a number of entries")
		for range b.Count {
			e := RegisterRange{At: r.pos}
			e.Flag = r.u32("an entry")
			e.Register = r.name("a register's name")
			e.Machine = r.u32("an entry")
			e.Start = r.u32("an entry")
			e.End = r.u32("an entry")
			if r.fault != nil {
				return list, r.fault
			}
			b.Entries = append(b.Entries, e)
		}
		list = append(list, b)
	}
	return list, r.fault
}

// AppendRegisters appends the bytes of blocks.
func AppendRegisters(b []byte, list []RegisterBlock) []byte {
	le := binary.LittleEndian
	for i := range list {
		b = append(append(b, list[i].Name...), 0)
		b = le.AppendUint32(b, list[i].Count)
		for k := range list[i].Entries {
			e := &list[i].Entries[k]
			b = le.AppendUint32(b, e.Flag)
			b = append(append(b, e.Register...), 0)
			b = le.AppendUint32(b, e.Machine)
			b = le.AppendUint32(b, e.Start)
			b = le.AppendUint32(b, e.End)
		}
	}
	return b
}
