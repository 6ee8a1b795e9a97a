package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// patience is how long a link may take.
const patience = 5 * time.Second

// opponent is a linker that may die.
type opponent struct {
	name    string // "nvlink", "nvjitlink"
	release string
	// die links and says how the linker died, "" where it didn't.
	die func(ctx context.Context, args []string, files []nvidia.File) string
}

// nvlinks returns nvlink of some releases, those that are installed.
func nvlinks(ctx context.Context, releases []string) ([]opponent, error) {
	set, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		return nil, err
	}
	var list []opponent
	for _, release := range releases {
		if !slices.Contains(set.Releases(), release) {
			continue
		}
		tool, err := set.Tool(release, nvidia.Nvlink)
		if err != nil {
			return nil, err
		}
		list = append(list, opponent{"nvlink", release, func(ctx context.Context, args []string, files []nvidia.File) string {
			args = slices.Clone(args)
			for _, f := range files {
				args = append(args, f.Name)
			}
			res, err := tool.Run(ctx, nvidia.Job{Args: append(args, "-o", "out.cubin"), Inputs: files, Collect: "out.cubin", Limits: nvidia.Limits{Time: patience}})
			switch {
			case err != nil:
			case res.Outcome == nvidia.Crashed:
				return fmt.Sprintf("signal%d", int(res.Signal))
			case res.Outcome == nvidia.Hung:
				return "hang"
			}
			return ""
		}})
	}
	return list, nil
}

// signals are those that a library was seen to end its process by.
var signals = map[string]string{"SIGABRT": "signal6", "SIGBUS": "signal7", "SIGFPE": "signal8", "SIGSEGV": "signal11"}

// libraries returns nvJitLink of some releases. Each question that a worker dies at is put to a new one, so that
// what an earlier question broke is not counted.
func libraries(releases []string) []opponent {
	var list []opponent
	options := nvjitlink.Options{Limits: nvjitlink.Limits{Time: patience}}
	for _, lib := range nvjitlink.Find(options) {
		if !slices.Contains(releases, lib.Release) {
			continue
		}
		linker := nvjitlink.New(lib, options)
		list = append(list, opponent{"nvjitlink", lib.Release, func(ctx context.Context, args []string, files []nvidia.File) string {
			asked, err := nvjitlink.FromNvlink(lib.Release, args)
			if err != nil {
				return ""
			}
			q := nvjitlink.Question{Options: asked}
			for _, f := range files {
				q.Inputs = append(q.Inputs, nvjitlink.Input{Kind: nvjitlink.Cubin, Name: f.Name, Data: f.Data})
			}
			res, err := linker.Link(ctx, q)
			switch {
			case err != nil:
			case res.Outcome == nvjitlink.Crashed:
				if way, ok := signals[res.Signal]; ok {
					return way
				}
				return "ends"
			case res.Outcome == nvjitlink.Hung:
				return "hang"
			}
			return ""
		}})
	}
	return list
}
