package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/dump"
)

func dumpCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "dump FILE...",
		GroupID: groupLook,
		Short:   "Print the contents of a cubin",
		Long: `Prints the contents of cubins: names for numbers, symbols for indices, fields for
relocations. Parts: ` + strings.Join(dump.PartNames(), ", ") + `.`,
		Example: "  twinlink dump out.cubin\n  twinlink dump --only header,notes out.cubin",
		Args:    atLeast(1, "no file to dump"),
	}
	only := c.Flags().StringSlice("only", nil, "parts to print")
	style := choose(c, "format", "how to print", "text", "json")
	pick := chooseMembers(c)
	c.RunE = func(_ *cobra.Command, files []string) error {
		parts := dump.Part(dump.All)
		if len(*only) > 0 {
			var err error
			if parts, err = dump.ParseParts(strings.Join(*only, ",")); err != nil {
				return badUsage("--only: %s", err)
			}
		}
		return pick.eachCubin(files, style.value == "text", s, func(p piece) error {
			return dumpCubin(p, parts, style.value, s.out)
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

func dumpCubin(p piece, parts dump.Part, style string, w io.Writer) error {
	model, err := dump.Read(p.name, p.data, parts)
	if err != nil {
		return err
	}
	if style == "json" {
		return dump.JSON(w, model)
	}
	return dump.Text(w, model)
}
