package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/linkcommand"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/outfile"
	"github.com/twinlink/twinlink/internal/repro"
)

// takeRepro takes --repro FILE out of a command line: every command has it.
func takeRepro(args []string) (rest []string, pack string, err error) {
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			return append(rest, args[i:]...), pack, nil
		case name != "--repro":
			rest = append(rest, args[i])
			continue
		case !given && i+1 == len(args):
			return nil, "", badUsage("--repro needs a file")
		case !given:
			i++
			value = args[i]
		}
		pack = value
	}
	return rest, pack, nil
}

// keepText is how much of a run's text a pack keeps.
const keepText = 1 << 20

// head keeps the first bytes that are written.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	_, _ = h.Buffer.Write(p[:min(len(p), keepText-h.Len())])
	return len(p), nil
}

// executePacked runs a command and, where it fails, packs what it needs.
func executePacked(args []string, pack string, s streams) int {
	var out, err head
	status := execute(args, streams{io.MultiWriter(s.out, &out), io.MultiWriter(s.err, &err)})
	if status == exitOK {
		return status
	}
	run := &repro.Run{Schema: repro.Schema, Version: versionOf(), Status: status, Stdout: out.Bytes(), Stderr: err.Bytes()}
	if set, findErr := nvidia.Find(context.Background(), nvidia.Options{}); findErr == nil {
		for _, release := range set.Releases() {
			run.Tools = append(run.Tools, "nvlink "+release)
		}
	}
	var files []repro.File
	run.Args, files = repro.Collect(args, namedOtherwise(args))
	var b bytes.Buffer
	packErr := repro.Write(&b, run, files)
	if packErr == nil {
		packErr = outfile.Write([]outfile.File{{Path: pack, Data: b.Bytes()}})
	}
	if packErr != nil {
		complain(s, packErr)
		return exitUsage
	}
	fmt.Fprintf(s.err, "twinlink: packed %d files into %s\n", len(files), pack)
	return status
}

// namedOtherwise are inputs that a command line of nvlink's options names in an
// options file or by -l.
func namedOtherwise(args []string) []string {
	if len(args) == 0 || args[0] != "verify" && args[0] != "link" {
		return nil
	}
	seen := cmdline.Scan(args[1:], linkcommand.ReadOptions)
	list := seen.Inputs
	for _, folder := range seen.LibraryPaths {
		for _, lib := range seen.Libraries {
			list = append(list, filepath.Join(folder, "lib"+lib+".a"))
		}
	}
	return list
}

func replayCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "replay FILE",
		GroupID: groupProject,
		Short:   "Run a command packed by --repro again",
		Long: `Unpacks a file that a failing command wrote with --repro, runs the command in a
folder of its own, and reports whether the result is the same.

Exit status: 0 it ends with the recorded status, 1 with another, 2 usage error or a
file that can't be opened, 3 a file that is no pack.`,
		Example: "  twinlink verify --repro bad.zip -arch=sm_90 a.cubin b.cubin\n  twinlink replay bad.zip",
		Args:    exactly(1, "replay takes one file"),
	}
	dir := c.Flags().String("dir", "", "unpack into this `FOLDER` and keep it; default: a temporary one")
	c.RunE = func(_ *cobra.Command, args []string) error { return replay(args[0], *dir, s) }
	return c
}

func replay(pack, dir string, s streams) error {
	if dir == "" {
		made, err := os.MkdirTemp("", "twinlink-replay-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(made) }()
		dir = made
	} else if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	run, err := repro.Unpack(pack, dir)
	if err != nil {
		return err
	}
	if len(run.Args) > 0 && run.Args[0] == "replay" {
		return badUsage("%s replays another pack", pack)
	}
	before, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := os.Chdir(dir); err != nil {
		return err
	}
	defer func() { _ = os.Chdir(before) }()
	fmt.Fprintf(s.err, "twinlink: replaying: twinlink %s\n", strings.Join(run.Args, " "))
	status := execute(run.Args, s)
	if v := versionOf(); v != run.Version {
		fmt.Fprintf(s.err, "twinlink: this is version %s, the run was of %s\n", v, run.Version)
	}
	if status != run.Status {
		fmt.Fprintf(s.err, "twinlink: ended with status %d, recorded was %d\n", status, run.Status)
		return exitStatus(exitDiffer)
	}
	fmt.Fprintf(s.err, "twinlink: ended with status %d, as recorded\n", status)
	return nil
}
