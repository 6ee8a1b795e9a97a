package sass

// shape says how to read the operands of an opcode.
type shape struct {
	d, a, b, c byte // registers that the general operand takes; 0: none
	ud         bool // the destination is uniform
	ua         bool // the source at 24 is uniform
	ub, uc     bool // those at 32 and 64 are uniform
	pd         byte // predicate results: 1 at 81, 2 at 84 as well
	pp         byte // predicate sources: 1 at 87, 2 at 77 as well, 3 at 68 as well, 4 at all three; 5 a uniform one at 24, 6 all, 7 at 87 where bits 77 to 79 say .RED
	data       byte // size: 'd' of the destination or 'b' of the second source by bits 73 to 75; 'a' of atomics; 'f' of conversions; 'm' of moves and comparisons by bit 80, 'i' of additions by bit 73
	wide       bool // the address takes two registers
	rough      bool // so many registers at most
	desc       bool // a uniform register or a descriptor in two may be at 32 or 64
	handle     byte // uniform registers at 40: which image
	pair       byte // uniform registers there at least
	more       byte // a second destination at 64
	divergent  bool // a uniform register at 24 where bit 91 says so
}

// arithmetic are shapes by the low nine bits of an opcode whose bit 8 is clear.
var arithmetic = map[uint64]shape{
	0x002: {d: 1, b: 1, data: 'm'},                                                        // MOV
	0x00a: {d: 1, a: 1, b: 1, pp: 1},                                                      // FSET
	0x00f: {d: 1, a: 1, b: 1, c: 1, pp: 1},                                                // VIMNMX3
	0x013: {d: 1, b: 1},                                                                   // IABS
	0x014: {d: 1, a: 1, b: 1, c: 1},                                                       // VABSDIFF
	0x015: {d: 1, a: 1, b: 1, c: 1},                                                       // VABSDIFF4
	0x033: {d: 1, a: 1, b: 1, pp: 1},                                                      // HSET2
	0x034: {a: 1, b: 1, pd: 2, pp: 1},                                                     // HSETP2
	0x040: {d: 1, a: 1, b: 1, pp: 1},                                                      // HMNMX2
	0x076: {d: 1, a: 1, b: 1, c: 1, pp: 1},                                                // FMNMX3
	0x007: {d: 1, a: 1, b: 1, pp: 1},                                                      // SEL
	0x008: {d: 1, a: 1, b: 1, pp: 1},                                                      // FSEL
	0x009: {d: 1, a: 1, b: 1, pp: 1},                                                      // FMNMX
	0x00b: {a: 1, b: 1, pd: 2, pp: 1},                                                     // FSETP
	0x00c: {a: 1, b: 1, pd: 2, pp: 3, data: 'm'},                                          // ISETP
	0x0cc: {d: 1, a: 1, ud: true},                                                         // CREDUX
	0x010: {d: 1, a: 1, b: 1, c: 1, pd: 2, pp: 2},                                         // IADD3
	0x011: {d: 1, a: 1, b: 1, c: 1, pd: 1, pp: 1},                                         // LEA
	0x012: {d: 1, a: 1, b: 1, c: 1, pd: 1, pp: 1},                                         // LOP3
	0x016: {d: 1, a: 1, b: 1, c: 1},                                                       // PRMT
	0x017: {d: 1, a: 1, b: 1, pp: 1},                                                      // IMNMX
	0x048: {d: 1, a: 1, b: 1, pp: 1},                                                      // VIMNMX
	0x019: {d: 1, a: 1, b: 1, c: 1},                                                       // SHF
	0x01a: {d: 1, a: 1, b: 1},                                                             // SGXT
	0x01b: {d: 1, a: 1, b: 1},                                                             // BMSK
	0x020: {d: 1, a: 1, b: 1},                                                             // FMUL
	0x021: {d: 1, a: 1, b: 1},                                                             // FADD
	0x023: {d: 1, a: 1, b: 1, c: 1},                                                       // FFMA
	0x024: {d: 1, a: 1, b: 1, c: 1, pd: 1, pp: 1},                                         // IMAD
	0x025: {d: 2, a: 1, b: 1, c: 2, pd: 1, pp: 1},                                         // IMAD.WIDE
	0x027: {d: 1, a: 1, b: 1, c: 2, pd: 1, pp: 1},                                         // IMAD.HI
	0x026: {d: 1, a: 1, b: 1, c: 1},                                                       // IDP
	0x028: {d: 2, a: 2, b: 2},                                                             // DMUL
	0x029: {d: 2, a: 2, c: 2},                                                             // DADD, whose second source is at 64
	0x02a: {a: 2, b: 2, pd: 2, pp: 1},                                                     // DSETP
	0x02b: {d: 2, a: 2, b: 2, c: 2},                                                       // DFMA
	0x030: {d: 1, a: 1, b: 1},                                                             // HADD2
	0x031: {d: 1, a: 1, b: 1, c: 1},                                                       // HFMA2
	0x032: {d: 1, a: 1, b: 1},                                                             // HMUL2
	0x03e: {d: 1, a: 1, b: 1, c: 1},                                                       // F2FP
	0x035: {d: 1, a: 1, b: 1, pd: 1, pp: 1, data: 'i'},                                    // IADD
	0x046: {d: 1, a: 1, b: 1, c: 1, pp: 1},                                                // VIADDMNMX
	0x055: {d: 1, a: 1, b: 1, c: 1, ud: true, ua: true, ub: true, uc: true},               // UFFMA
	0x05c: {d: 1, b: 1, ud: true, ub: true},                                               // UF2I
	0x0be: {d: 1, b: 1, ud: true, ub: true},                                               // UBREV
	0x0bf: {d: 1, b: 1, ud: true, ub: true},                                               // UPOPC
	0x036: {d: 1, a: 1, b: 1},                                                             // VIADD
	0x0bd: {d: 1, b: 1, ud: true, ub: true},                                               // UFLO
	0x045: {d: 1, b: 1},                                                                   // I2FP
	0x082: {d: 1, b: 1, ud: true, ub: true, data: 'm'},                                    // UMOV
	0x087: {d: 1, a: 1, b: 1, ud: true, ua: true, ub: true, pp: 1},                        // USEL
	0x08c: {a: 1, b: 1, ua: true, ub: true, pd: 2, pp: 3, data: 'm'},                      // UISETP
	0x090: {d: 1, a: 1, b: 1, c: 1, ud: true, ua: true, ub: true, uc: true, pd: 2, pp: 2}, // UIADD3
	0x091: {d: 1, a: 1, b: 1, c: 1, ud: true, ua: true, ub: true, uc: true, pd: 1, pp: 1}, // ULEA
	0x092: {d: 1, a: 1, b: 1, c: 1, ud: true, ua: true, ub: true, uc: true, pd: 1, pp: 1}, // ULOP3
	0x096: {d: 1, a: 1, b: 1, c: 1, ud: true, ua: true, ub: true, uc: true},               // UPRMT
	0x099: {d: 1, a: 1, b: 1, c: 1, ud: true, ua: true, ub: true, uc: true},               // USHF
	0x0a4: {d: 1, a: 1, b: 1, c: 1, ud: true, ua: true, ub: true, uc: true, pd: 1, pp: 1}, // UIMAD
	0x0a5: {d: 2, a: 1, b: 1, c: 2, ud: true, ua: true, ub: true, uc: true, pd: 1, pp: 1}, // UIMAD.WIDE
}

