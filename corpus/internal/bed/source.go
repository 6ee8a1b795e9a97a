package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/internal/container"
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
		return b.take(of, name)
	})
}

// take takes one file by its extension.
func (b *bed) take(family, name string) error {
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
		return b.extract(family, name)
	}
	return nil
}

// extract takes the cubins and PTX out of a library or host object. The names
// that they get say their place in it and the architecture.
func (b *bed) extract(family, name string) error {
	info, err := os.Stat(name)
	if err != nil || info.Size() > b.largest {
		if err == nil {
			b.note("%s: %d MB, skipped", filepath.Base(name), info.Size()>>20)
		}
		return err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	base := filepath.Base(name)
	f, err := container.Open(base, data, container.Options{})
	if err != nil {
		b.note("%v", err)
		return nil
	}
	stem, _, _ := strings.Cut(base, ".")
	for i := range f.Members {
		m := &f.Members[i]
		if m.Kind != container.PTX && m.Kind != container.Cubin || m.Size > largestObject {
			continue
		}
		content, err := m.Data(container.NewBudget(len(data)))
		if err != nil {
			b.note("%v", err)
			continue
		}
		file := fmt.Sprintf("%s.%d.sm_%s", stem, i, m.Arch)
		if m.Kind == container.PTX {
			b.sources = append(b.sources, source{family: family, name: file + ".ptx", text: bytes.Clone(content)})
		} else {
			b.add(family, file+".cubin", base, bytes.Clone(content))
		}
	}
	return nil
}

// openArchives takes the objects out of archives that close links, into a list of their own.
func (b *bed) openArchives(ctx context.Context) error {
	const family = "archives"
	for _, name := range b.archives {
		if err := b.gather(ctx, family, name); err != nil {
			return err
		}
	}
	b.closing = b.pool[family]
	delete(b.pool, family)
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
			return fmt.Errorf("%s:%d: no NAME with a colon", name, n)
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
