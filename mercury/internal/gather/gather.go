// Package gather has ptxas compile lines of PTX and reads the Mercury of what
// comes out.
package gather

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/mercury/internal/probe"
	"github.com/twinlink/twinlink/mercury/internal/ptx"
)

// Job is one way to compile.
type Job struct {
	Release string   // of ptxas
	Version string   // of the PTX
	Target  string   // sm_100a
	Options []string // -O1
}

// batch is the number of lines that one run of ptxas gets.
const batch = 64

// Lines compiles lines, those that ptxas refuses omitted, and calls found for
// each cubin with the lines in it.
func Lines(ctx context.Context, tools *nvidia.Toolset, job Job, lines []string, found func(lines []string, cubin []byte) error, refused func(line, why string)) error {
	for len(lines) > 0 {
		n := min(batch, len(lines))
		if err := compile(ctx, tools, job, lines[:n], found, refused); err != nil {
			return err
		}
		lines = lines[n:]
	}
	return nil
}

var lineNumber = regexp.MustCompile(`line (\d+);`)

func compile(ctx context.Context, tools *nvidia.Toolset, job Job, lines []string, found func([]string, []byte) error, refused func(string, string)) error {
	if len(lines) == 0 {
		return nil
	}
	args := append([]string{"-c", "-arch=" + job.Target}, job.Options...)
	text, ends := ptx.Module(job.Version, job.Target, lines)
	res, err := tools.Assemble(ctx, job.Release, args, nvidia.File{Name: "k.ptx", Data: []byte(text)})
	if err != nil {
		return err
	}
	if res.Outcome == nvidia.Success {
		return found(lines, res.Output)
	}
	if len(lines) == 1 {
		refused(lines[0], res.Message())
		return nil
	}
	// ptxas names the lines of most that it refuses; what it says nothing of
	// is found by halving.
	bad := map[int]bool{}
	for _, m := range lineNumber.FindAllSubmatch(res.Stderr, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		if i, found := slices.BinarySearch(ends, n); found {
			bad[i+1] = true
		} else if i < len(lines) {
			bad[i] = true
		}
	}
	if len(bad) > 0 {
		var good []string
		for i, l := range lines {
			if bad[i] {
				refused(l, res.Message())
			} else {
				good = append(good, l)
			}
		}
		return compile(ctx, tools, job, good, found, refused)
	}
	half := len(lines) / 2
	if err := compile(ctx, tools, job, lines[:half], found, refused); err != nil {
		return err
	}
	return compile(ctx, tools, job, lines[half:], found, refused)
}

// Sample is a stored node that ptxas wrote.
type Sample struct {
	SM     int
	Record string
	Words  string
}

// Samples returns the stored nodes of a cubin, but for those to which a
// relocation is still to be applied.
func Samples(cubin []byte) ([]Sample, error) {
	sm, pairs, err := probe.Pairs(cubin)
	if err != nil {
		return nil, fmt.Errorf("gather: %w", err)
	}
	var out []Sample
	for _, p := range pairs {
		if p.Kind == 'R' && !p.Relocated {
			out = append(out, Sample{sm, string(p.Record), string(p.Words)})
		}
	}
	return out, nil
}

// Plain returns the words of the PLAIN nodes of a cubin, but for those to which
// a relocation is still to be applied.
func Plain(cubin []byte) ([]Sample, error) {
	sm, pairs, err := probe.Pairs(cubin)
	if err != nil {
		return nil, fmt.Errorf("gather: %w", err)
	}
	var out []Sample
	for _, p := range pairs {
		if p.Kind == 'P' && !p.Relocated {
			out = append(out, Sample{SM: sm, Words: string(p.Words)})
		}
	}
	return out, nil
}
