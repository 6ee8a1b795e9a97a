package check

// Words of which nothing is left in a register, and whose scoreboard all the same says that a result is
// there: FENCE.VIEW.ASYNC, a SYNCS that sets up a barrier, an atomic to RZ. What is there then is
// what they do to memory, and accesses behind the wait rely on it.
//
// Source: code of ptxas and nvlink 13.0 to 13.5 for sm_100 to sm_121: behind each of 56
// FENCE.VIEW.ASYNC the SYNCS.EXCH waits for it; of 77 SYNCS.EXCH a UBLKCP, or words before it.

// ordersMemory reports whether it is memory that a word's result is in.
func ordersMemory(ops *operands) bool {
	return ops.known && ops.writes == (regSet{})
}

// accessesMemory reports whether a word reads or writes memory, or lets others go on that do.
func accessesMemory(word []byte) bool {
	switch op := opcode(word); op % 0x100 {
	case 0x80, 0x81, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x8a, 0x8c, 0x8d, 0x8e: // loads, stores, atomics
		return op>>8%2 == 1
	case 0xa7, 0xa8, 0xa9, 0xae, 0xb2, 0xba: // SYNCS, atomics, LDGSTS, UBLKCP
		return op>>8%2 == 1
	}
	return isBarrier(word)
}
