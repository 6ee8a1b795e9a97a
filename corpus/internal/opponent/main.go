// Command opponent looks for inputs on which NVIDIA's nvlink or nvJitLink crashes or hangs, and writes one small file for each way in
// which it does.
//
//	go run ./corpus/internal/opponent -from 0 -n 2000 -o corpus/testdata/opponent
//
// Question n of the kind "edits" of package fuzz is a recorded link with some fields of its files changed. Where nvlink
// dies, changes are taken back and options and inputs omitted as long as it dies in the same way. What is left is
// a signature: the release, the signal (or "hang"), the stage and the fields that were changed. Stage is "read" where
// the file alone with -r is enough, and "link" else. A signature is written once, as FILE.txt with the command, the file
// of the corpus and the bytes to change in it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/twinlink/twinlink/fuzz"
)

// config is what the flags say.
type config struct {
	from, n  uint64
	out      string
	releases []string
	jit      []string
	limit    time.Duration
}

func main() {
	c := config{}
	releases, jit := "", ""
	flag.Uint64Var(&c.from, "from", 0, "number of the first question")
	flag.Uint64Var(&c.n, "n", 1000, "how many")
	flag.StringVar(&c.out, "o", "corpus/testdata/opponent", "folder for signatures")
	flag.StringVar(&releases, "release", "11.8,12.4,13.0,13.5", "releases of nvlink; those that know the link's objects are run")
	flag.StringVar(&jit, "library", "", "releases of nvJitLink to run instead")
	flag.DurationVar(&c.limit, "limit", 0, "begin no question after this time")
	flag.Parse()
	c.releases, c.jit = strings.Split(releases, ","), strings.Split(jit, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "opponent:", err)
		os.Exit(1)
	}
}

func (c *config) run(ctx context.Context) error {
	opponents := libraries(c.jit)
	if len(opponents) == 0 {
		var err error
		if opponents, err = nvlinks(ctx, c.releases); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(c.out, 0o755); err != nil {
		return err
	}
	kind := fuzz.KindOf("edits")
	began := time.Now()
	asked, died, found := 0, 0, 0
	for i := c.from; i < c.from+c.n && ctx.Err() == nil && (c.limit == 0 || time.Since(began) < c.limit); i++ {
		q, err := kind.Question(i)
		if err != nil {
			return err
		}
		for k := range opponents {
			if opponents[k].release < q.Release {
				continue
			}
			asked++
			one := newTrial(&opponents[k], &q)
			way := one.die(ctx, one.edits)
			if way == "" {
				continue
			}
			died++
			one.reduce(ctx, way)
			s := one.signature(ctx, way)
			name := filepath.Join(c.out, s.name()+".txt")
			if _, err := os.Stat(name); err == nil {
				continue
			}
			found++
			if err := os.WriteFile(name, []byte(s.text()), 0o644); err != nil {
				return err
			}
			fmt.Printf("%d %s\n", i, s.name())
		}
	}
	fmt.Printf("opponent: %d runs, %d died, %d new signatures, %.0f s\n", asked, died, found, time.Since(began).Seconds())
	if asked == 0 {
		return fmt.Errorf("no tool was run")
	}
	return nil
}
