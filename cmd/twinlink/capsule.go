package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/capsule/model"
	"github.com/twinlink/twinlink/internal/capsule/view"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/outfile"
)

func capsuleCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "capsule FILE...",
		GroupID: groupLook,
		Short:   "Show the capsules of sm_100 and up",
		Long: `Shows the capsules of objects and linked files for sm_100 and up, node by node:
SASS offset, Mercury offset, kind, tag, the SASS words and their disassembly.
The default nvdisasm is the newest one that is found; without one the words are
printed without disassembly.`,
		Example: "  twinlink capsule out.cubin\n  twinlink capsule rebuild out.cubin -o same.cubin",
		Args:    atLeast(1, "no file to show"),
	}
	nvdisasm := c.Flags().String("nvdisasm", "", "the disassembler to run")
	style := choose(c, "format", "how to print", "text", "json")
	pick := chooseMembers(c)
	pick.mercury = true
	c.RunE = func(_ *cobra.Command, files []string) error {
		d := disassembler(*nvdisasm, s)
		return pick.eachCubin(files, style.value == "text", s, func(p piece) error {
			return d.show(p, style.value, s.out)
		})
	}
	c.AddCommand(rebuildCommand())
	return c
}

func rebuildCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "rebuild FILE -o OUT",
		Short: "Decode a file into a model and encode it again",
		Long: `Decodes the file into a model, fields and records, and encodes that again. The
output is identical to the input.`,
		Example: "  twinlink capsule rebuild out.cubin -o same.cubin",
		Args:    exactly(1, "rebuild takes one file"),
	}
	out := c.Flags().StringP("output", "o", "", "the file to write")
	c.RunE = func(_ *cobra.Command, files []string) error {
		if *out == "" {
			return badUsage("-o is missing")
		}
		return rebuildFile(files[0], *out)
	}
	return c
}

// maxDisassembly is how long nvdisasm may take: 10 MB take it half a minute.
const maxDisassembly = 10 * time.Minute

// disassembly runs nvdisasm where there is one.
type disassembly struct {
	tool  nvidia.Tool
	found bool
}

func disassembler(path string, s streams) disassembly {
	set, err := nvidia.Find(context.Background(), nvidia.Options{Nvdisasm: path})
	if err != nil {
		fmt.Fprintf(s.err, "twinlink: no nvdisasm: %s\n", err)
		return disassembly{}
	}
	tool, err := set.Tool("", nvidia.Nvdisasm)
	return disassembly{tool, err == nil}
}

func (d disassembly) show(p piece, style string, w io.Writer) error {
	file, err := cubin.Open(p.name, p.data)
	if err != nil {
		return err
	}
	m := capsule.Open(file)
	if !m.IsMercury() {
		return &cubin.Error{Kind: cubin.NotDevice, File: p.name, Offset: 48, Value: uint64(file.Header.Flags), Detail: "no capsules"}
	}
	listing, err := d.listing(m, p.data)
	if err != nil {
		return err
	}
	v, fault := view.Of(m, listing.Words)
	if style == "json" {
		err = json.NewEncoder(w).Encode(v)
	} else {
		err = v.WriteText(w)
	}
	if fault != nil {
		return fault
	}
	return err
}

func (d disassembly) listing(m *capsule.Image, data []byte) (*view.Disassembly, error) {
	if !d.found {
		return nil, nil
	}
	res, err := d.tool.Run(context.Background(), nvidia.Job{
		Args:   []string{"-c", "-hex", "-ndf", "a.cubin"},
		Inputs: []nvidia.File{{Name: "a.cubin", Data: data}},
		Limits: nvidia.Limits{Text: 1 << 30, Time: maxDisassembly},
	})
	if err != nil || res.ExitCode != 0 {
		return nil, err // what it refuses has no text
	}
	return view.ParseDisassembly(m, res.Stdout)
}

func rebuildFile(in, out string) error {
	data, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	m, err := model.Decode(in, data)
	if err != nil {
		return err
	}
	made, err := m.Encode()
	if err != nil {
		return err
	}
	return outfile.Write([]outfile.File{{Path: out, Data: made}})
}
