// Twinlink-nvlink is twinlink as nvlink and nothing else, for builds: it takes
// nvlink's command line, and starts in half the time of twinlink, whose other
// commands bring more with them.
//
// Its results and messages are those of "twinlink link", the same code makes them.
// Where TWINLINK_VERIFY asks for links that are judged, it runs the twinlink beside
// it.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/twinlink/twinlink/internal/linkcommand"
)

func main() {
	if linkcommand.Judged() {
		os.Exit(judged())
	}
	os.Exit(linkcommand.Run(linkcommand.Call{
		Tool:   linkcommand.NvlinkName,
		Folder: linkcommand.Place(os.Args[0]),
		Out:    os.Stdout,
		Err:    os.Stderr,
	}, os.Args[1:]))
}

// noJudge is the exit status where twinlink can't be started.
const noJudge = 2

// judged has twinlink make the link, under the name nvlink and the folder in which
// this program was started.
func judged() int {
	program, err := linkcommand.Beside("twinlink")
	if err != nil {
		fmt.Fprintf(os.Stderr, "twinlink-nvlink: %s is set: %v\n", linkcommand.VerifyVariable, err)
		return noJudge
	}
	name := "." + string(filepath.Separator) + linkcommand.NvlinkName
	if folder := linkcommand.Place(os.Args[0]); folder != "" {
		name = folder + string(filepath.Separator) + linkcommand.NvlinkName
	}
	cmd := &exec.Cmd{Path: program, Args: append([]string{name}, os.Args[1:]...), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		return ended.ExitCode()
	case err != nil:
		fmt.Fprintf(os.Stderr, "twinlink-nvlink: %v\n", err)
		return noJudge
	}
	return 0
}