// Others are shapes by the whole opcode.
var Others = map[uint64]shape{
	0x300: {d: 1, b: 1}, 0x301: {d: 1, b: 1}, 0x302: {a: 1, b: 1, pd: 1}, 0x304: {d: 1, b: 1}, 0x305: {d: 1, b: 1}, 0x306: {d: 1, b: 1}, 0x307: {d: 1, b: 1}, 0x308: {d: 1, b: 1}, 0x309: {d: 1, b: 1},
	0x310: {d: 1, b: 1, data: 'f'}, 0x311: {d: 1, b: 1, data: 'f'}, 0x312: {d: 1, b: 1, data: 'f'}, 0x313: {d: 1, b: 1, data: 'f'}, // conversions of 64 bits
	0x402: {d: 2}, 0x482: {d: 2, ud: true}, 0x407: {d: 2, a: 2, pp: 1}, 0x908: {d: 1}, // MOV.64, UMOV.64, SEL.64 and MUFU of a number
	0xd00: {d: 1, b: 1, ub: true}, 0xd01: {d: 1, b: 1, ub: true}, 0xd05: {d: 1, b: 1, ub: true}, 0xd06: {d: 1, b: 1, ub: true}, 0xd08: {d: 1, b: 1, ub: true}, 0xd09: {d: 1, b: 1, ub: true}, // of a uniform register
	0xd10: {d: 1, b: 1, ub: true, data: 'f'}, 0xd11: {d: 1, b: 1, ub: true, data: 'f'}, 0xd12: {d: 1, b: 1, ub: true, data: 'f'}, 0xd13: {d: 1, b: 1, ub: true, data: 'f'},
	0x3c6: {},                                                                                           // FENCE.VIEW.ASYNC
	0x5a7: {a: 1, b: 1, c: 1, uc: true, pd: 1}, 0x5b2: {d: 2, a: 1, b: 2, ud: true, ua: true, ub: true}, // SYNCS.PHASECHK, SYNCS.EXCH.64
	0x919: {d: 1},                                          // S2R
	0x9c3: {d: 1, ud: true},                                // S2UR
	0xb82: {d: 1, a: 1, data: 'd'},                         // LDC
	0x7ac: {d: 1, a: 1, ud: true, ua: true, data: 'd'},     // LDCU
	0x981: {d: 1, a: 1, data: 'd', wide: true, desc: true}, // LDG
	0x980: {d: 1, a: 1, data: 'd', wide: true, desc: true}, // LD
	0x983: {d: 1, a: 1, data: 'd', desc: true},             // LDL
	0x984: {d: 1, a: 1, data: 'd', desc: true},             // LDS
	0x985: {a: 1, b: 1, data: 'b', wide: true, desc: true}, // ST
	0x986: {a: 1, b: 1, data: 'b', wide: true, desc: true}, // STG
	0x987: {a: 1, b: 1, data: 'b', desc: true},             // STL
	0x988: {a: 1, b: 1, data: 'b', desc: true},             // STS
	0x387: {a: 1, b: 1, data: 'b'},                         // STL without a uniform register
	0x388: {a: 1, b: 1, data: 'b'},                         // STS
	0x389: {d: 1, a: 1, b: 1, c: 1, pd: 1},                 // SHFL
	0x589: {d: 1, a: 1, b: 1, pd: 1},
	0x989: {d: 1, a: 1, c: 1, pd: 1},
	0xf89: {d: 1, a: 1, pd: 1},
	0x806: {d: 1, pd: 1, pp: 1},  // VOTE
	0x805: {d: 1, data: 'm'},     // CS2R
	0x31c: {d: 1, pd: 1},         // B2R.RESULT
	0x31d: {b: 1, pp: 7},         // BAR
	0x348: {a: 1, rough: true},   // WARPSYNC.COLLECTIVE
	0x355: {d: 1}, 0x356: {b: 1}, // BMOV
	0x3c4: {d: 1, a: 1, ud: true},          // REDUX
	0x949: {a: 2}, 0x958: {a: 2, ua: true}, // BRX, BRXU
	0x943: {}, 0x944: {}, 0x343: {a: 2}, 0x344: {a: 2}, // CALL
	0x950: {a: 2},                                                                                  // RET
	0x3a9: {d: 1, a: 1, b: 1, c: 1, pd: 1, data: 'a'}, 0x3a8: {d: 1, a: 1, b: 1, pd: 1, data: 'a'}, // ATOMG
	0x98e: {a: 1, b: 1, desc: true, data: 'a'},                                       // RED
	0x38c: {d: 1, a: 1, b: 1, data: 's'}, 0x38d: {d: 1, a: 1, b: 1, c: 1, data: 's'}, // ATOMS
	0xf60: anyTexture, 0xf63: anyTexture, 0xf66: anyTexture, 0xf6c: anyTexture, 0xf6f: anyTexture, // TEX, TLD4, TLD, TXD, TXQ: see images
	0xf99: {d: 4, a: 4, rough: true, handle: 1}, 0xf9b: {a: 4, b: 4, rough: true, handle: 1}, 0xf9d: {a: 4, b: 4, rough: true, handle: 1}, 0xf9f: {a: 4, b: 4, rough: true, handle: 1}, // SULD, SUST.P, SUST, SURED
	0x95d: {}, 0x9af: {}, // NANOSLEEP, LDGDEPBAR
	0x547: {pp: 5},                                                                   // BRA.U
	0xb1d: {pp: 7},                                                                   // BAR of a number
	0x947: {pp: 1, divergent: true},                                                  // BRA
	0x918: {}, 0x94d: {}, 0x945: {}, 0x941: {}, 0x946: {}, 0x942: {pp: 1}, 0x948: {}, // NOP, EXIT, BSSY, BSYNC, YIELD, BREAK, WARPSYNC.ALL
	0x992: {}, 0x9ab: {}, 0x5ab: {}, 0x91b: {}, 0x95c: {}, 0x9c7: {}, 0xdc7: {}, // fences, barriers, BPT
}

