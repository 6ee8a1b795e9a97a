// Command twinlink links device code as NVIDIA's nvlink does, judges links of
// other linkers, and shows what objects and linked files hold.
//
// "twinlink help" lists the commands and "twinlink COMMAND --help" explains
// one. Started under the name nvlink it is "twinlink link".
//
// Exit status of every command but link, which has nvlink's:
//
//	0  agree, pass, same
//	1  differ, findings
//	2  wrong use, a file that can't be opened
//	3  refused: no result for these inputs
//	4  not everything could be judged
package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/twinlink/twinlink/internal/linkcommand"
)

// streams is where a command writes.
type streams struct{ out, err io.Writer }

func main() {
	os.Exit(run(os.Args, streams{os.Stdout, os.Stderr}))
}

// run executes a command line, the program's name first, and returns the exit
// status. A link doesn't build the tree of commands: it is called once a
// compilation.
func run(args []string, s streams) int {
	if filepath.Base(args[0]) == linkcommand.NvlinkName {
		folder := linkcommand.Place(args[0])
		if linkcommand.Judged() {
			return linkAndJudge(folder, args[1:], s)
		}
		return linkcommand.Run(linkcommand.Call{Tool: linkcommand.NvlinkName, Folder: folder, Out: s.out, Err: s.err}, args[1:])
	}
	rest, pack, err := takeRepro(args[1:])
	switch {
	case err != nil:
		complain(s, err)
		return exitUsage
	case pack != "":
		return executePacked(rest, pack, s)
	case len(args) > 1 && args[1] == "link":
		return link(args[2:], s)
	}
	return execute(rest, s)
}

// link runs "twinlink link".
func link(args []string, s streams) int {
	return linkcommand.Run(linkcommand.Call{Tool: "twinlink link", Out: s.out, Err: s.err}, args)
}
