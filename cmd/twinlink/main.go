// Command twinlink links device code as NVIDIA's nvlink does, and looks into
// the objects and images that go in and come out.
//
//	twinlink link [nvlink's options] FILE...
//	twinlink dump [-only PARTS] [-format text|json] FILE...
//	twinlink diff [-ignore KEY] [-only KEY] [-format text|json] A B
//	twinlink capsule [-format text|json] FILE...
//	twinlink capsule rebuild FILE -o OUT
//	twinlink selfcheck [--format text|json] FILE...
//	twinlink finalize -arch sm_T [--rules observed|seed] [OPTIONS] FILE... [-o OUT]
//	twinlink verify [nvlink's options] [--output LINKED] FILE...
//	twinlink claims [--system S] [--verdict V] [--format text|json]
//	twinlink demo
//	twinlink version
//	twinlink help
//
// Started under the name nvlink it is "twinlink link".
//
// Exit status: that of nvlink for link (1 refused, 255 undefined references
// or warnings made errors); 1 for a file dump can't read; 0 same, 1 different
// and 2 trouble for diff; 0 pass, 1 findings and 3 refused for selfcheck; 2 for
// wrong use of twinlink itself.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
)

// Exit statuses of twinlink's own; link has nvlink's.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// streams is where a command writes.
type streams struct{ out, err io.Writer }

func main() {
	debug.SetGCPercent(garbagePercent)
	os.Exit(run(os.Args, streams{os.Stdout, os.Stderr}))
}

// run executes a command line, the program's name first.
func run(args []string, s streams) int {
	if filepath.Base(args[0]) == "nvlink" {
		return link("nvlink", args[1:], s)
	}
	if len(args) < 2 {
		fmt.Fprint(s.err, usageText)
		return exitUsage
	}
	rest := args[2:]
	switch args[1] {
	case "link":
		return link("twinlink link", rest, s)
	case "dump":
		return dumpFiles(rest, s)
	case "diff":
		return diffFiles(rest, s)
	case "capsule":
		return capsuleFiles(rest, s)
	case "selfcheck":
		return selfcheckFiles(rest, s)
	case "finalize":
		return finalizeFiles(rest, s)
	case "verify":
		return verifyFiles(rest, s)
	case "claims":
		return listClaims(rest, s)
	case "demo":
		return demo(rest, s)
	case "version", "--version", "-V":
		return version(rest, s)
	case "help", "--help", "-h":
		return help(rest, s)
	}
	fmt.Fprintf(s.err, "twinlink: unknown command %q\n\n%s", args[1], usageText)
	return exitUsage
}
