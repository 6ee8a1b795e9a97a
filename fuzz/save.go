package fuzz

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/fuzz/opinion"
)

// What a target finds is kept under a folder, testdata as a rule:
//
//	fuzz/TARGET/HASH       the input, where go test takes it for a seed
//	divergences/HASH       a folder: story.txt, with what every witness says and the
//	                       commands that repeat it; a link's inputs and its file
//	                       "command" for reduce and promote, else the input
//	divergences/keys.tsv   a line for each: key, hash, size, what is wrong
//
// HASH is the content's. Of those with one key, the smallest is kept: while the fuzzer shrinks an input it fails many
// times over, and one fault fails in many ways.

// keysFile is the index of what was found.
const keysFile = "keys.tsv"

// Found is a divergence that was saved.
type Found struct {
	Key  string // with the target's name in front
	Hash string
	Size int // of the input, or of a link's files
	What string
}

// Save keeps a divergence, unless there is a smaller one with its key. It returns the folder of the one that is kept.
func (d *Divergence) Save(ctx context.Context, dir, target string, input []byte) (string, error) {
	found := Found{Key: target + "-" + d.Key, Hash: d.hash(target, input), Size: len(input), What: strings.ReplaceAll(d.What, "\n", " ")}
	if d.Link != nil {
		found.Size = d.Link.Size()
	}
	place := filepath.Join(dir, "divergences")
	list, err := ReadFound(place)
	if err != nil {
		return "", err
	}
	if i := slices.IndexFunc(list, func(f Found) bool { return f.Key == found.Key }); i >= 0 {
		was := list[i]
		if was.Hash == found.Hash || was.Size <= found.Size {
			return filepath.Join(place, was.Hash), nil
		}
		if err := os.RemoveAll(filepath.Join(place, was.Hash)); err != nil {
			return "", err
		}
		_ = os.Remove(filepath.Join(dir, "fuzz", target, was.Hash)) // it may have been promoted, or moved
		list = slices.Delete(list, i, i+1)
	}
	if err := d.write(ctx, filepath.Join(place, found.Hash), target, found.Hash, input); err != nil {
		return "", err
	}
	seeds := filepath.Join(dir, "fuzz", target)
	if err := os.MkdirAll(seeds, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(seeds, found.Hash), fmt.Appendf(nil, "go test fuzz v1\n[]byte(%q)\n", input), 0o644); err != nil {
		return "", err
	}
	return filepath.Join(place, found.Hash), writeFound(place, append(list, found))
}

// hash names the case by its content.
func (d *Divergence) hash(target string, input []byte) string {
	if d.Link != nil {
		return d.Link.Hash()
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s", target, input)
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// write fills the folder of a divergence.
func (d *Divergence) write(ctx context.Context, folder, target, hash string, input []byte) error {
	again := fmt.Sprintf("\nagain: go test ./fuzz -run '^%s$/^%s$'\n", target, hash)
	if d.Link == nil {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "input"), input, 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "target"), []byte(target+"\n"), 0o644); err != nil {
			return err
		}
		again += fmt.Sprintf("into the corpus: go run ./cmd/twinlink promote %s --why TEXT\n", hash)
		return os.WriteFile(filepath.Join(folder, "story.txt"), []byte(d.Error()+again), 0o644)
	}
	opinions, err := opinion.Find(ctx)
	if err != nil {
		return err
	}
	all := Divergence{Key: d.Key, What: d.What, Traces: slices.Clone(d.Traces)}
	for _, t := range opinions.Traces(ctx, d.Link) {
		all.Traces = append(all.Traces, Trace{t.Witness + ", asked again", t.Text})
	}
	again += fmt.Sprintf("smaller: go run ./cmd/twinlink reduce fuzz/testdata/divergences/%s\ninto the corpus: go run ./cmd/twinlink promote %s --why TEXT\n", hash, hash)
	return d.Link.Save(folder, all.Error()+again)
}

// ReadFound reads what was saved below a folder; one that isn't there has nothing. An entry whose folder is gone is left
// out.
func ReadFound(dir string) ([]Found, error) {
	text, err := os.ReadFile(filepath.Join(dir, keysFile))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Found
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("%s: %d fields, want 4", filepath.Join(dir, keysFile), len(f))
		}
		size, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, keysFile), err)
		}
		if _, err := os.Stat(filepath.Join(dir, f[1])); err == nil {
			list = append(list, Found{f[0], f[1], size, f[3]})
		}
	}
	return list, nil
}

// writeFound puts the index in place whole: the fuzzer's processes share it.
func writeFound(dir string, list []Found) error {
	slices.SortFunc(list, func(a, b Found) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Hash, b.Hash)) })
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s\t%s\t%d\t%s\n", f.Key, f.Hash, f.Size, strings.ReplaceAll(f.What, "\t", " "))
	}
	t, err := os.CreateTemp(dir, keysFile)
	if err != nil {
		return err
	}
	_, err = t.WriteString(b.String())
	if err := cmp.Or(err, t.Close()); err != nil {
		return err
	}
	return os.Rename(t.Name(), filepath.Join(dir, keysFile))
}
