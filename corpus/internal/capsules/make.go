package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// maker runs the tools.
type maker struct {
	set    *nvidia.Toolset
	corpus string            // the folder corpus
	made   map[string][]byte // by name of a cubin
	kept   map[string]corpus.Capsule
	absent []string // releases without tools
	update bool     // mutants that end in more than one way are marked
}

// keep takes the cubins of a release as they are committed.
func (m *maker) keep(release string, committed *corpus.CapsuleManifest) {
	m.absent = append(m.absent, release)
	for _, c := range committed.Cubins {
		if c.Release == release {
			m.kept[c.Name] = c
		}
	}
}

var (
	versionLine = regexp.MustCompile(`(?m)^\.version\s+\S+`)
	targetLine  = regexp.MustCompile(`(?m)^\.target\s+sm_[0-9a-z]+`)
)

// retarget makes a source one of a target, in the newest version of PTX that
// both releases read.
func retarget(text []byte, arch string) []byte {
	text = versionLine.ReplaceAll(text, []byte(".version 9.0"))
	return targetLine.ReplaceAll(text, []byte(".target "+arch))
}

// make makes one cubin; a nil result means that the tool refused, with what it said.
func (m *maker) make(ctx context.Context, c *corpus.Capsule) ([]byte, string, error) {
	if slices.Contains(m.absent, c.Release) {
		old, ok := m.kept[c.Name]
		if !ok {
			return nil, "not made, no tools of its release", nil
		}
		data, err := old.Data()
		return data, "", err
	}
	if c.Linked() {
		return m.link(ctx, c)
	}
	text, err := os.ReadFile(filepath.Join(m.corpus, filepath.FromSlash(c.Source)))
	if err != nil {
		return nil, "", err
	}
	tool, err := m.set.Tool(c.Release, nvidia.Ptxas)
	if err != nil {
		return nil, "", err
	}
	// -g writes the names of both files into the object.
	args := append([]string{"-arch=" + c.Arch}, c.Flags...)
	res, err := tool.Run(ctx, nvidia.Job{
		Args:    append(args, "a.ptx", "-o", "a.cubin"),
		Inputs:  []nvidia.File{{Name: "a.ptx", Data: retarget(text, c.Arch)}},
		Outputs: []string{"a.cubin"},
	})
	if err != nil {
		return nil, "", err
	}
	return res.Files["a.cubin"], string(res.Stderr), nil
}

func (m *maker) link(ctx context.Context, c *corpus.Capsule) ([]byte, string, error) {
	var inputs []nvidia.File
	for i, name := range c.Objects {
		if m.made[name] == nil {
			return nil, "no " + name, nil
		}
		inputs = append(inputs, nvidia.File{Name: fmt.Sprintf("in%d.cubin", i), Data: m.made[name]})
	}
	res, err := m.set.Link(ctx, c.Release, append([]string{"-arch=" + c.Arch}, c.Flags...), inputs)
	if err != nil {
		return nil, "", err
	}
	if res.Outcome != nvidia.Success {
		return nil, string(res.Stderr), nil
	}
	return res.Output, "", nil
}
