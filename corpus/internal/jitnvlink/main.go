// Command jitnvlink answers as the nvlink of a release of which only nvJitLink is to be had: it puts
// its command line to that library. Built as RELEASE/nvlink of a witness folder it lets corpus/internal/links make
// corpus/testdata/first; the name of the folder tells the release.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/internal/nvjitlink/worker"
)

func main() {
	worker.Main()
	program, err := os.Executable()
	if err == nil {
		err = run(context.Background(), filepath.Base(filepath.Dir(program)), os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, release string, args []string) error {
	lib, err := nvjitlink.Release(nvjitlink.Options{}, release)
	if err != nil {
		return err
	}
	if len(args) == 1 && args[0] == "--version" {
		fmt.Printf("Build nvJitLink of %s\n", lib.Release)
		return nil
	}
	var q nvjitlink.Question
	var options []string
	out := ""
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-o" && i+1 < len(args):
			i++
			out = args[i]
		case strings.HasSuffix(args[i], ".cubin"):
			data, err := os.ReadFile(args[i])
			if err != nil {
				return err
			}
			q.Inputs = append(q.Inputs, nvjitlink.Input{Kind: nvjitlink.Cubin, Name: args[i], Data: data})
		default:
			options = append(options, args[i])
		}
	}
	if q.Options, err = nvjitlink.FromNvlink(release, options); err != nil {
		return err
	}
	linker := nvjitlink.New(lib, nvjitlink.Options{Self: true})
	defer linker.Close()
	results, err := linker.Ask(ctx, []nvjitlink.Question{q})
	if err != nil {
		return err
	}
	if r := &results[0]; r.Outcome != nvjitlink.Linked || r.Complained() {
		return errors.New(r.Message())
	}
	return os.WriteFile(out, results[0].Output, 0o644)
}
