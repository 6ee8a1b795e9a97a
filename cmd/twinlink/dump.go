package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/dump"
)

func dumpCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "dump FILE...",
		GroupID: groupLook,
		Short:   "Print what a cubin holds",
		Long: `Prints what cubins hold: names for numbers, symbols for indices, fields for
relocations. Parts: ` + strings.Join(dump.PartNames(), ", ") + `.`,
		Example: "  twinlink dump out.cubin\n  twinlink dump --only header,notes out.cubin",
		Args:    atLeast(1, "no file to dump"),
	}
	only := c.Flags().StringSlice("only", nil, "parts to print")
	style := choose(c, "format", "how to print", "text", "json")
	c.RunE = func(_ *cobra.Command, files []string) error {
		parts := dump.Part(dump.All)
		if len(*only) > 0 {
			var err error
			if parts, err = dump.ParseParts(strings.Join(*only, ",")); err != nil {
				return badUsage("--only: %s", err)
			}
		}
		return forEach(files, style.value == "text", s, func(name string) error {
			return dumpFile(name, parts, style.value, s.out)
		})
	}
	return c
}

// forEach calls do for every file and goes on after one that fails. The status
// is the worst of theirs.
func forEach(files []string, blank bool, s streams, do func(name string) error) error {
	status := exitOK
	for i, name := range files {
		if i > 0 && blank {
			fmt.Fprintln(s.out)
		}
		if err := do(name); err != nil {
			complain(s, err)
			status = max(status, statusOf(err))
		}
	}
	return ended(status)
}

func dumpFile(name string, parts dump.Part, style string, w io.Writer) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	model, err := dump.Read(name, data, parts)
	if err != nil {
		return err
	}
	if style == "json" {
		return dump.JSON(w, model)
	}
	return dump.Text(w, model)
}
