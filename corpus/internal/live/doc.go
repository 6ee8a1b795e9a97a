// Command live puts random programs to nvlink and to twinlink and compares what the two make of them.
//
// The committed corpus shows only what somebody thought of. Here a seed gives a program (package ptxgen), a release, an
// architecture, flags of ptxas and options of nvlink; the release's ptxas compiles it, its nvlink and twinlink's command
// line link it in folders of the same shape, and bytes, exit status and messages have to be the same. Nothing is
// expected beforehand, so nothing can be expected wrongly.
//
//	go run ./corpus/internal/live -n 1000 -seed 7
//	go run ./corpus/internal/live -n 1 -seed 1234 -keep DIR      # one case again, its files kept
//
// Case i of a run has the seed -seed + i, so that any of them can be repeated alone. A case counts as
//
//	agree           both linked, and all is the same byte for byte
//	refused-alike   both refused with the same status and words
//	skipped         nvlink died or hung, ptxas would not have the program, or twinlink says it doesn't support an option
//	differ          anything else; so does a crash of twinlink's, whatever nvlink did
//
// It needs the tools of package witness. Exit status: 0 nothing differs, 1 something does, 2 trouble.
package main
