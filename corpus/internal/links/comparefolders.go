package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// compareFolders compares, or with update writes, the files of the case folders, and finds those nobody asked for.
func (w *work) compareFolders() ([]string, error) {
	root := filepath.Join(w.root, w.program.Name)
	var list []string
	for name, data := range w.made {
		if data == nil {
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(name))
		old, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		switch {
		case err == nil && slices.Equal(old, data):
		case w.update:
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return nil, err
			}
			if err := os.WriteFile(file, data, 0o644); err != nil {
				return nil, err
			}
		case err != nil:
			list = append(list, fmt.Sprintf("%s/%s: not committed", w.program.Name, name))
		default:
			list = append(list, fmt.Sprintf("%s/%s: differs from offset %#x on", w.program.Name, name, firstDifference(old, data)))
		}
	}
	stale, err := w.stale(root)
	if err != nil {
		return nil, err
	}
	for _, name := range stale {
		if !w.update {
			list = append(list, fmt.Sprintf("%s/%s: nothing makes it", w.program.Name, name))
		} else if err := os.Remove(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			return nil, err
		}
	}
	sort.Strings(list)
	return list, nil
}

// stale lists files below the program's folder that no case mentions; sources lie in the folder itself.
func (w *work) stale(root string) ([]string, error) {
	var list []string
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if _, ok := w.made[name]; !ok && strings.Contains(name, "/") {
			list = append(list, name)
		}
		return nil
	})
	return list, err
}

func firstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
