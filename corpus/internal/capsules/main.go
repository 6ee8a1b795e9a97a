// Command capsules regenerates corpus/testdata/capsules with NVIDIA's tools, 13.0 and 13.5,
// and compares it with what is committed; differences go to standard output and
// make the exit status 1. With -update the files are written instead.
package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/nvidia"
)

func main() {
	root := flag.String("corpus", filepath.Join("corpus", "testdata"), "the folder of the corpus")
	update := flag.Bool("update", false, "write what differs instead of listing it")
	flag.Parse()
	same, err := run(context.Background(), *root, *update)
	if err != nil {
		fmt.Fprintln(os.Stderr, "capsules:", err)
		os.Exit(1)
	}
	if !same {
		os.Exit(1)
	}
}

// releases are those of the tools that the corpus needs.
var releases = []string{"13.0", "13.5"}

// patience is how long a link may take; one that hangs takes it twice.
const patience = 10 * time.Second

func run(ctx context.Context, root string, update bool) (same bool, err error) {
	set, err := nvidia.Find(ctx, nvidia.Options{Limits: nvidia.Limits{Time: patience}})
	if err != nil {
		return false, err
	}
	m := &maker{set: set, corpus: root, update: update, made: map[string][]byte{}, kept: map[string]corpus.Capsule{}}
	committed, err := corpus.CommittedCapsules()
	if err != nil {
		return false, err
	}
	manifest := &corpus.CapsuleManifest{Schema: 1, Tools: map[string]string{}}
	for _, r := range releases {
		tool, err := set.Tool(r, nvidia.Ptxas)
		if err != nil && !update {
			fmt.Printf("note: no tools of %s; their results are left unchanged\n", r)
			manifest.Tools[r] = committed.Tools[r]
			m.keep(r, committed)
			continue
		}
		if err != nil {
			return false, err
		}
		manifest.Tools[r] = "ptxas and nvlink " + tool.Version.String()
	}
	for _, c := range plan() {
		data, said, err := m.make(ctx, &c)
		if err != nil {
			return false, fmt.Errorf("%s: %w", c.Name, err)
		}
		if data == nil {
			fmt.Printf("note: %s: %.100q\n", c.Name, said)
			continue
		}
		sum := sha256.Sum256(data)
		c.SHA256, m.made[c.Name] = hex.EncodeToString(sum[:]), data
		manifest.Cubins = append(manifest.Cubins, c)
	}
	archive, err := pack(manifest, m.made)
	if err != nil {
		return false, err
	}
	text, err := encode(manifest)
	if err != nil {
		return false, err
	}
	edited, err := mutants(manifest, m.made)
	if err != nil {
		return false, err
	}
	arch := map[string]string{}
	for i := range manifest.Cubins {
		arch[manifest.Cubins[i].Name] = manifest.Cubins[i].Arch
	}
	if err := m.ask(ctx, edited, arch); err != nil {
		return false, err
	}
	answers, err := encodeMutants(&corpus.MutantManifest{Schema: 1, Tools: manifest.Tools, Mutants: edited})
	if err != nil {
		return false, err
	}
	return compareOrWrite(filepath.Join(root, "capsules"), update, []file{{"manifest.json", text}, {"capsules.zip", archive}, {"mutants.json", answers}})
}

// encode writes a manifest with one line for each cubin.
func encode(m *corpus.CapsuleManifest) ([]byte, error) {
	return lines(m.Schema, m.Tools, "cubins", m.Cubins)
}

func encodeMutants(m *corpus.MutantManifest) ([]byte, error) {
	return lines(m.Schema, m.Tools, "mutants", m.Mutants)
}

func lines[T any](schema int, tools map[string]string, key string, list []T) ([]byte, error) {
	var b bytes.Buffer
	text, err := json.Marshal(tools)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "{\"schema\":%d,\"tools\":%s,%q:[", schema, text, key)
	for i := range list {
		line, err := json.Marshal(&list[i])
		if err != nil {
			return nil, err
		}
		sep := ",\n"
		if i == 0 {
			sep = "\n"
		}
		b.WriteString(sep)
		b.Write(line)
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}

// pack makes the archive, in the order of the manifest and without times.
func pack(m *corpus.CapsuleManifest, made map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range m.Cubins {
		name := m.Cubins[i].Name
		w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".cubin", Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(made[name]); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

type file struct {
	name string
	data []byte
}

// compareOrWrite compares files with those in a folder, or writes them.
func compareOrWrite(folder string, update bool, files []file) (same bool, err error) {
	same = true
	for _, f := range files {
		path := filepath.Join(folder, f.name)
		old, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return false, err
		}
		if bytes.Equal(old, f.data) {
			continue
		}
		if !update {
			fmt.Println("differs:", path)
			show(old, f.data)
			same = false
			continue
		}
		if err := os.WriteFile(path, f.data, 0o666); err != nil {
			return false, err
		}
		fmt.Println("written:", path)
	}
	return same, nil
}

// show prints the lines of a text that differ, a few of them.
func show(old, now []byte) {
	before := bytes.Split(old, []byte("\n"))
	shown := 0
	for line := range bytes.Lines(now) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if !slices.ContainsFunc(before, func(b []byte) bool { return bytes.Equal(b, line) }) && utf8.Valid(line) {
			fmt.Printf("now: %.800s\n", line)
			if shown++; shown == 5 {
				return
			}
		}
	}
}
