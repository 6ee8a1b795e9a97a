package main

import (
	"fmt"
	"io"
	"os"

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
repeated. An --ignore that matches no difference is reported.

Exit status: 0 same, 1 different or an --ignore without use, 2 a file that can't
be opened, 3 a file that is no cubin.`,
		Example: "  twinlink diff a.cubin b.cubin\n  twinlink diff --ignore 'section..note.*' a.cubin b.cubin",
		Args:    exactly(2, "diff takes two files"),
	}
	var filter diff.Filter
	c.Flags().StringArrayVar(&filter.Only, "only", nil, "show differences under this key alone")
	c.Flags().StringArrayVar(&filter.Ignore, "ignore", nil, "leave differences under this key out")
	style := choose(c, "format", "how to print", "text", "json")
	c.RunE = func(_ *cobra.Command, args []string) error {
		different, err := compare(args[0], args[1], filter, style.value, s)
		if err == nil && different {
			return exitStatus(exitDiffer)
		}
		return err
	}
	return c
}

// compare prints differences and reports whether there are any.
func compare(a, b string, filter diff.Filter, style string, s streams) (bool, error) {
	var in [2]diff.Input
	for i, name := range [...]string{a, b} {
		data, err := os.ReadFile(name)
		if err != nil {
			return false, err
		}
		in[i] = diff.Input{Name: name, Data: data}
	}
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
	for _, p := range useless {
		fmt.Fprintf(s.err, "twinlink: --ignore %s matches no difference\n", p)
	}
	return len(list) > 0 || len(useless) > 0, nil
}
