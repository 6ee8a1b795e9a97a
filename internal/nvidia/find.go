package nvidia

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Options says where to look. The zero value searches as the package comment
// says.
type Options struct {
	// Paths of binaries; "" searches. One that is unfit is an error, not a
	// reason to take another.
	Nvlink, Ptxas, Cuobjdump, Nvdisasm string

	Dir    string              // where the walk up to go.mod begins; "": the working directory
	Getenv func(string) string // nil: os.Getenv
	Limits Limits              // for the runs of the Toolset's own methods

	// Scratch is where runs have their folders; "": the system's for temporary files.
	Scratch string
}

func (o Options) path(name string) string {
	switch name {
	case Nvlink:
		return o.Nvlink
	case Ptxas:
		return o.Ptxas
	case Cuobjdump:
		return o.Cuobjdump
	case Nvdisasm:
		return o.Nvdisasm
	}
	return ""
}

// candidate is a path that may be a tool.
type candidate struct {
	Tool
	demanded bool // named by an option or a variable: must be fit
	err      error
}

// Find looks for the tools and asks each its version. That nothing is found is
// no error: the Toolset is empty, and its methods say so.
//
// Errors: *UnfitError where a path that the caller or the environment named
// does not serve; ctx's error.
func Find(ctx context.Context, opts Options) (*Toolset, error) {
	if opts.Getenv == nil {
		opts.Getenv = os.Getenv
	}
	set := &Toolset{limits: opts.Limits}
	var found []candidate
	for _, name := range Names {
		if p := opts.path(name); p != "" {
			found = append(found, candidate{Tool: Tool{Name: name, Path: p, Origin: FromOption}, demanded: true})
		}
		variable := "TWINLINK_" + strings.ToUpper(name)
		if p := opts.Getenv(variable); p != "" {
			found = append(found, candidate{Tool: Tool{Name: name, Path: p, Origin: FromEnvironment}, demanded: true})
		}
	}
	folder, err := WitnessFolder(opts)
	if err != nil {
		return nil, err
	}
	if folder != "" {
		set.folder = folder
		set.looked = append(set.looked, folder)
		found = append(found, inFolder(folder)...)
	}
	set.looked = append(set.looked, "PATH")
	found = append(found, onPath(opts.Getenv("PATH"))...)

	askAll(ctx, found)
	for _, c := range found {
		var unfit *UnfitError
		switch {
		case c.err == nil:
			c.scratch = opts.Scratch
			set.tools = append(set.tools, c.Tool)
		case !c.demanded && errors.As(c.err, &unfit):
			set.unfit = append(set.unfit, unfit)
		default:
			return nil, c.err
		}
	}
	return set, nil
}

// askAll fills in the version of each candidate, or its error. Several run at a
// time: a first start reads 50 MB from disk.
func askAll(ctx context.Context, found []candidate) {
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range found {
		c := &found[i]
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if c.Path, c.err = filepath.Abs(c.Path); c.err != nil {
				return
			}
			if c.Version, c.err = ask(ctx, c.Name, c.Path); c.err != nil {
				return
			}
			if c.folder != "" && !c.isReader() && c.Version.Release() != c.folder {
				c.err = &UnfitError{Path: c.Path, Reason: "is of release " + c.Version.Release()}
			}
		})
	}
	all.Wait()
}

// WitnessFolder returns the folder that holds one folder a release, "" where
// there is none.
func WitnessFolder(opts Options) (string, error) {
	if opts.Getenv == nil {
		opts.Getenv = os.Getenv
	}
	if f := opts.Getenv("TWINLINK_WITNESS"); f != "" {
		info, err := os.Stat(f)
		if err != nil {
			return "", &UnfitError{f, "TWINLINK_WITNESS is set to it", err}
		}
		if !info.IsDir() {
			return "", &UnfitError{Path: f, Reason: "TWINLINK_WITNESS is set to it, and it is not a folder"}
		}
		return f, nil
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			f := filepath.Join(dir, ".witness")
			if info, err := os.Stat(f); err == nil && info.IsDir() {
				return f, nil
			}
			return "", nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", nil
		}
		dir = up
	}
}

// inFolder lists the tools of each release's folder, oldest release first.
func inFolder(folder string) (found []candidate) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var releases []string
	for _, e := range entries {
		if folderName().MatchString(e.Name()) {
			releases = append(releases, e.Name())
		}
	}
	slices.SortFunc(releases, compareReleases)
	for _, r := range releases {
		for _, name := range Names {
			p := filepath.Join(folder, r, executable(name))
			if _, err := os.Stat(p); err == nil {
				found = append(found, candidate{Tool: Tool{Name: name, Path: p, Origin: FromFolder, folder: r}})
			}
		}
	}
	return found
}

// onPath lists the first binary of each name on a search path. Relative entries
// are omitted: what the working directory holds is no tool.
func onPath(list string) (found []candidate) {
	for _, name := range Names {
		for _, dir := range filepath.SplitList(list) {
			if !filepath.IsAbs(dir) {
				continue
			}
			p := filepath.Join(dir, executable(name))
			if info, err := os.Stat(p); err == nil && isProgram(info) {
				found = append(found, candidate{Tool: Tool{Name: name, Path: p, Origin: FromPath}})
				break
			}
		}
	}
	return found
}

func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

func isProgram(info os.FileInfo) bool {
	return info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}
