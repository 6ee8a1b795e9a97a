package sass

import "github.com/twinlink/twinlink/oracle/check/internal/image"

// What a word of SASS reads and writes, for sm_100 and up.
//
// Registers stand in the bytes at bits 16 (destination), 24, 32 and 64 (sources);
// 255 is none. Bits 9 to 11 of an opcode with bit 8 clear say what the second and
// third source are: 1 registers, 2 and 3 the third operand is no register and the
// register at 64 is the second, 4 and 5 the second is none, 6 a uniform register at
// 32, 7 one at 32 that is the third, and the second at 64. How many registers an operand takes depends on the instruction.
// The table has what ptxas writes most; a word it lacks is unknown.
//
// Source: listings by nvdisasm 13.0 of cubins of ptxas 13.0.88 and 13.5.

// RegSet is a set of general registers, then uniform ones, then predicates and
// uniform predicates.
type RegSet [9]uint64

const (
	uniformBase   = 256
	predicateBase = 512
	uniformPreds  = 520
)

func (r *RegSet) Add(first, count uint64) {
	for k := first; k < first+count && k < 64*uint64(len(r)); k++ {
		r[k/64] |= 1 << (k % 64)
	}
}

func (r *RegSet) Meets(o *RegSet) bool {
	for i := range r {
		if r[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// Lose takes the registers of another set out.
func (r *RegSet) Lose(o *RegSet) {
	for i := range r {
		r[i] &^= o[i]
	}
}

// Operands are the registers of one word.
type Operands struct {
	Known         bool
	Rough         bool // there may be fewer
	issued        bool // uniform registers are read when the word is issued
	queued        bool // one of the words that loads and stores queue up
	double        bool // arithmetic of doubles, whose results come in order
	converts      bool // of the unit of conversions, whose results come in order
	Reads, Writes RegSet
	Always        bool // no guard
}

// Touches reports whether a word uses what another has not finished: its results
// if result, else it writes over its operands.
func Touches(from, by *Operands, result bool) Soundness {
	if !from.Known {
		return Unknown
	}
	if result && from.Writes == (RegSet{}) {
		return Sound
	}
	if !by.Known {
		return Unknown
	}
	reads := from.Reads
	clear(reads[predicateBase/64:])
	if from.issued {
		clear(reads[uniformBase/64:])
	}
	if from.queued && by.queued || from.double && by.double {
		clear(reads[:uniformBase/64])
	}
	met := reads.Meets(&by.Writes)
	if result {
		met = from.Writes.Meets(&by.Reads) || !(from.double && by.double || from.converts && by.converts) && from.Writes.Meets(&by.Writes)
	}
	switch {
	case met && (from.Rough || by.Rough):
		return Unknown
	case met:
		return Unsound
	}
	return Sound
}

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
	desc       bool // a uniform register or a descriptor in two may stand at 32 or 64
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
	0x029: {d: 2, a: 2, c: 2},                                                             // DADD, whose second source stands at 64
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
	0x547: {pp: 5},                                                              // BRA.U
	0xb1d: {pp: 7},                                                              // BAR of a number
	0x947: {pp: 1, divergent: true},                                             // BRA
	0x918: {}, 0x94d: {}, 0x945: {}, 0x941: {}, 0x946: {}, 0x942: {}, 0x948: {}, // NOP, EXIT, BSSY, BSYNC, YIELD, BREAK, WARPSYNC.ALL
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
// ATOM, ATOMS and SYNCS; of LDSM (0x83b) code made anew by nvlink 13.5; of SYNCS.PHASECHK
// (0x5a7) 6 in examples of CUTLASS by ptxas 13.0.88; UGETNEXTWORKID (0x3ca) takes no scoreboard in 34 places of 34 by
// ptxas 13.4 and 13.5, in loops that write over its registers.
var atIssue = map[uint64]bool{0x980: true, 0x981: true, 0x984: true, 0x985: true, 0x986: true, 0x988: true, 0x98a: true, 0x98c: true, 0x5a7: true, 0x9a7: true, 0x9a8: true, 0x83b: true, 0x3ca: true}

// Spent reports whether a word has read all its operands when it is issued.
func (o *Operands) Spent() bool {
	reads := o.Reads
	clear(reads[uniformBase/64:])
	clear(reads[predicateBase/64:])
	return o.Known && o.issued && reads == (RegSet{})
}

// readsAtIssue reports whether a word has read its uniform registers when it is issued:
// some accesses to memory, and arithmetic of doubles (DMUL, DADD, DSETP, DFMA).
//
// Source, for doubles: 288 words in code of ptxas 13.0.88 and 13.5 for sm_100 to sm_121
// whose uniform register the next words write over while their result is pending.
func readsAtIssue(op uint64) bool {
	return atIssue[op] || op>>9 >= 6 && op%0x200 >= 0x28 && op%0x200 <= 0x2b
}

// Converts reports whether a word goes to the unit of conversions: MUFU, POPC, F2I, I2F, FRND and others.
//
// Source: 411 words of it without a scoreboard in code of ptxas and nvlink 13.0 to 13.5 for sm_100 to
// sm_121, where 20,000 have one: behind 362 a later word of the unit in the same block has. In six
// places one writes over the result of another without waiting.
func Converts(op uint64) bool {
	return op%0x100 <= 0x13 && (op>>8 == 0x3 || op>>8 == 0x9 || op>>8 == 0xd)
}

// isDouble reports whether a word is DMUL, DADD or DFMA. ptxas 13.5.37 lets one write over the
// result of another without waiting.
//
// Source: exp() in a program of HeCBench by ptxas 13.5.37 for sm_110 and sm_120, four places each.
func isDouble(op uint64) bool {
	return op>>8%2 == 0 && op>>9 > 0 && (op%0x100 == 0x28 || op%0x100 == 0x29 || op%0x100 == 0x2b)
}

// OperandsOf reads the operands of a word.
func OperandsOf(word []byte) Operands {
	op := Opcode(word)
	o := Operands{Always: word[1]>>4 == 7, queued: inQueue[op], double: OfDoubles(op), converts: Converts(op)}
	w := operandWord{low: image.Number(word, 0, 8), high: image.Number(word, 8, 8)}
	if guard := w.field(12) % 8; guard != 7 {
		o.Reads.Add(GuardBase(op, w.high)+guard, 1)
	}
	if forms, ok := wordForms()[op]; ok {
		o.byForm(forms, w.low, w.high)
		return o
	}
	x, second, third, ok := shapeOf(op)
	if !ok {
		return o
	}
	x.accessSize(w.high)
	x.sizes(w.high)
	x.images(op, w.low, w.high)
	o.Known, o.Rough, o.issued = true, x.rough, readsAtIssue(op)
	w.put(&o.Writes, 16, x.d, x.ud)
	w.put(&o.Writes, 64, x.more, false)
	w.put(&o.Reads, 24, x.a, x.ua)
	w.put(&o.Reads, second, x.b, x.ub)
	w.put(&o.Reads, third, x.c, x.uc)
	if x.desc {
		// Loads have it at 32, stores and atomics at 64. Bit 91 says that there is a uniform
		// register, bit 90 that it is a descriptor of two.
		at := uint64(32)
		if x.data != 'd' {
			at = 64
		}
		if w.bit(91) == 1 {
			w.put(&o.Reads, at, max(1+byte(w.bit(90)), x.pair), true)
		}
	}
	w.put(&o.Reads, 40, x.handle, true)
	if x.divergent && w.bit(91) == 1 {
		w.put(&o.Reads, 24, 1, true)
	}
	x.putPredicates(&o, op, w.low, w.high)
	return o
}

// shapeOf returns how to read an opcode's operands and where its second and third source
// stand, 0 for nowhere.
func shapeOf(op uint64) (x shape, second, third uint64, ok bool) {
	if x, ok = Others[op]; ok {
		return x, 32, 64, true
	}
	if x, ok = arithmetic[op%0x100]; !ok || op>>8%2 != 0 {
		return x, 0, 0, false
	}
	two := x.c == 0 && x.b != 0 // the number or the uniform register is the second
	switch op >> 9 {
	case 1:
		second, third = 32, 64
	case 2, 3:
		if !two {
			second = 64
		}
	case 4, 5:
		third = 64
	case 6:
		x.ub = true
		second, third = 32, 64
	case 7:
		second, third = 64, 32
		if two {
			second, x.ub = 32, true
		} else {
			x.uc = true
		}
	default:
		return x, 0, 0, false
	}
	if two {
		third = 0
	}
	return x, second, third, true
}

// operandWord is a word whose operands are read.
type operandWord struct{ low, high uint64 }

func (w operandWord) field(at uint64) uint64 {
	if at < 64 {
		return w.low >> at % 256
	}
	return w.high >> (at - 64) % 256
}

func (w operandWord) bit(at uint64) uint64 { return w.field(at) % 2 }

// put adds the registers of an operand to a set; an operand at 0 is none.
func (w operandWord) put(set *RegSet, at uint64, count byte, uniform bool) {
	n := w.field(at)
	if at == 0 || count == 0 || n == 255 {
		return
	}
	if uniform {
		n += uniformBase
	}
	set.Add(n, uint64(count))
}

// accessSize gives the operands whose size bits 73 to 75 say (U8 S8 U16 S16 32 64 128) that many
// registers, and wide addresses two.
func (x *shape) accessSize(high uint64) {
	size := byte(1)
	switch high >> 9 % 8 {
	case 5:
		size = 2
	case 6, 7:
		size = 4
	}
	if x.data == 'd' {
		x.d = size
	}
	if x.data == 'b' {
		x.b = size
	}
	if x.wide {
		x.a = 2
	}
}

// sizes sets how many registers the operands take where bits of the upper half say.
func (x *shape) sizes(high uint64) {
	two := func(wide bool) byte {
		if wide {
			return 2
		}
		return 1
	}
	least := func(n *byte, size byte) {
		if *n != 0 {
			*n = size
		}
	}
	switch x.data {
	case 'f': // bits 75 and 76 for the result, 84 and 85 for the source: 8, 16, 32, 64 bits
		x.d, x.b = two(high>>11%4 == 3), two(high>>20%4 == 3)
	case 'm':
		for _, n := range [...]*byte{&x.d, &x.a, &x.b} {
			least(n, two(high>>16%2 == 1))
		}
	case 'i':
		n := two(high>>9%2 == 1)
		x.d, x.a, x.b = n, n, n
	case 'a', 's': // bits 73 to 75: 32 32 64 64 128; bit 72: an address of two registers
		n := [8]byte{1, 1, 2, 2, 4, 4, 4, 4}[high>>9%8]
		x.rough = x.rough || high>>9%8 > 4
		least(&x.d, n)
		least(&x.b, n)
		least(&x.c, n)
		if x.data == 'a' {
			x.a = two(high>>8%2 == 1)
		}
	}
}

// putPredicates adds the predicates of a word.
func (x *shape) putPredicates(o *Operands, op, low, high uint64) {
	preds := uint64(predicateBase)
	if (x.ud || x.ua || x.ub && op>>9 == 0x1) && op%0x200 != 0x0ca { // R2UR's is no uniform one
		preds = uniformPreds
	}
	pred := func(set *RegSet, at uint64) {
		if n := high >> (at - 64) % 8; n != 7 {
			set.Add(preds+n, 1)
		}
	}
	if x.pd >= 1 {
		pred(&o.Writes, 81)
	}
	if x.pd >= 2 {
		pred(&o.Writes, 84)
	}
	if x.pp >= 1 && x.pp < 5 {
		pred(&o.Reads, 87)
	}
	if n := low >> 24 % 8; x.pp == 5 && n != 7 {
		o.Reads.Add(uniformPreds+n, 1)
	}
	if x.pp == 7 && high>>(77-64)%8 == 2 {
		pred(&o.Reads, 87)
	}
	if x.pp == 6 {
		o.Reads.Add(predicateBase, 7)
	}
	if x.pp == 2 {
		pred(&o.Reads, 77)
	}
	if x.pp == 3 {
		pred(&o.Reads, 68)
	}
	if x.pp == 4 {
		pred(&o.Reads, 68)
		pred(&o.Reads, 77)
	}
}
