package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/answers"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// The links of corpus/testdata/reached are of programs that package ptxgen makes of a number. Of thousands those were kept
// whose link came to a side of a condition in the engine, or to a limit, that no test had come to; so do kernels, and one
// function, that call 160 functions, and kernels of instructions drawn from a list of ours. Of nvlink's answers sums are kept:
//
//	program release options files exit image text key code
//
// A program is target/seed, with ptxas' release and options; its files are in objects.zip, where one that isn't a cubin
// keeps the end of its name: .o is a host object, .a an archive. Links of other programs change recorded ones: NAME is then
// what was done, such as an edit of a section's flags, and the program. key as in answers.tsv. Where the
// image differs, as most do whose kernels are rescheduled, code has a sum of each section of code in nvlink's image,
// with a ! before those that are other ones here; after such a sum stand six bits of a sum of each instruction, with a !
// before those that are other ones here. What is nvlink's has to stay so. A change of a rule may lose one instruction and
// gain ten: -update writes the marks again and says how many there are. own.tsv has sums of the lines that nvlink doesn't have,
// of links that have some; -update writes them too.
//
//	go test ./cmd/twinlink -run TestReached -reached LIST     asks nvlink about more links and adds them: a JSON list of
//	                                                          {"program", "release", "args", "inputs"}
var (
	addReached    = flag.String("reached", "", "file with links to be put to nvlink and added to corpus/testdata/reached")
	reachedFolder = flag.String("reached-folder", "../../corpus/testdata/reached", "folder of TestReached")
)

func readReached(t *testing.T) ([]answers.Reached, map[string][]byte) {
	t.Helper()
	list, objects, err := answers.ReadReached(*reachedFolder)
	if os.IsNotExist(err) && *addReached != "" {
		return nil, map[string][]byte{}
	}
	if err != nil {
		t.Fatal(err)
	}
	return list, objects
}

// TestReached wants what nvlink did of the links that come to places in the engine that no other test comes to.
func TestReached(t *testing.T) {
	list, objects := readReached(t)
	if *addReached != "" {
		list = askReached(t, list, objects)
	}
	if len(list) == 0 {
		t.Fatal("no link")
	}
	folder, err := filepath.Abs(*reachedFolder)
	if err != nil {
		t.Fatal(err)
	}
	said, err := answers.Sums(filepath.Join(folder, "own.tsv"))
	anew := *addReached != "" || *updateAnswers
	if err != nil && !anew {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	same, marks, own := 0, 0, ""
	for i := range list {
		l := &list[i]
		r := ours(t, l.Question(objects))
		key := differs(&l.Outcome, "", r)
		switch {
		case anew && r.own != "":
			own += l.ID() + "\t" + r.own + "\n"
		case !anew && r.own != said[l.ID()] && os.Getenv("TWINLINK_EXACT") != "":
			t.Errorf("%s, nvlink %s %v: lines of our own are other ones: %s", l.Program, l.Release, l.Args, r.text)
		}
		if anew {
			l.Key = key
		}
		if anew && key != "image" {
			l.Code = nil
		}
		code := codeOf(r.image)
		for j, c := range l.Code {
			marked, lost := answers.Compare(c, code)
			switch {
			case anew:
				l.Code[j] = marked
			case lost != "":
				t.Errorf("%s, nvlink %s %v: %s of %s is not nvlink's any more", l.Program, l.Release, l.Args, lost, c)
			case marked != c && os.Getenv("TWINLINK_EXACT") != "":
				t.Errorf("%s, nvlink %s %v: more is nvlink's now in %s", l.Program, l.Release, l.Args, c)
			}
			marks += strings.Count(l.Code[j], "!")
		}
		if key == "" {
			same++
		}
		if key != l.Key && (key != "" || os.Getenv("TWINLINK_EXACT") != "") {
			t.Errorf("%s, nvlink %s %v: %q, listed %q", l.Program, l.Release, l.Args, key, l.Key)
		}
	}
	t.Logf("%d of %d as nvlink; in the others %d sections and instructions are not", same, len(list), marks)
	if anew {
		writeReached(t, folder, list, objects)
		write(t, filepath.Join(folder, "own.tsv"), own)
	}
}

// codeOf returns the sections of code in an image: none where it isn't one, as where nvlink died before it was written.
func codeOf(image []byte) []answers.Code {
	list, err := answers.CodeOf(image)
	if err != nil {
		return nil
	}
	return list
}

func askReached(t *testing.T, list []answers.Reached, objects map[string][]byte) []answers.Reached {
	set, err := nvidia.Find(t.Context(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(*addReached)
	if err != nil {
		t.Fatal(err)
	}
	var more []answers.Reached
	if err := json.Unmarshal(text, &more); err != nil {
		t.Fatal(err)
	}
	for _, l := range more {
		for i, path := range l.Inputs {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			l.Inputs[i] = answers.Sum(data) + strings.TrimSuffix(filepath.Ext(path), ".cubin")
			objects[l.Inputs[i]] = data
		}
		if slices.ContainsFunc(list, func(have answers.Reached) bool {
			return have.Release == l.Release && slices.Equal(have.Args, l.Args) && slices.Equal(have.Inputs, l.Inputs)
		}) {
			continue
		}
		r, died := theirs(t, set, l.Question(objects))
		l.Exit, l.Image, l.Text = r.exit, answers.Sum(r.image), answers.Sum([]byte(r.text))
		for _, c := range codeOf(r.image) {
			l.Code = append(l.Code, c.Name+":"+string(c.Signs))
		}
		if died {
			l.Exit, l.Image, l.Text = -1, "-", "-"
		}
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b answers.Reached) int {
		return cmp.Or(strings.Compare(a.Program, b.Program), strings.Compare(a.Release, b.Release))
	})
	return list
}

func writeReached(t *testing.T, folder string, list []answers.Reached, objects map[string][]byte) {
	var rows, packed bytes.Buffer
	w := zip.NewWriter(&packed)
	written := map[string]bool{}
	for i := range list {
		rows.WriteString(list[i].Row())
		for _, name := range list[i].Inputs {
			if written[name] {
				continue
			}
			written[name] = true
			f, err := w.Create(name)
			if err == nil {
				_, err = f.Write(objects[name])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"answers.tsv": rows.Bytes(), "objects.zip": packed.Bytes()} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
