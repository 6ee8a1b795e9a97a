// Package resched changes kernels as nvlink 13.0 and later do in a final link for
// sm_100 and up.
//
// The linker makes the SASS of its output again from Mercury, and for nearly all
// code that gives the words of the input. Not for leaf kernels: at a final link
// it is known that nobody returns from them, so that the stack pointer, which
// every kernel loads first, is dead where nothing reads it. The load stays, but
// nothing waits for it any more; its scoreboard is free for others, and the
// scoreboards of the block are given out again. Barriers that ptxas repeated go
// as well, and with -g every EXIT of a kernel gets a fence.
//
// A word of SASS has 128 bits; the scheduling of an instruction is in the
// highest ones:
//
//	bit 127 125..122 121....116 115.113 112.110  109  108..105 104 .... 0
//	     |   reuse  | wait mask |  rd   |  wr   |yield| stall | instruction
//
// wr and rd are the scoreboards (0 to 5, 7 is none) that are held until the
// instruction has written its results, or read its sources; wait names those
// that must be free before it starts.
//
// Which kernels change is known exactly. What they become follows rules that
// give nvlink's bytes for 98 of 100 kernels. Result.Exact is true where no kernel
// was seen to differ: no wait after the first block changed, and no scoreboard
// was wanting for what goes beyond its block. Whatever comes out is compared with
// the input: a wait that would be missing is Result.Lost.
//
// Source: 2,900 kernels of ptxas 13.0.88 through nvlink 13.0.88, and some 65,000
// scoreboards that both gave out in kernels of public samples and libraries.
package resched
