// Command bench says how fast twinlink links: beside a C program that touches the
// same bytes and decides nothing (floor/floor.c), beside nvlink of each release, as
// links grow, and on shapes that are hard on a linker; then how long the check of such
// links takes, as they grow. "make bench" runs it.
//
// Programs take turns, round by round, and ratios are those of a round, so that
// they hold on a machine that others use too. It fails where processor time grows
// faster than size to the power of 1.2.
//
// What needs a tool that isn't there (gcc, ptxas, nvlink) is omitted and named.
package main
