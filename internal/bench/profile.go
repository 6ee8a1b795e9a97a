//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"runtime/pprof"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/biglink"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// profilePath is the profile that twinlink is built with, seen from the root.
const profilePath = "cmd/twinlink/link.pgo"

// profiled is how often each link is made for a profile: a thousand samples.
const profiled = 30

// writeProfile links what speed measures, over and over, and writes where the time
// goes: the compiler inlines what is called most.
func writeProfile(path string) (err error) {
	b := &bench{}
	if b.tools, err = nvidia.Find(context.Background(), nvidia.Options{}); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	var links [][]engine.Input
	for i := range manyFunctions {
		s := &manyFunctions[i]
		template, err := b.module(s)
		if err != nil {
			return err
		}
		modules, err := biglink.Copies(template, s.modules, func(i int) int { return s.next(i, s.modules) })
		if err != nil {
			return err
		}
		var list []engine.Input
		for _, data := range modules {
			list = append(list, engine.Input{Name: "module", Data: data})
		}
		links = append(links, list)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for range profiled {
		for i, list := range links {
			if _, err := engine.LinkTo(nowhere{}, list, engine.Options{Arch: manyFunctions[i].target}); err != nil {
				return err
			}
		}
	}
	return nil
}

// nowhere takes an image and forgets it.
type nowhere struct{}

func (nowhere) WriteAt(b []byte, _ int64) (int, error) { return len(b), nil }
