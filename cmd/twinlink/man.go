//go:build man

package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Only "make man" builds this: the writer of manual pages is larger than the
// rest of the command line.
func init() {
	more = append(more, func(streams) *cobra.Command {
		return &cobra.Command{
			Use:     "man FOLDER",
			GroupID: groupProject,
			Short:   "Write the manual pages of all commands",
			Args:    exactly(1, "man takes a folder"),
			RunE: func(c *cobra.Command, args []string) error {
				if err := os.MkdirAll(args[0], 0o755); err != nil {
					return err
				}
				epoch := time.Unix(0, 0)
				return doc.GenManTree(c.Root(), &doc.GenManHeader{Section: "1", Source: "twinlink", Date: &epoch}, args[0])
			},
		}
	})
}
