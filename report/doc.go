// Package report formats the results of comparing linkers and of checking
// files.
//
// A [Report] is a list of rows, one for each thing that was asked: a link, a
// conformance vector, a file under selfcheck. Whoever asked makes it; this
// package counts and writes, and adds nothing of its own.
//
//	text      a table for eyes, then the details of what differs
//	markdown  the same for a comment on a change
//	json      everything, for programs; ReadJSON takes it back
//	html      one page that draws what differs, for eyes
//	sarif     the findings, for code scanning
//	junit     a test case for each row, for CI systems
//
// The same Report gives the same bytes: no clock, no map order and no terminal
// is asked. Names come from files, and a file may be hostile: in text, what
// doesn't print is escaped as Go would, so that a symbol can't move the cursor
// or forge a row.
package report
