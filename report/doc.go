// Package report says what the witnesses said of a link, and whether they agree.
//
// A [Report] is a list of rows, one for each thing that was asked (a link set, a
// conformance vector, a kernel under selfcheck). It is made by whoever asked;
// this package only counts and writes:
//
//	text  WriteText   a table for eyes, then the details of what differs
//	JSON  WriteJSON   everything, for programs; ReadJSON takes it back
//
// Every writer takes the same Report and invents nothing, so another form
// (JUnit, SARIF, a page) is another function beside these two. The same Report
// gives the same bytes: no clock, no map order, no terminal is asked.
//
// Names come from files, and a file may be hostile: in text, what doesn't print
// is escaped as Go would, so that a symbol can't move the cursor or forge a row.
package report
