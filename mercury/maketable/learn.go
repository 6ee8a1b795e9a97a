package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/mercury"
	"github.com/twinlink/twinlink/mercury/internal/learn"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

// job is how tags are learned.
type job struct {
	links   int    // a form is given up after so many; 0: never
	parts   string // folder of forms that are done
	verbose bool
}

// tools ask nvlink, by SM. One goroutine may use them at a time.
type tools struct {
	oracles map[int]*probe.Oracle
	readers map[int]*probe.Reader
	budget  *probe.Budget // of all of them
}

func newTools(ctx context.Context, links int) (*tools, error) {
	t := &tools{oracles: map[int]*probe.Oracle{}, readers: map[int]*probe.Reader{}}
	if links > 0 {
		t.budget = &probe.Budget{}
	}
	brief, err := probe.Tools(ctx)
	if err != nil {
		return nil, err
	}
	for _, sm := range asked {
		arch := fmt.Sprintf("sm_%d", sm)
		if t.oracles[sm], err = newOracle(ctx, brief, sm); err != nil {
			return nil, err
		}
		if t.readers[sm], err = probe.NewReader(ctx, brief, nvlinkRelease, arch); err != nil {
			return nil, err
		}
		t.oracles[sm].Budget, t.readers[sm].Budget = t.budget, t.budget
	}
	return t, nil
}

// newOracle returns one that tells registers which nvlink chose itself.
func newOracle(ctx context.Context, tools *nvidia.Toolset, sm int) (*probe.Oracle, error) {
	o, err := probe.NewOracle(ctx, tools, nvlinkRelease, fmt.Sprintf("sm_%d", sm))
	if err == nil {
		o.Twice = true
	}
	return o, err
}

// links counts what was asked so far.
func (t *tools) links() (n int) {
	for _, o := range t.oracles {
		n += o.Links
	}
	for _, r := range t.readers {
		n += r.Links
	}
	return n
}

// learnAll learns tags, as many at once as there are processors: each is learned for
// itself. Nearly all the time nvlink is waited for.
func learnAll(ctx context.Context, tags []uint32, samples map[uint32][]learn.Sample, j job) (map[uint32]string, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	text, todo := map[uint32]string{}, make(chan uint32)
	var lock sync.Mutex
	var failed error
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(tags)) {
		wait.Go(func() {
			t, err := newTools(ctx, j.links)
			for tag := range todo {
				var lines string
				if err == nil {
					lines, err = j.learn(ctx, tag, samples[tag], t)
				}
				lock.Lock()
				text[tag] = lines
				fmt.Fprintf(os.Stderr, "%d of %d\n", len(text), len(tags))
				lock.Unlock()
				if err != nil {
					stop()
				}
			}
			lock.Lock()
			defer lock.Unlock()
			if failed == nil || errors.Is(failed, context.Canceled) {
				failed = err
			}
		})
	}
	for _, tag := range tags {
		todo <- tag
	}
	close(todo)
	wait.Wait()
	return text, failed
}

// opcodeShare is by how much fewer links an opcode gets than a tag: those that come to anything need
// some ten.
const opcodeShare = 8

// learn learns a tag, or gives it up; what is kept of such a one is an empty file.
func (j job) learn(ctx context.Context, tag uint32, samples []learn.Sample, t *tools) (string, error) {
	file := ""
	if j.parts != "" {
		file = filepath.Join(j.parts, fmt.Sprintf("%08x.tsv", tag))
		b, err := os.ReadFile(file)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return string(b), err
		}
	}
	if t.budget != nil {
		t.budget.Left = j.links
		if tag < firstTag {
			t.budget.Left /= opcodeShare
		}
	}
	before, start := t.links(), time.Now()
	text, err := form(ctx, tag, samples, t, j.verbose)
	state := ""
	if errors.Is(err, probe.ErrBudget) {
		state, err = ", given up", nil
	}
	if err != nil {
		return "", err
	}
	if _, err := mercury.Parse(text); err != nil {
		// Such as a key of more bits than a table may have.
		text, state = "", ", omitted: "+err.Error()
	}
	fmt.Fprintf(os.Stderr, "%08x %d samples, %d lines, %d links, %v%s\n",
		tag, len(samples), strings.Count(text, "\n"), t.links()-before, time.Since(start).Round(time.Millisecond), state)
	if file != "" {
		err = os.WriteFile(file, []byte(text), 0o644)
	}
	return text, err
}

// form learns the rules of a tag, or of an opcode.
func form(ctx context.Context, tag uint32, samples []learn.Sample, t *tools, verbose bool) (string, error) {
	trace := func(string, ...any) {}
	if verbose {
		trace = func(f string, a ...any) { fmt.Fprintf(os.Stderr, "\t"+f+"\n", a...) }
	}
	if tag >= firstTag {
		return learn.Form(ctx, tag, samples, t.oracles, trace)
	}
	words := make([][]byte, len(samples))
	for i, s := range samples {
		words[i] = s.Words
	}
	return learn.PlainForm(ctx, uint64(tag), words, t.readers, trace)
}
