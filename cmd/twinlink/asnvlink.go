package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/linkcommand"
	"github.com/twinlink/twinlink/internal/outfile"
)

func asNvlinkCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "as-nvlink FOLDER",
		GroupID: groupLink,
		Short:   "Make a toolkit folder with twinlink in place of nvlink",
		Long: `Makes a folder that mirrors a CUDA toolkit with links, with twinlink as
bin/nvlink. nvcc, CMake, clang and XLA take nvlink from the folder they are
configured to use:

  PATH=FOLDER/bin:$PATH nvcc -rdc=true ...
  cmake -DCMAKE_CUDA_COMPILER=FOLDER/bin/nvcc ...
  clang++ --cuda-path=FOLDER ...

The default toolkit is that of the nvcc in PATH. twinlink behaves as the release
of the toolkit's nvlink, if it knows that release.

With TWINLINK_VERIFY=1 in the environment the toolkit's own nvlink makes each
link, and twinlink judges it, with the oracle and by comparison with its own link.
The result is one line of JSON, appended to the file that TWINLINK_REPORT names.
Without such a file it is printed to standard error if the link is wrong. The build
continues with nvlink's output; with TWINLINK_VERIFY=fail a wrong link fails.`,
		Example: "  twinlink as-nvlink --toolkit /usr/local/cuda ~/cuda-twinlink",
		Args:    exactly(1, "as-nvlink takes the folder to make; --toolkit names the toolkit"),
	}
	toolkit := c.Flags().String("toolkit", "", "the toolkit: the folder that contains bin/nvcc")
	c.RunE = func(_ *cobra.Command, args []string) error {
		program, err := linkcommand.Beside("twinlink-nvlink") // starts faster
		if err != nil {
			program, err = os.Executable()
		}
		if err != nil {
			return err
		}
		from := *toolkit
		if from == "" {
			nvcc, err := exec.LookPath("nvcc")
			if err != nil {
				return badUsage("no nvcc in PATH: give the toolkit with --toolkit")
			}
			from = filepath.Dir(filepath.Dir(nvcc))
		}
		release, err := shadow(from, args[0], program)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s: twinlink as nvlink of %s (%s)\n", args[0], from, release)
		return nil
	}
	return c
}

// shadow makes the folder and returns the version of the toolkit's nvlink.
func shadow(from, folder, program string) (release string, err error) {
	if from, err = filepath.Abs(from); err != nil {
		return "", err
	}
	real := filepath.Join(from, "bin", "nvlink")
	if _, err := os.Stat(real); err != nil {
		return "", err
	}
	bin := filepath.Join(folder, "bin")
	if err := os.MkdirAll(bin, 0o777); err != nil {
		return "", err
	}
	if err := linkAll(from, folder, "bin"); err != nil {
		return "", err
	}
	if err := linkAll(filepath.Join(from, "bin"), bin, "nvlink"); err != nil {
		return "", err
	}
	release = buildOf(real)
	for name, target := range map[string]string{"nvlink": program, linkcommand.RealName: real} {
		if err := symlink(target, filepath.Join(bin, name)); err != nil {
			return "", err
		}
	}
	return release, outfile.Write([]outfile.File{{Path: filepath.Join(bin, linkcommand.ReleaseName), Data: []byte(release + "\n")}})
}

// linkAll makes links in a folder to everything in another but one name.
func linkAll(from, to, but string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == but {
			continue
		}
		if err := symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// symlink makes a link, in the place of a link that is there.
func symlink(target, name string) error {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return os.Symlink(target, name)
}

// buildOf asks an nvlink for its version: "13.0.88".
func buildOf(nvlink string) string {
	out, err := exec.Command(nvlink, "--version").Output()
	if err != nil {
		return "unknown"
	}
	_, rest, found := strings.Cut(string(out), ", V")
	build, _, _ := strings.Cut(rest, "\n")
	if build = strings.TrimSpace(build); !found || build == "" {
		return "unknown"
	}
	return build
}
