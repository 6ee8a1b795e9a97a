package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/container"
)

// listed is a member as "list" shows it.
type listed struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	Target      string `json:"target"`
	Bytes       uint64 `json:"bytes"`  // unpacked
	Stored      int    `json:"stored"` // in the file
	Compression string `json:"compression,omitempty"`
	Mercury     bool   `json:"mercury,omitempty"`
	Debug       bool   `json:"debug,omitempty"`
	Source      string `json:"source,omitempty"` // name of the source file, where the compiler recorded it
	Options     string `json:"options,omitempty"`
	Place       string `json:"place"`
	Offset      uint64 `json:"offset"` // in the last file of the name
}

func listCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "list FILE...",
		GroupID: groupLook,
		Short:   "List the device code in a file",
		Long: `Lists the pieces of device code in objects, archives, shared objects, programs,
fatbinaries and bare cubins: name, kind, size in bytes, offset. Nothing is unpacked.`,
		Example: "  twinlink list libcudadevrt.a\n  twinlink list --arch sm_90 --format json app",
		Args:    atLeast(1, "no file to list"),
	}
	pick := chooseMembers(c)
	style := choose(c, "format", "how to print", "text", "json")
	c.RunE = func(_ *cobra.Command, files []string) error {
		return forEach(files, false, s, func(name string) error {
			list, err := pick.list(name, s)
			if err != nil {
				return err
			}
			if style.value == "json" {
				e := json.NewEncoder(s.out)
				e.SetEscapeHTML(false)
				return e.Encode(map[string]any{"file": name, "members": list})
			}
			return writeList(s.out, list)
		})
	}
	return c
}

func (w *choosing) list(name string, s streams) ([]listed, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := w.open(name, data)
	if err != nil {
		return nil, err
	}
	for _, skipped := range f.Skipped {
		fmt.Fprintf(s.err, "twinlink: skipped: %s\n", skipped)
	}
	list := []listed{}
	if len(f.Members) == 0 {
		return list, nil
	}
	members, err := f.Select(w.arch, w.member)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		x := listed{Name: m.Name(), Kind: m.Kind.String(), Target: m.Target(), Bytes: m.Size, Stored: len(m.Stored), Compression: m.Compression(),
			Mercury: m.Mercury(), Debug: m.Debug(), Source: m.Identifier, Place: m.Place(), Offset: m.Offset}
		if m.Kind != container.Cubin {
			x.Options = string(m.Options)
		}
		list = append(list, x)
	}
	return list, nil
}

func writeList(w io.Writer, list []listed) error {
	for i := range list {
		m := &list[i]
		marks := ""
		if m.Compression != "" {
			marks += fmt.Sprintf(", %s %d", m.Compression, m.Stored)
		}
		if m.Mercury {
			marks += ", mercury"
		}
		if m.Debug {
			marks += ", debug"
		}
		if m.Source != "" {
			marks += ", " + m.Source
		}
		if _, err := fmt.Fprintf(w, "%s: %s, %d bytes%s; %s at 0x%x\n", m.Name, m.Kind, m.Bytes, marks, m.Place, m.Offset); err != nil {
			return err
		}
	}
	return nil
}
