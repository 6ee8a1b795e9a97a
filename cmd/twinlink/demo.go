package main

import "fmt"

// demo links a real program that is in the repository and checks the result
// three ways.
//
// TODO: not written yet; it needs corpus/links and report.
func demo(_ []string, s streams) int {
	fmt.Fprintln(s.err, "twinlink: demo is not implemented yet")
	return exitFailed
}
