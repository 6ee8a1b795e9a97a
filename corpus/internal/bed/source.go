package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// source is something that becomes objects: PTX or a CUDA file.
type source struct {
	family string
	path   string // of a CUDA source
	name   string
	text   []byte // of PTX
	flags  []string
}

// gather walks a path and takes what can be linked or compiled out of it.
func (b *bed) gather(ctx context.Context, family, root string) error {
	return filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return err
		}
		if !d.Type().IsRegular() {
			return nil
		}
		of := family
		if of == "" {
			of = strings.TrimSuffix(filepath.Base(root), filepath.Ext(root))
		}
		return b.take(ctx, of, name)
	})
}

// take takes one file by its extension.
func (b *bed) take(ctx context.Context, family, name string) error {
	base := filepath.Base(name)
	switch ext := filepath.Ext(base); {
	case ext == ".cubin":
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		b.add(family, base, base, data)
	case ext == ".ptx":
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		b.sources = append(b.sources, source{family: family, name: base, text: data})
	case ext == ".so" || ext == ".a" || ext == ".o" || ext == ".fatbin" || strings.Contains(base, ".so."):
		return b.extract(ctx, family, name)
	}
	return nil
}

// extract takes the cubins and PTX out of a library or host object.
func (b *bed) extract(ctx context.Context, family, name string) error {
	info, err := os.Stat(name)
	if err != nil || info.Size() > b.largest {
		if err == nil {
			b.note("%s: %d MB, left out", filepath.Base(name), info.Size()>>20)
		}
		return err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	base := filepath.Base(name)
	m, err := b.cache.get(keyOf("extract 1", string(data)), func() (*made, error) {
		tool, err := b.tools.Tool("", nvidia.Cuobjdump)
		if err != nil {
			return nil, err
		}
		m := &made{Files: map[string][]byte{}}
		for _, kind := range []string{"elf", "ptx"} {
			ext := map[string]string{"elf": "cubin", "ptx": "ptx"}[kind]
			res, err := tool.Run(ctx, nvidia.Job{
				Args: []string{"-x" + kind, "all", "in" + filepath.Ext(base)}, Inputs: []nvidia.File{{Name: "in" + filepath.Ext(base), Data: data, Aside: true}},
				Collect: "*." + ext, Limits: extractLimits,
			})
			if err != nil {
				return nil, err
			}
			for file, content := range res.Files {
				if kind == "ptx" {
					m.Files[file] = content
				} else if _, err := newObject(family, file, "", content); err == nil {
					m.Files[file] = content
				}
			}
		}
		return m, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", base, err)
	}
	for _, file := range m.Names {
		if path.Ext(file) == ".ptx" {
			b.sources = append(b.sources, source{family: family, name: file, text: m.Files[file]})
		} else {
			b.add(family, file, base, m.Files[file])
		}
	}
	return nil
}

// list reads a list of sources.
func (b *bed) list(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		family, rest, ok := strings.Cut(line, ":")
		if !ok {
			return fmt.Errorf("%s:%d: no NAME:", name, n)
		}
		var flags, files []string
		for _, word := range strings.Fields(rest) {
			if strings.HasPrefix(word, "-") {
				flags = append(flags, strings.ReplaceAll(word, "$DIR", filepath.Dir(name)))
			} else {
				files = append(files, filepath.Join(filepath.Dir(name), word))
			}
		}
		for _, file := range files {
			s := source{family: family, path: file, name: filepath.Base(file), flags: slices.Clone(flags)}
			if filepath.Ext(file) == ".ptx" {
				if s.text, err = os.ReadFile(file); err != nil {
					return err
				}
			}
			b.sources = append(b.sources, s)
		}
	}
	return lines.Err()
}
