package descriptor

// .nv.rel.action tells a driver what to do with types it may not know: a
// header of eight bytes whose first is the first type, then eight for each
// type from there on:
//
//	byte 0     1      2          3         4           5 6 7
//	     kind  flags  source bit  width     first bit   the same of slot 1
//
// kind is what the value is: 0 an address, 1 a generic address, 2 a function
// descriptor, 3 a header index, 9 a unified address. Flag 2 marks a field that
// begins above bit 2 of the value.
// Source: the sections nvlink 11.8.89, 12.4.131 and 13.0.88 write.

const (
	kindAddress  = 0
	kindGlobal   = 1
	kindFuncDesc = 2
	kindHeader   = 3
	kindUnified  = 9

	flagShift2 = 2
)

// RelAction returns the section's content for types first to last.
func RelAction(first, last int) []byte {
	out := make([]byte, 8, 8*(2+last-first))
	out[0] = byte(first)
	for i := first; i <= last; i++ {
		s0, s1 := Table[i].Slot(0), Table[i].Slot(1)
		if s0.Action == End {
			continue
		}
		kind, flags := relActionKind(s0.Action)
		out = append(out, kind, flags,
			byte(s0.Source), byte(s0.Width), byte(s0.First),
			byte(s1.Source), byte(s1.Width), byte(s1.First))
	}
	return out
}

func relActionKind(a Action) (kind, flags byte) {
	switch {
	case a == Shift2:
		return kindAddress, flagShift2
	case a-GlobalLane0 < lanes:
		return kindGlobal, 0
	case a-FuncLane0 < lanes:
		return kindFuncDesc, 0
	case a == Header:
		return kindHeader, 0
	case a >= Unified && a <= UnifiedHigh:
		return kindUnified, 0
	}
	return kindAddress, 0
}
