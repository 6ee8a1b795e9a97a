package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/report"
)

// config is what the flags say.
type config struct {
	seed     uint64
	n        int
	releases []string // empty: all of nvidia.Standard that are installed
	arch     string
	tool     string // "": built
	keep     string
	format   string
	workers  int
}

func main() {
	var c config
	var releases string
	flag.Uint64Var(&c.seed, "seed", 1, "seed of the first case")
	flag.IntVar(&c.n, "n", 100, "number of cases")
	flag.StringVar(&releases, "release", "", "releases, separated by commas; default: all that are installed")
	flag.StringVar(&c.arch, "arch", "", "only this architecture")
	flag.StringVar(&c.tool, "tool", "", "twinlink, under the name nvlink; default: built from the module")
	flag.StringVar(&c.keep, "keep", "", "folder to keep inputs and outputs of all cases in")
	flag.StringVar(&c.format, "format", "text", "text or json")
	flag.IntVar(&c.workers, "j", 2, "cases at a time")
	flag.Parse()
	if releases != "" {
		c.releases = strings.Split(releases, ",")
	}
	if flag.NArg() > 0 || c.format != "text" && c.format != "json" {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := c.run(ctx)
	if err == nil {
		err = write(os.Stdout, r, c.format)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(2)
	}
	if r.Count().Differ > 0 {
		os.Exit(1)
	}
}

// run draws the cases, puts each to both linkers and returns a row for every link, in the order of the seeds.
func (c *config) run(ctx context.Context) (*report.Report, error) {
	tools, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		return nil, err
	}
	if err := c.choose(tools); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "live")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if c.tool == "" {
		if c.tool, err = build(ctx, dir); err != nil {
			return nil, err
		}
	} else if c.tool, err = filepath.Abs(c.tool); err != nil {
		return nil, err
	}
	judge := &court{tools, nvidia.Tool{Name: "nvlink", Path: c.tool}}

	rows, failures := make([][]report.Row, c.n), make([]error, c.n)
	var group sync.WaitGroup
	next := make(chan int)
	for range max(c.workers, 1) {
		group.Go(func() {
			for i := range next {
				rows[i], failures[i] = judge.run(ctx, draw(c.seed+uint64(i), c.releases, c.arch), c.keep)
			}
		})
	}
	for i := 0; i < c.n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	group.Wait()
	if err := errors.Join(append(failures, ctx.Err())...); err != nil {
		return nil, err
	}
	return &report.Report{Title: fmt.Sprintf("twinlink and nvlink on %d random programs from seed %d", c.n, c.seed), Rows: slices.Concat(rows...)}, nil
}

// choose settles the releases: those asked for, or else all that are here.
func (c *config) choose(tools *nvidia.Toolset) error {
	all := len(c.releases) == 0
	if all {
		c.releases = slices.Clone(nvidia.Standard[:])
	}
	var list []string
	for _, r := range c.releases {
		known, ok := architectures[r]
		if !ok {
			return fmt.Errorf("release %s is not one of %s", r, strings.Join(nvidia.Standard[:], ", "))
		}
		if c.arch != "" && !slices.Contains(known, c.arch) {
			if !all {
				return fmt.Errorf("release %s doesn't link for %s", r, c.arch)
			}
			continue
		}
		_, noLinker := tools.Tool(r, nvidia.Nvlink)
		_, noAssembler := tools.Tool(r, nvidia.Ptxas)
		if err := errors.Join(noLinker, noAssembler); err == nil {
			list = append(list, r)
		} else if !all {
			return err
		}
	}
	if c.releases = list; len(list) == 0 {
		return errors.New("no release of ptxas and nvlink is installed (make witness)")
	}
	return nil
}

// write prints the report: as text the sums by release and architecture, then what differs in full.
func write(w io.Writer, r *report.Report, format string) error {
	if format == "json" {
		return report.WriteJSON(w, r)
	}
	if err := writeSums(w, r); err != nil {
		return err
	}
	different := &report.Report{Title: "what differs"}
	for _, row := range r.Rows {
		if row.Verdict == report.Differ {
			different.Rows = append(different.Rows, row)
		}
	}
	if len(different.Rows) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return report.WriteText(w, different)
}
