package relocs

import (
	"fmt"
	"io/fs"
	"iter"
	"sync"

	"github.com/twinlink/twinlink/corpus"
)

// File is one file of the corpus.
type File struct {
	Name     string // "main-sm_75-11.8.json"
	Text     []byte
	Template *Template
	Groups   []Group
}

var load = sync.OnceValues(func() ([]File, error) {
	m, err := Templates()
	if err != nil {
		return nil, err
	}
	data, err := corpus.Relocs()
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(data, "data")
	if err != nil {
		return nil, err
	}
	var files []File
	for _, e := range entries {
		text, err := fs.ReadFile(data, "data/"+e.Name())
		if err != nil {
			return nil, err
		}
		t, groups, err := Parse(m, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		files = append(files, File{e.Name(), text, t, groups})
	}
	return files, nil
})

// Files returns the corpus, file by file. It is shared: callers must not change
// it.
func Files() ([]File, error) { return load() }

// Vectors yields all vectors in the order of the files. It panics where the
// embedded data can't be read, which the tests of this package rule out.
func Vectors() iter.Seq[*Vector] {
	files, err := load()
	if err != nil {
		panic("relocs: " + err.Error())
	}
	return func(yield func(*Vector) bool) {
		for _, f := range files {
			for _, g := range f.Groups {
				for _, v := range g.Vectors {
					if !yield(v) {
						return
					}
				}
			}
		}
	}
}
