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
	return &cobra.Command{
		Use:     "version",
		GroupID: groupProject,
		Short:   "Print the version and the releases of nvlink it behaves as",
		Example: "  twinlink version",
		Args:    exactly(0, "version takes no argument"),
		RunE: func(*cobra.Command, []string) error {
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
