package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/diff"
)

func diffCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "diff A B",
		GroupID: groupLook,
		Short:   "Print how two cubins differ",
		Long: `Prints how two cubins differ, a line for each difference under a dotted key.
--only and --ignore take a key, in which * stands for any characters, and may be
repeated. An --ignore that matches no difference is reported. --ignore note
leaves out the note that records the linker's command line, and where things
stand, which it moves: so links in other folders compare.

Exit status: 0 same, 1 different or an --ignore without use, 2 a file that can't
be opened, 3 a file that is no cubin.`,
		Example: "  twinlink diff a.cubin b.cubin\n  twinlink diff --ignore note a.cubin b.cubin\n  twinlink diff --arch sm_90 old/libx.a new/libx.a",
		Args:    exactly(2, "diff takes two files"),
	}
	var filter diff.Filter
	c.Flags().StringArrayVar(&filter.Only, "only", nil, "show differences under this key alone")
	c.Flags().StringArrayVar(&filter.Ignore, "ignore", nil, "leave differences under this key out")
	style := choose(c, "format", "how to print", "text", "json")
	pick := chooseMembers(c)
	c.RunE = func(_ *cobra.Command, args []string) error {
		different, err := pick.compare(args[0], args[1], filter, style.value, s)
		if err == nil && different {
			return exitStatus(exitDiffer)
		}
		return err
	}
	return c
}

// noteKeys are what the note of the linker's command line changes: itself, and
// where everything behind it stands.
var noteKeys = []string{"note.*", "section.note.nv.tkinfo.*", "section.*.offset", "program.*.offset", "program.*.filesz", "program.*.memsz",
	"header.phoff", "header.shoff", "file.size"}

// expandNote makes noteKeys of "note".
func expandNote(f diff.Filter) (diff.Filter, bool) {
	i := slices.Index(f.Ignore, "note")
	if i < 0 {
		return f, false
	}
	f.Ignore = append(slices.Delete(slices.Clone(f.Ignore), i, i+1), noteKeys...)
	return f, true
}

// compare prints differences and reports whether there are any.
func (w *choosing) compare(a, b string, filter diff.Filter, style string, s streams) (bool, error) {
	var in [2]diff.Input
	for i, name := range [...]string{a, b} {
		p, err := w.one(name)
		if err != nil {
			return false, err
		}
		in[i] = diff.Input{Name: p.name, Data: p.data}
	}
	filter, withoutNote := expandNote(filter)
	all, err := diff.Compare(in[0], in[1])
	if err != nil {
		return false, err
	}
	list, useless := filter.Apply(all)
	print := func(w io.Writer, list []diff.Difference) error { return diff.Text(w, list) }
	if style == "json" {
		print = diff.JSON
	}
	if err := print(s.out, list); err != nil {
		return false, err
	}
	useless = slices.DeleteFunc(useless, func(p string) bool { return withoutNote && slices.Contains(noteKeys, p) })
	for _, p := range useless {
		fmt.Fprintf(s.err, "twinlink: --ignore %s matches no difference\n", p)
	}
	return len(list) > 0 || len(useless) > 0, nil
}
