// Package mercury makes SASS of Mercury records, and Mercury of SASS words.
//
// From sm_100 on the text of a function is in a cubin twice: as SASS and as
// a capsule of Mercury nodes, from which nvlink makes the SASS again. Of most
// nodes the capsule keeps nothing, because the SASS word says it all (PLAIN);
// others are in it in full, as records of 16 or 32 bytes. Nothing public says
// how a record becomes SASS. This package does, by a table of rules that the
// tools' own answers gave; docs/mercury.md describes what they show, and
// "make mercury-table" makes the table again.
//
//	record byte    0    1    2    3    4     5 ...            10 ...
//	             size family  form     guard modifiers        operands
//
// A rule says which bits of the words are constant, which are bits of the
// record, and which follow from a few of its bits. Where the table has no rule
// for a record, it says so: [Reason]. It never guesses.
package mercury
