package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// stamp is the version that a release build sets with -ldflags.
var stamp = ""

func versionCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		GroupID: groupProject,
		Short:   "Print the version and the supported releases of nvlink",
		Example: "  twinlink version\n  twinlink version --all",
		Args:    exactly(0, "version takes no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			if all, _ := c.Flags().GetBool("all"); all {
				return printReleases(c.Context(), s)
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
	cmd.Flags().Bool("all", false, "a line for each release, how complete its support is, and which of NVIDIA's tools are installed")
	return cmd
}

// printReleases prints the releases with what is known of each: docs/releases.md
// says how that was found out.
func printReleases(ctx context.Context, s streams) error {
	fmt.Fprintf(s.out, "twinlink %s\n", versionOf())
	for _, r := range slices.Concat(cmdline.Releases[:], cmdline.EarlierBuilds[:]) {
		known := "complete (compared with nvlink); above sm_90 see known-differences.md"
		switch {
		case r.ByNvJitLink():
			known = "compared with nvJitLink only"
			if !r.LinksMercury() {
				known += ", up to sm_90a"
			}
		case r.Toolkit() <= cmdline.R130.Toolkit():
			known = "complete (compared with nvlink)"
		}
		version, _ := r.Version()
		if _, err := fmt.Fprintf(s.out, "%-7s %-51s %s\n", r, version, known); err != nil {
			return err
		}
	}
	return printTools(ctx, s)
}

// printTools prints which of NVIDIA's tools are found, and by what.
func printTools(ctx context.Context, s streams) error {
	set, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, "\nNVIDIA's tools found:")
	for _, tool := range set.Tools() {
		fmt.Fprintf(s.out, "  %-10s %-11s %s (%s)\n", tool.Name, tool.Version, tool.Path, tool.Origin)
	}
	libraries := nvjitlink.Find(nvjitlink.Options{})
	for _, l := range libraries {
		fmt.Fprintf(s.out, "  %-10s %-11s %s\n", "nvJitLink", l.Release, l.Path)
	}
	if len(set.Tools())+len(libraries) == 0 {
		fmt.Fprintln(s.out, "  none (make witness downloads them)")
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
