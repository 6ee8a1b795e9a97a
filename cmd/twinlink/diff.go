package main

import (
	"fmt"
	"io"
	"os"

	"github.com/twinlink/twinlink/internal/diff"
)

const diffUsage = `Usage: twinlink diff [-only KEY] [-ignore KEY] [-format text|json] A B

Prints how two cubins differ, a line for each difference under a dotted key.
-only and -ignore take a key, in which * stands for any characters, and may be
repeated. An -ignore that matches no difference is reported.

Exit status: 0 same, 1 different or an -ignore without use, 2 trouble.
`

func diffFiles(args []string, s streams) int {
	f := flags("diff", diffUsage, s)
	style := format(f)
	var filter diff.Filter
	f.Func("only", "", appendTo(&filter.Only))
	f.Func("ignore", "", appendTo(&filter.Ignore))
	if status, done := parse(f, args); done {
		return status
	}
	if f.NArg() != 2 {
		f.Usage()
		return exitUsage
	}
	different, err := compare(f.Arg(0), f.Arg(1), filter, *style, s)
	switch {
	case err != nil:
		fmt.Fprintf(s.err, "twinlink: %s\n", err)
		return exitUsage
	case different:
		return exitFailed
	}
	return exitOK
}

func appendTo(list *[]string) func(string) error {
	return func(v string) error {
		*list = append(*list, v)
		return nil
	}
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
		fmt.Fprintf(s.err, "twinlink: -ignore %s matches no difference\n", p)
	}
	return len(list) > 0 || len(useless) > 0, nil
}
