package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var updateOutputs = flag.Bool("update-outputs", false, "write testdata/outputs.tsv anew")

// What commands print of a file that no other tool prints is held by sums: of the exit status, what was said and the files
// that were written, over files of the corpus, every second one of them damaged. A change of a sum isn't wrong; whoever
// makes it looks at what the command says now and before, and writes the sums again:
//
//	go test ./cmd/twinlink -run TestOutputs -update-outputs
//
// The commands here are those that judge nothing: what "verify", "selfcheck" and "link" say has other tests.
const outputsFile = "testdata/outputs.tsv"

// outputCommands are the commands; A and B are files.
var outputCommands = []string{
	"dump A", "dump --format json A", "dump --only header,notes,symbols A", "capsule A", "capsule --format json A",
	"capsule rebuild A -o out/file", "diff A B", "diff --format json A B", "diff --format markdown A B", "diff --format html A B",
	"diff --format sarif A B", "diff --format junit A B", "list A", "list --format json A", "extract A -o out",
	"stack A", "stack --all A", "stack --all --format json A", "finalize -arch sm_103 A -o out/file", "finalize -arch sm_121 A",
}

// outputFiles are the files that a command may get.
func outputFiles(t *testing.T) []string {
	var list []string
	for _, root := range []string{"../../corpus/testdata", "testdata"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err == nil && !e.IsDir() && (ext == ".cubin" || ext == ".fatbin") {
				list = append(list, filepath.ToSlash(path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// archiveOf puts files into an archive.
func archiveOf(files ...[]byte) []byte {
	b := []byte("!<arch>\n")
	for i, f := range files {
		b = fmt.Appendf(b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", fmt.Sprintf("m%d.o/", i), 0, 0, 0, 0o644, len(f))
		if b = append(b, f...); len(b)%2 != 0 {
			b = append(b, '\n')
		}
	}
	return b
}

// damaged is a file with what question n does to it.
func damaged(data, other []byte, random *rand.Rand) []byte {
	data = slices.Clone(data)
	kind := random.IntN(8)
	if kind == 7 {
		data = archiveOf(data, other)
		kind = random.IntN(7)
	}
	if kind < 4 || len(data) == 0 {
		return data
	}
	if kind == 6 {
		return data[:random.IntN(len(data))]
	}
	values := []byte{0, 1, 2, 4, 8, 0x10, 0x40, 0x7f, 0x80, 0xfe, 0xff, ' ', '/', '9'}
	for range 1 + random.IntN(3) {
		at := random.IntN(len(data))
		switch random.IntN(3) {
		case 0:
			at = random.IntN(min(len(data), 160))
		case 1: // the section table is at the end of most files
			at = len(data) - 1 - random.IntN(min(len(data), 1600))
		}
		data[at] = values[random.IntN(len(values))]
	}
	return data
}

// outputOf runs a command and returns its exit status and the sum of all that came out.
func outputOf(t *testing.T, n int, command string, a, b []byte) (int, string) {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(n), 20261123))
	a = damaged(a, b, random)
	for name, data := range map[string][]byte{"A": a, "B": b} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll("out"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("out", 0o755); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	exit := run(append([]string{"twinlink"}, strings.Fields(command)...), streams{&stdout, &stderr})
	h := sha256.New()
	fmt.Fprintf(h, "%d %s %s", exit, stdout.String(), stderr.String())
	err := filepath.WalkDir("out", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var data []byte
			data, err = os.ReadFile(path)
			fmt.Fprintf(h, "%s %d %s", filepath.ToSlash(path), len(data), data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return exit, hex.EncodeToString(h.Sum(nil)[:6])
}

// TestOutputs wants of commands that only show something what they said before.
func TestOutputs(t *testing.T) {
	if *updateOutputs {
		updateAllOutputs(t)
	}
	text, err := os.ReadFile(outputsFile)
	if err != nil {
		t.Fatal(err)
	}
	asIfAlone(t)
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	exits := map[int]int{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		n, err := strconv.Atoi(f[0])
		if line[0] == '#' || err == nil && testing.Short() && n%3 != 0 {
			continue
		}
		if err != nil || len(f) != 6 {
			t.Fatalf("outputs.tsv: %q", line)
		}
		var files [2][]byte
		for i, name := range f[2:4] {
			if files[i], err = os.ReadFile(filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
		}
		exit, sum := outputOf(t, n, f[1], files[0], files[1])
		if exits[exit]++; strconv.Itoa(exit) != f[4] || sum != f[5] {
			t.Errorf("%s: twinlink %s, A from %s, B from %s: exit %d, sum %s; was %s, %s", f[0], f[1], f[2], f[3], exit, sum, f[4], f[5])
		}
	}
	if exits[0] < 100 || exits[1] < 20 || exits[2] < 20 {
		t.Errorf("exit states %v: the files aren't of all kinds", exits)
	}
}

// asIfAlone hides tools that are installed here.
func asIfAlone(t *testing.T) {
	t.Setenv("TWINLINK_WITNESS", t.TempDir())
	t.Setenv("TWINLINK_CUDA", "")
	t.Setenv("PATH", t.TempDir())
}

func updateAllOutputs(t *testing.T) {
	files := outputFiles(t)
	random := rand.New(rand.NewPCG(20261123, 2))
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# What commands print, as sums: number, command, files, exit status, sum (see outputs_test.go)\n")
	t.Run("update", func(t *testing.T) {
		asIfAlone(t)
		t.Chdir(t.TempDir())
		for n := range 2400 {
			command := outputCommands[n%len(outputCommands)]
			x := random.IntN(len(files))
			y := min(x+random.IntN(3), len(files)-1) // its neighbours are links of the same
			var data [2][]byte
			for i, k := range []int{x, y} {
				if data[i], err = os.ReadFile(filepath.Join(folder, files[k])); err != nil {
					t.Fatal(err)
				}
			}
			exit, sum := outputOf(t, n, command, data[0], data[1])
			fmt.Fprintf(&b, "%d\t%s\t%s\t%s\t%d\t%s\n", n, command, files[x], files[y], exit, sum)
		}
	})
	if err := os.WriteFile(outputsFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
