// Package definitions is a corpus of links that ask one question: of two or three definitions of a name, which one
// stands, or what is said.
//
// A way is a manner to define or declare the name x in PTX (Ways). An object is a way in one input, assembled by one
// release's ptxas for one architecture, perhaps with an attribute that may break a tie: the PTX target, the size, the
// alignment, debug information, or a relocatable link that came first. A question is a link of two or three objects.
// What nvlink answered to each is recorded: exit status, messages, and the hash of the output.
//
//	go run ./corpus/definitions/regen           # ask nvlink again and compare
//	go run ./corpus/definitions/regen -update   # and write what it says, and docs/definitions.md
package definitions
