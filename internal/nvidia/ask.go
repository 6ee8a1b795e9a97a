package nvidia

import (
	"bytes"
	"context"
	"os"
	"sync"
	"time"
)

// identity tells one state of a binary from another without reading it.
type identity struct {
	path  string
	size  int64
	mtime time.Time
}

// answers holds what --version said: identity → Version. A tool that failed is
// asked again each time, since the reason may have passed.
var answers sync.Map

// ask finds out the version of the binary at path, which must be the tool
// called name. The error is an *UnfitError, or ctx's.
func ask(ctx context.Context, name, path string) (Version, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Version{}, &UnfitError{path, "no such tool", err}
	}
	if !isProgram(info) {
		return Version{}, &UnfitError{Path: path, Reason: "not an executable file"}
	}
	if self, err := os.Executable(); err == nil {
		if s, err := os.Stat(self); err == nil && os.SameFile(s, info) {
			return Version{}, &UnfitError{Path: path, Reason: "this program itself"}
		}
	}
	key := identity{path, info.Size(), info.ModTime()}
	if v, ok := answers.Load(key); ok {
		return v.(Version), nil
	}
	res, err := Tool{Name: name, Path: path}.Run(ctx, Job{
		Args:   []string{"--version"},
		Limits: Limits{Time: 10 * time.Second, Text: 64 << 10},
	})
	if ctx.Err() != nil {
		return Version{}, ctx.Err()
	}
	if err != nil {
		return Version{}, &UnfitError{path, "does not run", err}
	}
	if res.Outcome != Success {
		return Version{}, &UnfitError{Path: path, Reason: "--version: " + res.Outcome.String()}
	}
	// A linker that goes by nvlink's name, this project's own to begin with,
	// may give a version and must not be taken for NVIDIA's.
	if !bytes.HasPrefix(res.Stdout, []byte(name+": NVIDIA (R)")) {
		return Version{}, &UnfitError{Path: path, Reason: "--version is not that of NVIDIA's " + name}
	}
	v, ok := parseVersion(res.Stdout)
	if !ok {
		return Version{}, &UnfitError{Path: path, Reason: "cannot parse --version output"}
	}
	answers.Store(key, v)
	return v, nil
}
