package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// limit is how long a tool may take: the slowest case of the corpus needs a fraction of a second.
const limit = time.Minute

// tools is a folder with one folder of NVIDIA's programs for each release.
type tools struct{ root string }

func witnessRoot(flag string) string {
	if flag != "" {
		return flag
	}
	if env := os.Getenv("TWINLINK_WITNESS"); env != "" {
		return env
	}
	return ".witness"
}

// result is what a tool did.
type result struct {
	exit   int
	stdout []byte
	stderr []byte
}

// missingTool says that a tool isn't there.
type missingTool struct {
	release, tool string
	err           error
}

func (e *missingTool) Error() string {
	return fmt.Sprintf("no %s of release %s: %v", e.tool, e.release, e.err)
}

func (e *missingTool) Unwrap() error { return e.err }

// run starts a tool in dir. A tool that is missing, dies of a signal or takes too long is an error; a refusal is not.
func (t tools) run(release, tool, dir string, args ...string) (result, error) {
	file, err := filepath.Abs(filepath.Join(t.root, release, tool))
	if err != nil {
		return result{}, err
	}
	if _, err := os.Stat(file); err != nil {
		return result{}, &missingTool{release, tool, err}
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, file, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	err = cmd.Run()
	res := result{exit: cmd.ProcessState.ExitCode(), stdout: stdout.Bytes(), stderr: stderr.Bytes()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return res, fmt.Errorf("%s %s of release %s: no answer in %v", tool, strings.Join(args, " "), release, limit)
	case errors.As(err, &exit) && res.exit >= 0:
		return res, nil
	case err != nil:
		return res, fmt.Errorf("%s %s of release %s: %w", tool, strings.Join(args, " "), release, err)
	}
	return res, nil
}

// version returns the line that tells the build, "Build cuda_12.4.r12.4/compiler.34097967_0".
func (t tools) version(release, tool string) (string, error) {
	res, err := t.run(release, tool, "", "--version")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(res.stdout)) {
		if strings.HasPrefix(line, "Build ") {
			return strings.TrimSpace(line), nil
		}
	}
	return "", fmt.Errorf("%s of release %s: no build in its version", tool, release)
}

// archive returns the cubin of an architecture in a library that is beside the tools of a release.
func (t tools) archive(release, member string) ([]byte, error) {
	library, arch, ok := strings.Cut(member, "/")
	if !ok {
		return nil, fmt.Errorf("%s: want LIBRARY/ARCH", member)
	}
	file, err := filepath.Abs(filepath.Join(t.root, release, library))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("%s of release %s: %w", library, release, err)
	}
	dir, err := os.MkdirTemp("", "regen")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	res, err := t.run(release, "cuobjdump", dir, "-xelf", "all", file)
	if err != nil {
		return nil, err
	}
	found, err := filepath.Glob(filepath.Join(dir, "*."+arch+".cubin"))
	if err != nil {
		return nil, err
	}
	if res.exit != 0 || len(found) != 1 {
		return nil, fmt.Errorf("%s of release %s: %d cubins for %s", library, release, len(found), arch)
	}
	return os.ReadFile(found[0])
}
