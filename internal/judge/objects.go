package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// objectsAll makes the links of up to n programs that are as cubins in folders, one a
// program: from/RELEASE-ARCH-NAME/*.cubin, RELEASE that of the newest compiler.
func objectsAll(ctx context.Context, dir, from string, seed uint64, n int) error {
	m, programs, err := programsIn(ctx, dir, filepath.Join(from, "*-sm_*-*"), seed)
	if err != nil {
		return err
	}
	made, refused := 0, 0
	for i := range min(n, len(programs)) {
		name := strings.SplitN(filepath.Base(programs[i]), "-", 3)
		p := &cpp{seed: seed + uint64(i), arch: name[1], newest: name[0], targets: map[string][]string{}}
		for v, list := range targets {
			if v >= p.newest {
				p.targets[v] = append(slices.Clone(list), p.arch)
			}
		}
		files, err := filepath.Glob(filepath.Join(programs[i], "*.cubin"))
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return fmt.Errorf("%s: no cubins", programs[i])
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			p.inputs = append(p.inputs, nvidia.File{Name: filepath.Base(f), Data: data})
		}
		y, x, err := m.linkCpp(ctx, p)
		if err != nil {
			return err
		}
		made, refused = made+y, refused+x
	}
	fmt.Printf("%d links made, %d refused\n", made, refused)
	return nil
}
