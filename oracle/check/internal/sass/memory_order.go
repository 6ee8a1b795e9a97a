package sass

// Words of which nothing is left in a register, and whose scoreboard all the same says that they are
// done: FENCE.VIEW.ASYNC, and a SYNCS that sets up a barrier in shared memory. Accesses after the
// wait rely on it. An atomic without a result is not among them: nvlink lets its wait go.
//
// Source: code of ptxas and nvlink 13.0 to 13.5 for sm_100 to sm_121: after each of 56
// FENCE.VIEW.ASYNC the SYNCS.EXCH waits for it; for 77 SYNCS.EXCH a UBLKCP does, or words before it.

// OrdersMemory reports whether a word is done by what it does to memory.
func OrdersMemory(word []byte) bool {
	op := Opcode(word)
	return op == 0x3c6 || op == 0x5b2
}

// AccessesMemory reports whether a word reads or writes memory, or lets others go on that do.
func AccessesMemory(word []byte) bool {
	switch op := Opcode(word); op % 0x100 {
	case 0x80, 0x81, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x8a, 0x8c, 0x8d, 0x8e: // loads, stores, atomics
		return op>>8%2 == 1
	case 0xa7, 0xa8, 0xa9, 0xae, 0xb2, 0xba: // SYNCS, atomics, LDGSTS, UBLKCP
		return op>>8%2 == 1
	}
	return IsBarrier(word)
}
