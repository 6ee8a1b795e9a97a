package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/fuzz/reduce"
	"github.com/twinlink/twinlink/internal/dump"
	"github.com/twinlink/twinlink/internal/nvidia"
)

func promoteCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "promote HASH --why TEXT",
		GroupID: groupProject,
		Short:   "Put a link that was found into the corpus",
		Long: `Puts a link that fuzzing saved, or that reduce wrote, into the corpus: its files,
what nvlink of its release does with them, and a text that a person can read.
The tests run it from then on. HASH is the folder's name, or a path to it.

nvlink of that release must be installed: what is expected comes from it.

Exit status: 0 written, 1 nvlink dies of it, 2 wrong use.`,
		Example: "  twinlink promote 1f0c77ab2e31 --why 'the place of a common symbol of no size'",
		Args:    exactly(1, "promote takes the name of a folder"),
	}
	f := c.Flags()
	why := f.String("why", "", "what the link is about (required)")
	from := f.String("from", "fuzz/testdata/divergences", "folder with what was found")
	to := f.String("corpus", "corpus/testdata/found", "folder of the corpus")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *why == "" {
			return badUsage("promote needs --why: what the link is about")
		}
		dir := args[0]
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			dir = filepath.Join(*from, args[0])
		}
		return runPromote(c.Context(), dir, *to, *why, s)
	}
	return c
}

func runPromote(ctx context.Context, dir, to, why string, s streams) error {
	c, err := reduce.Load(dir)
	if err != nil {
		return err
	}
	set, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		return err
	}
	tool, err := set.Tool(c.Release, nvidia.Nvlink)
	if err != nil {
		return err
	}
	var files []nvidia.File
	for _, in := range c.Inputs {
		files = append(files, nvidia.File{Name: in.Name, Data: in.Data})
	}
	res, err := tool.Run(ctx, nvidia.Job{Args: c.Args(), Inputs: files, Collect: reduce.Output})
	if err != nil {
		return err
	}
	if res.Outcome == nvidia.Crashed || res.Outcome == nvidia.Hung {
		fmt.Fprintf(s.err, "twinlink: %s: that is no answer to expect\n", res)
		return exitStatus(exitDiffer)
	}
	text := foundText(c, why, res.ExitCode, res.Files[reduce.Output], string(res.Stdout)+string(res.Stderr))
	folder := filepath.Join(to, c.Hash())
	if err := c.Save(folder, ""); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "found.txt"), []byte(text), 0o644); err != nil {
		return err
	}
	fmt.Fprintln(s.out, folder)
	return nil
}

// foundText tells a link of corpus/testdata/found: what is expected of it, a line each, and then its inputs for people.
func foundText(c *reduce.Case, why string, exit int, image []byte, said string) string {
	var b bytes.Buffer
	sum := "-"
	if image != nil {
		h := sha256.Sum256(image)
		sum = hex.EncodeToString(h[:])
	}
	fmt.Fprintf(&b, "why       %s\nnvlink    %s\ncommand   %s\nexit      %d\nimage     %s\nsays      %q\n", why, c.Release, strings.Join(c.Args(), " "), exit, sum, said)
	for _, in := range c.Inputs {
		fmt.Fprintf(&b, "\n--- %s\n", in.Name)
		if model, err := dump.Read(in.Name, in.Data, dump.All); err == nil {
			_ = dump.Text(&b, model) // into memory
		} else {
			fmt.Fprintln(&b, err)
		}
	}
	return b.String()
}
