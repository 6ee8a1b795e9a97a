package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/splitmix"
)

// programsIn returns a maker of links for dir, and the folders of programs that match a
// pattern in an order drawn by seed.
func programsIn(ctx context.Context, dir, pattern string, seed uint64) (*maker, []string, error) {
	programs, err := filepath.Glob(pattern)
	if err != nil {
		return nil, nil, err
	}
	if len(programs) == 0 {
		return nil, nil, fmt.Errorf("no programs in %q", pattern)
	}
	m, err := newMaker(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	order := splitmix.New(seed)
	for i := range programs {
		j := i + order.Below(len(programs)-i)
		programs[i], programs[j] = programs[j], programs[i]
	}
	return m, programs, nil
}

// realAll makes the links of n programs that are as PTX in folders, one a program:
// from/PROGRAM/*.ptx.
func realAll(ctx context.Context, dir, from string, seed uint64, n int) error {
	m, programs, err := programsIn(ctx, dir, filepath.Join(from, "*"), seed)
	if err != nil {
		return err
	}
	failed, made, refused := 0, 0, 0
	for i := range n {
		p, err := m.assemble(ctx, programs[i%len(programs)], seed+uint64(i))
		if err != nil {
			failed++
			fmt.Fprintf(os.Stderr, "%d: %v\n", seed+uint64(i), err)
			continue
		}
		y, x, err := m.linkCpp(ctx, p)
		if err != nil {
			return err
		}
		made, refused = made+y, refused+x
	}
	fmt.Printf("%d programs not assembled, %d links made, %d refused\n", failed, made, refused)
	return nil
}

var (
	ptxTarget = regexp.MustCompile(`(?m)^\.target sm_([0-9]+)([a-z]?)(, debug)?`)
	ptxEntry  = regexp.MustCompile(`\.entry\s+([\w$]+)`)
)

// assemble makes the cubins of a program by releases and for a target that the seed
// draws.
func (m *maker) assemble(ctx context.Context, folder string, seed uint64) (*cpp, error) {
	r := splitmix.New(seed)
	p := &cpp{seed: seed, targets: targets, newest: splitmix.Pick(r, m.linkers("11.8", "12.4", "13.0", "13.0", "13.5"))}
	files, err := filepath.Glob(filepath.Join(folder, "*.ptx"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no PTX", folder)
	}
	var texts []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	if p.newest, p.arch, err = drawTarget(r, p.newest, texts); err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	p.mixed = r.OneIn(5)
	for i, text := range texts {
		ptxas := p.newest
		if older := splitmix.Pick(r, []string{"11.8", "12.4", "13.0"}); p.mixed && older < p.newest && slices.Contains(targets[older], p.arch) {
			ptxas = older
		}
		for _, k := range ptxEntry.FindAllStringSubmatch(text, -1) {
			p.kernels = append(p.kernels, k[1])
		}
		flags := []string{"-arch=" + p.arch, "-c"}
		if ptxTarget.FindStringSubmatch(text)[3] != "" {
			flags = append(flags, "-g")
		} else if strings.Contains(text, "\n\t.loc\t") {
			flags = append(flags, "-lineinfo")
		}
		if v := ptxVersions[ptxas]; v != "" {
			text = ptxVersion.ReplaceAllString(text, ".version "+v)
		}
		name := fmt.Sprintf("m%d", i)
		res, err := m.tools.Assemble(ctx, ptxas, flags, nvidia.File{Name: name + ".ptx", Data: []byte(text)})
		if err != nil {
			return nil, err
		}
		if res.Outcome != nvidia.Success {
			return nil, fmt.Errorf("%s: ptxas %s: %.200s", folder, ptxas, res.Message())
		}
		p.inputs = append(p.inputs, nvidia.File{Name: name + ".cubin", Data: res.Output})
	}
	return p, nil
}

// drawTarget draws an architecture that runs all of a program, and a ptxas that knows it.
func drawTarget(r *splitmix.Random, release string, texts []string) (string, string, error) {
	least := 0
	for _, text := range texts {
		t := ptxTarget.FindStringSubmatch(text)
		if t == nil || t[2] != "" {
			return "", "", fmt.Errorf("a target that is not drawn from: %v", t)
		}
		n, _ := strconv.Atoi(t[1])
		least = max(least, n)
	}
	for _, v := range []string{release, "13.0", "13.5"} {
		var list []string
		for _, a := range targets[v] {
			if n, _ := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(a, "sm_"), "a")); v >= release && n >= least {
				list = append(list, a)
			}
		}
		if len(list) > 0 {
			return v, splitmix.Pick(r, list), nil
		}
	}
	return "", "", fmt.Errorf("no release knows sm_%d", least)
}
