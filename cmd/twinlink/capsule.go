package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/capsule/model"
	"github.com/twinlink/twinlink/internal/capsule/view"
	"github.com/twinlink/twinlink/internal/nvidia"
)

const capsuleUsage = `Usage: twinlink capsule [-format text|json] [-nvdisasm PATH] FILE...
       twinlink capsule rebuild FILE -o OUT

Shows the capsules of objects and images for sm_100 and up, node by node: SASS
offset, Mercury offset, kind, tag, the SASS words and what nvdisasm makes of
them. nvdisasm is the one named, or else the newest that is found; without one
the words stand alone.

rebuild decodes the file into a model, fields and records, and encodes that
again: the output has the input's bytes.

Exit status: 0, 1 a file that can't be read or decoded, 2 wrong use.
`

func capsuleFiles(args []string, s streams) int {
	if len(args) > 0 && args[0] == "rebuild" {
		return rebuildCapsule(args[1:], s)
	}
	f := flags("capsule", capsuleUsage, s)
	style := format(f)
	nvdisasm := f.String("nvdisasm", "", "")
	files, status, done := parseMixed(f, args)
	if done {
		return status
	}
	if len(files) == 0 {
		f.Usage()
		return exitUsage
	}
	d := disassembler(*nvdisasm, s)
	for i, name := range files {
		if i > 0 && *style == "text" {
			fmt.Fprintln(s.out)
		}
		if err := d.show(name, *style, s.out); err != nil {
			fmt.Fprintf(s.err, "twinlink: %s\n", err)
			status = exitFailed
		}
	}
	return status
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

func (d disassembly) show(name, style string, w io.Writer) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := cubin.Open(name, data)
	if err != nil {
		return err
	}
	m := capsule.Open(file)
	if !m.IsMercury() {
		return &cubin.Error{Kind: cubin.NotDevice, File: name, Offset: 48, Value: uint64(file.Header.Flags), Detail: "no capsules"}
	}
	listing, err := d.listing(m, data)
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

// parseMixed reads flags that may stand before, between and behind the files.
func parseMixed(f *flag.FlagSet, args []string) (files []string, status int, done bool) {
	for {
		if status, done := parse(f, args); done {
			return nil, status, true
		}
		if f.NArg() == 0 {
			return files, exitOK, false
		}
		files, args = append(files, f.Arg(0)), f.Args()[1:]
	}
}

func rebuildCapsule(args []string, s streams) int {
	f := flags("capsule rebuild", capsuleUsage, s)
	out := f.String("o", "", "")
	inputs, status, done := parseMixed(f, args)
	if done {
		return status
	}
	if len(inputs) != 1 || *out == "" {
		fmt.Fprint(s.err, capsuleUsage)
		return exitUsage
	}
	if err := rebuildFile(inputs[0], *out); err != nil {
		fmt.Fprintf(s.err, "twinlink: %s\n", err)
		return exitFailed
	}
	return exitOK
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
	return writeFiles([]outFile{{out, made}})
}
