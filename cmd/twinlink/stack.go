package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/anatomy"
	"github.com/twinlink/twinlink/report"
)

func stackCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "stack FILE...",
		GroupID: groupLook,
		Short:   "Explain the stack and the registers of kernels",
		Long: `Prints, for each kernel of a linked file, its registers, its stack and the call
path that needs the most stack: every function on that path with its own frame.
For a kernel whose stack "cannot be statically determined", as nvlink warns, the
reason is printed.

The stack is computed from the frames in .nv.info and the call graph; the value in
the file (MIN_STACK_SIZE) is shown beside it.`,
		Example: "  twinlink stack out.cubin\n  twinlink stack --all --format json out.cubin",
		Args:    atLeast(1, "no file"),
	}
	all := c.Flags().Bool("all", false, "functions too, not only kernels")
	style := choose(c, "format", "how to print", "text", "json")
	c.RunE = func(_ *cobra.Command, files []string) error {
		return forEach(files, style.value == "text", s, func(name string) error {
			return showStack(name, *all, style.value, s.out)
		})
	}
	return c
}

// stackLine is one function as JSON has it.
type stackLine struct {
	Function  string      `json:"function"`
	Kernel    bool        `json:"kernel"`
	Registers uint32      `json:"registers"`
	Stack     uint64      `json:"stack"`
	Stated    *uint32     `json:"stated,omitempty"`
	Unbounded string      `json:"unbounded,omitempty"`
	Path      []stackStep `json:"path"`
}

type stackStep struct {
	Function string `json:"function"`
	Frame    uint64 `json:"frame"`
}

func showStack(name string, all bool, style string, w io.Writer) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := cubin.Open(name, data)
	if err != nil {
		return err
	}
	a, err := anatomy.Of(f)
	if err != nil {
		return err
	}
	lines := []stackLine{}
	for i := range a.Functions {
		fn := &a.Functions[i]
		if !fn.Kernel && !all {
			continue
		}
		line := stackLine{Function: fn.Name, Kernel: fn.Kernel, Registers: fn.Registers, Stack: fn.Stack, Stated: fn.Stated, Unbounded: fn.Unbounded}
		for _, at := range a.Path(i) {
			line.Path = append(line.Path, stackStep{a.Functions[at].Name, a.Functions[at].Frame})
		}
		lines = append(lines, line)
	}
	if style == "json" {
		return json.NewEncoder(w).Encode(struct {
			File      string      `json:"file"`
			Functions []stackLine `json:"functions"`
		}{name, lines})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", name)
	for i := range lines {
		lines[i].print(&b)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

func (l *stackLine) print(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s: %d registers, ", l.Function, l.Registers)
	if l.Unbounded != "" {
		fmt.Fprintf(b, "stack cannot be statically determined: %s\n", l.Unbounded)
	} else {
		fmt.Fprintf(b, "%d bytes of stack", l.Stack)
		if l.Stated != nil && uint64(*l.Stated) != l.Stack {
			fmt.Fprintf(b, " (the file states %d)", *l.Stated)
		}
		b.WriteString("\n")
	}
	for i, step := range l.Path {
		fmt.Fprintf(b, "  %s%s %d\n", strings.Repeat("  ", min(i, 20)), step.Function, step.Frame)
	}
}

// linkShape makes of a linked file what a report's page draws; nil where the
// file can't be read, which its row tells.
func linkShape(data []byte) *report.Link {
	f, err := cubin.Open("linked", data)
	if err != nil {
		return nil
	}
	a, err := anatomy.Of(f)
	if err != nil {
		return nil
	}
	link := &report.Link{}
	for _, s := range a.Spaces {
		space := report.Space{Name: s.Name, Size: s.Size}
		for _, o := range s.Objects {
			space.Parts = append(space.Parts, report.Piece{Name: o.Name, Offset: o.Offset, Size: o.Size})
		}
		link.Spaces = append(link.Spaces, space)
	}
	for _, fn := range a.Functions {
		call := report.Call{Name: fn.Name, Kernel: fn.Kernel, Registers: int(fn.Registers), Frame: fn.Frame, Stack: fn.Stack, Unbounded: fn.Unbounded}
		for _, to := range fn.Calls {
			call.Calls = append(call.Calls, a.Functions[to].Name)
		}
		link.Calls = append(link.Calls, call)
	}
	for _, s := range a.Sections {
		link.Sections = append(link.Sections, report.Extent{Name: s.Name, Size: s.Size})
	}
	return link
}
