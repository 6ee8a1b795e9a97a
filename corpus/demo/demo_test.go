package demo

import (
	"archive/zip"
	"bytes"
	"flag"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/corpus/internal/manifest"
)

var update = flag.Bool("update", false, "write links.zip anew")

// wanted are the cases that the archive has to hold.
func wanted(t *testing.T) []corpus.Program {
	t.Helper()
	all, err := corpus.Links()
	if err != nil {
		t.Fatal(err)
	}
	var list []corpus.Program
	for _, p := range all {
		if !slices.Contains(programs, p.Name) {
			continue
		}
		p.Cases = slices.DeleteFunc(slices.Clone(p.Cases), func(c corpus.Case) bool { return !shown(c.Name) || !c.Complete() })
		list = append(list, p)
	}
	return list
}

// shown reports whether a case is one without options: its name is a release and an architecture.
func shown(name string) bool { return strings.Count(name, "-") == 1 }

func TestArchive(t *testing.T) {
	want := wanted(t)
	if *update {
		write(t, want)
	}
	got, err := Links()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("links.zip is not what the corpus has; go test ./corpus/demo -update writes it")
	}
	if len(archive) > 1<<20 {
		t.Errorf("%d bytes in every twinlink", len(archive))
	}
}

// write packs the manifest's part and the files that it names.
func write(t *testing.T, want []corpus.Program) {
	t.Helper()
	folder := filepath.Join("..", "testdata", "links")
	text, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	keep := map[string]bool{}
	for _, p := range want {
		for _, c := range p.Cases {
			keep[c.ID()] = true
		}
	}
	names := []string{}
	m.Programs = slices.DeleteFunc(m.Programs, func(p manifest.Program) bool { return !slices.Contains(programs, p.Name) })
	for i := range m.Programs {
		p := &m.Programs[i]
		p.Cases = slices.DeleteFunc(p.Cases, func(c manifest.Case) bool { return !keep[p.Name+"/"+c.Name] })
		for _, s := range p.Sources {
			names = append(names, path.Join(p.Name, s))
		}
		for _, c := range p.Cases {
			files := []string{c.Output, c.Stderr}
			for _, in := range c.Inputs {
				files = append(files, in.File)
			}
			for _, f := range files {
				if f != "" {
					names = append(names, path.Join(p.Name, f))
				}
			}
		}
	}
	slices.Sort(names)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	add := func(name string, data []byte) {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("manifest.json", m.Format())
	for _, name := range slices.Compact(names) {
		data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		add(name, data)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	archive = out.Bytes()
	if err := os.WriteFile("links.zip", archive, 0o644); err != nil {
		t.Fatal(err)
	}
}
