// Package cmdline is nvlink's command line: its options as a table, their
// syntax, the messages about a wrong one, and the text that .note.nv.tkinfo
// records of them.
//
// What is unusual: a long name takes two dashes and a short one a single
// dash, whatever its length, and neither may be cut short; an option's value
// is checked where it is, before anything after it is read; which
// options exist depends on the release, and the release on the inputs, whose
// names stand among the options. So reading takes two steps. Scan reads args
// with the options of all releases and returns the input names; the caller
// finds out the release (Choose), and Parse reads them again as that
// release's nvlink does.
//
// Parse does not look at any file but those of -optf. What nvlink says about
// other files (libraries, inputs, the output) is the caller's to say, with
// the messages of message.go.
//
// Source: some two thousand runs of nvlink 11.8.89, 12.4.131 and 13.0.88;
// docs/command-line.md sums them up.
package cmdline
