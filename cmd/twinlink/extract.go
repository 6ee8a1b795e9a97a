package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/container"
	"github.com/twinlink/twinlink/internal/outfile"
)

func extractCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "extract FILE -o FOLDER",
		GroupID: groupLook,
		Short:   "Extract the device code of a file",
		Long: `Writes each piece of device code of a file, unpacked, into a folder, which is
created if it doesn't exist. The names are those of "twinlink list", with all
characters except letters, digits, dots, dashes and underscores replaced, so that
no name in an archive can point outside the folder; equal names get a number.
Prints the names of the files.`,
		Example: "  twinlink extract --arch sm_90 libcufft_static.a -o cubins",
		Args:    exactly(1, "one file to extract from"),
	}
	pick := chooseMembers(c)
	folder := c.Flags().StringP("output", "o", "", "folder to write to")
	c.RunE = func(_ *cobra.Command, files []string) error {
		if *folder == "" {
			return badUsage("no folder to write to: -o FOLDER")
		}
		return pick.extract(files[0], *folder, s)
	}
	return c
}

func (w *choosing) extract(name, folder string, s streams) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := w.open(name, data)
	if err != nil {
		return err
	}
	members, err := f.Select(w.arch, w.member)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	used := make(map[string]bool)
	for _, m := range members {
		content, err := m.Data(w.budget)
		if err != nil {
			return err
		}
		out := filepath.Join(folder, fileName(m, used))
		if err := outfile.Write([]outfile.File{{Path: out, Data: content}}); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s: %s\n", out, m.Name())
	}
	return nil
}

// fileName makes a file's name of a member's, another one each time.
func fileName(m *container.Member, used map[string]bool) string {
	base := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, strings.TrimLeft(m.Name()[strings.LastIndexByte(m.Path, '/')+1:], "."))
	base = strings.TrimSuffix(base, m.Extension())
	for i := 1; ; i++ {
		name := base + m.Extension()
		if i > 1 {
			name = fmt.Sprintf("%s-%d%s", base, i, m.Extension())
		}
		if !used[name] {
			used[name] = true
			return name
		}
	}
}
