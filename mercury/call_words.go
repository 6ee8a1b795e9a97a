package mercury

// The words that calls of the driver consist of, without their schedule.

var (
	wordToScratch   = Word{0x1400007352, 0} // RPCMOV.32 Rpc.LO, R20
	wordFromScratch = Word{0x147353, 0}     // RPCMOV.32 R20, Rpc.LO
	activeToScratch = Word{0x1a147355, 0}   // BMOV.32 R20, MACTIVE
	scratchToActive = Word{0x141a007356, 0} // BMOV.32 MACTIVE, R20
	exitedToScratch = Word{0x18147355, 0}   // BMOV.32 R20, MEXITED
	scratchToExited = Word{0x1418007356, 0} // BMOV.32 MEXITED, R20
	predsToScratch  = Word{0x7fff147803, 0} // P2R R20, PR, RZ, 0x7f
	scratchToPreds  = Word{0x7f14007804, 0} // R2P PR, R20, 0x7f
	invertScratch   = Word{0x14ff147212, 0x78e33ff}
	returnNear      = Word{0x1014794e, 0} // LEPC R20, after the call
	returnFar       = Word{0x3014794e, 0} // the same, two words farther
	callDirect      = Word{0x7943, 0x3c00000}
	syncAll         = Word{0x7948, 0x3800000}
)

func moveStack(by uint32) Word { return Word{0x1017835 | uint64(by)<<32, 0x78e0000} }

func storeWord(at uint32, r uint8) Word {
	return Word{0x1007987 | uint64(r)<<32 | uint64(at)<<40, 0x81008ff}
}

func storeWords(at uint32, r uint8) Word {
	return Word{0x1007987 | uint64(r)<<32 | uint64(at)<<40, 0x8100aff}
}

func loadWord(r uint8, at uint32) Word {
	return Word{0xff01007983 | uint64(r)<<16 | uint64(at)<<40, 0x8100800}
}

func loadWords(r uint8, at uint32) Word {
	return Word{0xff01007983 | uint64(r)<<16 | uint64(at)<<40, 0x8100a00}
}

func moveReg(to, from uint8) Word { return Word{0x7202 | uint64(to)<<16 | uint64(from)<<32, 0xf00} }

func moveNumber(to uint8, n uint32) Word { return Word{0x7802 | uint64(to)<<16 | uint64(n)<<32, 0xf00} }

func moveUniform(to, from uint8) Word {
	return Word{0x7c02 | uint64(to)<<16 | uint64(from)<<32, 0x8000f00}
}

// loadBank is LDC.64 of what is in bank 4 where the register says.
func loadBank(r uint8) Word {
	return Word{0x100000000007b82 | uint64(r)<<16 | uint64(r)<<24, 0xa00}
}

func callThrough(r uint8) Word { return Word{0x7343 | uint64(r)<<24, 0x3c00000} }

// voteWord is VOTE.ANY R20, PT, of the lanes for which a guard holds.
func voteWord(guard, inverse uint64) Word { return Word{0x147806, 0xe0100 | guard<<23 | inverse<<26} }

// resultPred is ISETP.NE.U32.AND, of R4 and zero.
func resultPred(p uint64) Word { return Word{0xff0400720c, 0x3f05070 | p<<17} }

// skipCall is BRA.U over so many words where a guard holds for no lane.
func skipCall(guard, inverse, words uint64) Word {
	const perWord = 4 // a branch counts four bytes
	far := perWord * words
	return Word{0x107007547 | far&255<<16 | far>>8<<34, 1<<27 | guard<<23 | (1-inverse)<<26}
}
