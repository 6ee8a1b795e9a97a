package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/twinlink/twinlink/internal/dump"
)

var dumpUsage = `Usage: twinlink dump [-only PART,...] [-format text|json] FILE...

Prints what cubins hold: names for numbers, symbols for indices, fields for
relocations. Parts: ` + strings.Join(dump.PartNames(), ", ") + `.
`

// flags returns a set that prints usage and an error to s.err.
func flags(name, usage string, s streams) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(s.err)
	f.Usage = func() { fmt.Fprint(s.err, usage) }
	return f
}

// format adds -format.
func format(f *flag.FlagSet) *string {
	value := "text"
	f.Func("format", "", func(v string) error {
		if v != "text" && v != "json" {
			return errors.New("must be text or json")
		}
		value = v
		return nil
	})
	return &value
}

// parse reads flags; done is true where the command is over, with a status.
func parse(f *flag.FlagSet, args []string) (status int, done bool) {
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK, true
	case err != nil:
		return exitUsage, true
	}
	return exitOK, false
}

func dumpFiles(args []string, s streams) int {
	f := flags("dump", dumpUsage, s)
	style := format(f)
	parts := dump.Part(dump.All)
	f.Func("only", "", func(v string) (err error) {
		parts, err = dump.ParseParts(v)
		return err
	})
	if status, done := parse(f, args); done {
		return status
	}
	if f.NArg() == 0 {
		f.Usage()
		return exitUsage
	}
	status := exitOK
	for i, name := range f.Args() {
		if i > 0 && *style == "text" {
			fmt.Fprintln(s.out)
		}
		if err := dumpFile(name, parts, *style, s.out); err != nil {
			fmt.Fprintf(s.err, "twinlink: %s\n", err)
			status = exitFailed
		}
	}
	return status
}

func dumpFile(name string, parts dump.Part, style string, w io.Writer) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	model, err := dump.Read(name, data, parts)
	if err != nil {
		return err
	}
	if style == "json" {
		return dump.JSON(w, model)
	}
	return dump.Text(w, model)
}
