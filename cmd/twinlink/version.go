package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/cmdline"
)

// stamp is the version that a release build sets with -ldflags.
var stamp = ""

func versionCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		GroupID: groupProject,
		Short:   "Print the version and the releases of nvlink it behaves as",
		Example: "  twinlink version\n  twinlink version --all",
		Args:    exactly(0, "version takes no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			if all, _ := c.Flags().GetBool("all"); all {
				return printReleases(s)
			}
			fmt.Fprintf(s.out, "twinlink %s\nbehaves as nvlink", versionOf())
			for i, r := range cmdline.Releases {
				if i > 0 {
					fmt.Fprint(s.out, ",")
				}
				fmt.Fprintf(s.out, " %s", r)
			}
			_, err := fmt.Fprintln(s.out)
			return err
		},
	}
	cmd.Flags().Bool("all", false, "a line for each release, and how far its links are known")
	return cmd
}

// printReleases prints the releases with what is known of each: docs/releases.md
// says how that was found out.
func printReleases(s streams) error {
	fmt.Fprintf(s.out, "twinlink %s\n", versionOf())
	for _, r := range cmdline.Releases {
		known := "complete (nvlink asked), up to sm_90a; refused above, and -r with shared variables from 13.2 on"
		if r.Toolkit() <= cmdline.R130.Toolkit() {
			known = "complete (nvlink asked)"
		}
		version, _ := r.Version()
		if _, err := fmt.Fprintf(s.out, "%s  %-51s %s\n", r, version, known); err != nil {
			return err
		}
	}
	return nil
}

// versionOf is the stamped version, or what the build recorded.
func versionOf() string {
	if stamp != "" {
		return stamp
	}
	info, ok := debug.ReadBuildInfo()
	switch {
	case !ok:
		return "(devel)"
	case info.Main.Version == "":
		return "(devel), " + info.GoVersion
	}
	return info.Main.Version + ", " + info.GoVersion
}
