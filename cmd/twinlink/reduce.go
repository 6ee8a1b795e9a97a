package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz/reduce"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/diff"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/oracle/check"
)

func reduceCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "reduce FOLDER",
		GroupID: groupProject,
		Short:   "Make a link on which linkers part as small as it can be",
		Long: `Reads a link from a folder: a file "command" with "nvlink RELEASE" and then one
argument a line, and the inputs, as fuzzing saves what it finds. Leaves out
options, modules, sections, records and symbols as long as the engine, nvlink of
that release (where it is installed) and the checker part in the same way, and
writes the rest to a new folder, named by its content.

Exit status: 0 written, 1 they don't part, 2 wrong use.`,
		Example: "  twinlink reduce fuzz/testdata/divergences/1f0c77ab2e31",
		Args:    exactly(1, "reduce takes a folder"),
	}
	out := c.Flags().StringP("output", "o", ".", "folder for the new one")
	limit := c.Flags().Int("limit", 2000, "how often the linkers are asked at most")
	c.RunE = func(c *cobra.Command, args []string) error { return runReduce(c.Context(), args[0], *out, *limit, s) }
	return c
}

func runReduce(ctx context.Context, dir, out string, limit int, s streams) error {
	start, err := reduce.Load(dir)
	if err != nil {
		return err
	}
	set, err := nvidia.Find(ctx, nvidia.Options{})
	var none *nvidia.NotFoundError
	if err != nil && !errors.As(err, &none) {
		return err
	}
	var opinions opinions
	if set != nil && slices.Contains(set.Releases(), start.Release) {
		opinions.set = set
	}
	key := opinions.key(ctx, start)
	if key == "" {
		fmt.Fprintf(s.out, "%s: all agree\n", dir)
		return exitStatus(exitDiffer)
	}
	small, stats := reduce.Reduce(ctx, start, opinions.key, limit)
	folder := out + "/" + small.Hash()
	story := fmt.Sprintf("%s\nfrom %s, %d bytes; asked %d times\n", key, dir, start.Size(), stats.Asked)
	if err := small.Save(folder, story); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: %s: %d of %d bytes, %d of %d inputs, %s\n", folder, key, small.Size(), start.Size(), len(small.Inputs), len(start.Inputs), strings.Join(small.Options, " "))
	return nil
}

// opinions are whom a link is put to.
type opinions struct{ set *nvidia.Toolset }

// key tells how they part, "" where they don't.
func (o opinions) key(ctx context.Context, c *reduce.Case) string {
	image, text, err := engineOf(c)
	if err != nil {
		return "engine: " + err.Error()
	}
	if o.set != nil {
		var files []nvidia.File
		for _, in := range c.Inputs {
			files = append(files, nvidia.File{Name: in.Name, Data: in.Data})
		}
		res, err := o.set.Link(ctx, c.Release, c.Options, files)
		if err != nil {
			return ""
		}
		switch {
		case res.Outcome == nvidia.Crashed:
			return fmt.Sprintf("nvlink dies of signal %d", int(res.Signal))
		case res.Outcome == nvidia.Hung:
			return "nvlink hangs"
		case res.Outcome == nvidia.Success && image == nil:
			return "engine refuses: " + general(text)
		case res.Outcome == nvidia.Refused && image != nil:
			return "nvlink refuses: " + general(res.Message())
		case res.Outcome == nvidia.Success && !bytes.Equal(image, res.Output):
			return "image: " + firstDifferenceOf(image, res.Output)
		case res.Outcome == nvidia.Refused:
			return ""
		}
	}
	if image == nil {
		return ""
	}
	return oracleOf(c, image)
}

// engineOf links; an error is a panic, or a refusal that says nothing.
func engineOf(c *reduce.Case) (image []byte, text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %s", general(fmt.Sprint(p)))
		}
	}()
	cmd, err := commandOf(c)
	if err != nil {
		return nil, err.Error(), nil
	}
	var in []engine.Input
	for _, f := range c.Inputs {
		in = append(in, engine.Input{Name: f.Name, Data: f.Data})
	}
	out, err := engine.Link(in, cmd.Options)
	if err != nil {
		return nil, err.Error(), nil
	}
	return out.Image, "", nil
}

func commandOf(c *reduce.Case) (*cmdline.Command, error) {
	release, ok := cmdline.ParseRelease(c.Release)
	if !ok {
		return nil, badUsage("release %q is not known", c.Release)
	}
	return cmdline.Parse(release, c.Args(), func(string) ([]byte, error) { return nil, fs.ErrNotExist })
}

func oracleOf(c *reduce.Case, image []byte) string {
	cmd, err := commandOf(c)
	if err != nil {
		return ""
	}
	var in []check.Input
	for _, f := range c.Inputs {
		in = append(in, check.Input{Name: f.Name, Data: f.Data})
	}
	v := check.Check(in, image, checkOptions(cmd))
	if v.Total == 0 {
		return ""
	}
	return "oracle: " + v.Findings[0].Kind.String()
}

// checkOptions are the options that show in an output, as the oracle is told them.
func checkOptions(cmd *cmdline.Command) check.Options {
	o := &cmd.Options
	return check.Options{Arch: o.Arch, Toolkit: o.Toolkit, Relocatable: o.Relocatable, PreserveRelocs: o.PreserveRelocs, Debug: o.Debug,
		ForceRela: o.ForceRela, KernelsUsed: o.KernelsUsed, VariablesUsed: o.VariablesUsed}
}

var particular = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`'[^']*'|0x[0-9a-f]+|\d+|\S+\.cubin`)
})

// general is the first line of a message without names and numbers.
func general(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return particular().ReplaceAllString(line, "_")
}

// firstDifferenceOf names the kind of the first difference of two images: without names and numbers.
func firstDifferenceOf(a, b []byte) string {
	list, err := diff.Compare(diff.Input{Name: "engine", Data: a}, diff.Input{Name: "nvlink", Data: b})
	if err != nil || len(list) == 0 {
		return "bytes"
	}
	parts := strings.Split(list[0].Key, ".")
	return parts[0] + " " + particular().ReplaceAllString(parts[len(parts)-1], "_")
}
