// Package capsule is the oracle's reader of Mercury capsules, the sections
// .nv.capmerc.text.<function> of objects for sm_100 and up.
//
// A capsule holds of a function's Mercury code what can't be told from its
// SASS. It is a list of nodes, one after the other in both codes:
//
//	u32  section index of .text.<function>
//	u32  0xC0000001
//	u32  N
//	u32  bitmap[ceil(N/32)], lowest bit first; bits from N on are 0
//	     a record for each bit that is 0, in node order, with no gaps
//
//	bit 1        PLAIN   one SASS instruction, no bytes; Mercury 16 or 32 bytes
//	bit 0, and of the next u16 the low seven bits
//	   0x50      SKIP    2 bytes: u16 >> 7 SASS instructions, no Mercury
//	   0x51      RECORD  the u16 gives the span, then a record as below
//	   0x31      NOTE    16 bytes in both codes, no SASS
//	   0x32      NOTE    32 bytes, the same
//	   else      RECORD  of one SASS instruction
//	record by its first byte: 0x01 16 bytes, 0x02 32, 0x41 and 0x42 four
//
// A Mercury instruction takes 32 bytes if the low four bits of the record's
// first byte are 2, else 16. That of a PLAIN node depends on the SASS word:
// forms with three sources, an immediate, a carry or a predicate to combine
// take 32. The table is what was seen; a form outside it has no known size.
//
// Notes are in kernels of CUTLASS, before their first word and before loops. Those of 32
// bytes were seen in one with DMMA by ptxas 13.5.37, which has 3,519 nodes and reads to its end.
//
// Source: 11,200 capsules of ptxas 13.0.88 and nvlink 13.0.86. The sizes of notes and of
// what CUB, CUTLASS, nvCOMP and -O0 add: 10,915 equations, the Mercury code between
// EXITs and ends of functions.
package capsule