// Predicates are read when a word is issued: ptxas writes over the guard of an access to
// memory without waiting for anything.
//
// Source: 11,629 such words in 1,333 functions of ptxas 13.0.88 for sm_100 and sm_120.

// inQueue are words that take their operands one after the other: ptxas lets a load write
// over an operand of one before it without waiting.
//
// Source: 778 such pairs in the same functions.
var inQueue = map[uint64]bool{0x388: true, 0x589: true, 0x980: true, 0x981: true, 0x984: true, 0x985: true, 0x986: true, 0x988: true, 0x989: true, 0xf89: true}

// atIssue are accesses to memory after which ptxas writes over their uniform registers
// one cycle later, without waiting for the scoreboard of their operands.
//
// Doubles do so too, see readsAtIssue.
//
// Source: 745 such pairs in code of ptxas 13.0.88 and 13.5 for sm_100 to sm_121, and 93 of
// ATOM, ATOMS and SYNCS; of LDSM (0x83b) code rescheduled by nvlink 13.5; of SYNCS.PHASECHK
// (0x5a7) 6 in examples of CUTLASS by ptxas 13.0.88; UGETNEXTWORKID (0x3ca) takes no scoreboard in 34 places of 34 by
// ptxas 13.4 and 13.5, in loops that write over its registers.
var atIssue = map[uint64]bool{0x980: true, 0x981: true, 0x984: true, 0x985: true, 0x986: true, 0x988: true, 0x98a: true, 0x98c: true, 0x5a7: true, 0x9a7: true, 0x9a8: true, 0x83b: true, 0x3ca: true}
