package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz"
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
// image differs, as most do whose kernels are scheduled anew, code has a sum of each section of code in nvlink's image,
// with a ! before those that are other ones here; behind such a sum stand six bits of a sum of each instruction, with a !
// before those that are other ones here. What is nvlink's has to stay so. A change of a rule may lose one instruction and
// gain ten: -update writes the marks anew and says how many there are.
//
//	go test ./cmd/twinlink -run TestReached -reached LIST     asks nvlink about more links and adds them: a JSON list of
//	                                                          {"program", "release", "args", "inputs"}
var (
	addReached    = flag.String("reached", "", "file with links to be put to nvlink and added to corpus/testdata/reached")
	reachedFolder = flag.String("reached-folder", "../../corpus/testdata/reached", "folder of TestReached")
)

type reachedLink struct {
	Program, Release string
	Args, Inputs     []string
	recordedAnswer
	code []string
}

func (l *reachedLink) row() string {
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", l.Program, l.Release, strings.Join(l.Args, " "), strings.Join(l.Inputs, " "), l.exit, l.image, l.text, l.key, strings.Join(l.code, " "))
}

func (l *reachedLink) question(objects map[string][]byte) *fuzz.Question {
	q := &fuzz.Question{Release: l.Release, Args: l.Args}
	for i, name := range l.Inputs {
		q.Inputs = append(q.Inputs, engine.Input{Name: fmt.Sprintf("m%d%s", i, cmp.Or(filepath.Ext(name), ".cubin")), Data: objects[name]})
	}
	return q
}

func readReached(t *testing.T) (list []reachedLink, objects map[string][]byte) {
	t.Helper()
	objects = map[string][]byte{}
	text, err := os.ReadFile(filepath.Join(*reachedFolder, "answers.tsv"))
	if os.IsNotExist(err) && *addReached != "" {
		return nil, objects
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 9 {
			t.Fatalf("%q has %d fields, want 9", line, len(f))
		}
		l := reachedLink{Program: f[0], Release: f[1], Args: strings.Fields(f[2]), Inputs: strings.Fields(f[3])}
		l.image, l.text, l.key, l.code = f[5], f[6], f[7], strings.Fields(f[8])
		if l.exit, err = strconv.Atoi(f[4]); err != nil {
			t.Fatalf("%q", line)
		}
		list = append(list, l)
	}
	packed, err := zip.OpenReader(filepath.Join(*reachedFolder, "objects.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	for _, f := range packed.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if objects[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		r.Close()
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
	t.Chdir(t.TempDir())
	same, marks := 0, 0
	for i := range list {
		l := &list[i]
		r := ours(t, l.question(objects))
		key, anew := l.differs(r), *addReached != "" || *updateAnswers
		if anew {
			l.key = key
		}
		if anew && key != "image" {
			l.code = nil
		}
		code := codeOf(r.image)
		for j, c := range l.code {
			marked, lost := compareCode(c, code)
			switch {
			case anew:
				l.code[j] = marked
			case lost != "":
				t.Errorf("%s, nvlink %s %v: %s of %s is not nvlink's any more", l.Program, l.Release, l.Args, lost, c)
			case marked != c && os.Getenv("TWINLINK_EXACT") != "":
				t.Errorf("%s, nvlink %s %v: more is nvlink's now in %s", l.Program, l.Release, l.Args, c)
			}
			marks += strings.Count(l.code[j], "!")
		}
		if key == "" {
			same++
		}
		if key != l.key && (key != "" || os.Getenv("TWINLINK_EXACT") != "") {
			t.Errorf("%s, nvlink %s %v: %q, listed %q", l.Program, l.Release, l.Args, key, l.key)
		}
	}
	t.Logf("%d of %d as nvlink; in the others %d sections and instructions are not", same, len(list), marks)
	if *addReached != "" || *updateAnswers {
		writeReached(t, folder, list, objects)
	}
}

// codeOf returns the sections of code in an image: none where it isn't one, as where nvlink died before it was written.
func codeOf(image []byte) (list []codeSection) {
	f, err := cubin.Open("image", image)
	if err != nil {
		return nil
	}
	for i := range f.NumSections() {
		if s := f.Section(i); s.Flags&cuda.SHFExec != 0 {
			content := f.Content(&s)
			c := codeSection{name: f.SectionName(&s) + "=" + sum(content)}
			for word := range slices.Chunk(content, 16) {
				c.words = append(c.words, signs[sha256.Sum256(word)[0]&63])
			}
			list = append(list, c)
		}
	}
	return list
}

const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// codeSection has its name and sum, and a sign of each instruction.
type codeSection struct {
	name  string
	words []byte
}

// compareCode returns what nvlink has of code, marked for what we have, and what is not nvlink's any more, "" for nothing.
func compareCode(theirs string, ours []codeSection) (marked, lost string) {
	name, words, _ := strings.Cut(strings.TrimPrefix(theirs, "!"), ":")
	section, _, _ := strings.Cut(name, "=")
	var have []byte
	for _, c := range ours {
		if c.name == name {
			return name, ""
		}
		if strings.HasPrefix(c.name, section+"=") {
			have = c.words
		}
	}
	if !strings.HasPrefix(theirs, "!") {
		lost = "code"
	}
	marked, other, n := "!"+name+":", false, 0
	for _, w := range []byte(words) {
		if w == '!' {
			other = true
			continue
		}
		if n >= len(have) || have[n] != w {
			marked += "!"
			if !other && lost == "" {
				lost = fmt.Sprintf("instruction %d", n)
			}
		}
		marked, other, n = marked+string(w), false, n+1
	}
	return strings.TrimSuffix(marked, ":"), lost
}

func askReached(t *testing.T, list []reachedLink, objects map[string][]byte) []reachedLink {
	set, err := nvidia.Find(t.Context(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(*addReached)
	if err != nil {
		t.Fatal(err)
	}
	var more []reachedLink
	if err := json.Unmarshal(text, &more); err != nil {
		t.Fatal(err)
	}
	for _, l := range more {
		for i, path := range l.Inputs {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			l.Inputs[i] = sum(data) + strings.TrimSuffix(filepath.Ext(path), ".cubin")
			objects[l.Inputs[i]] = data
		}
		if slices.ContainsFunc(list, func(have reachedLink) bool {
			return have.Release == l.Release && slices.Equal(have.Args, l.Args) && slices.Equal(have.Inputs, l.Inputs)
		}) {
			continue
		}
		r, died := theirs(t, set, l.question(objects))
		l.exit, l.image, l.text = r.exit, sum(r.image), sum([]byte(r.text))
		for _, c := range codeOf(r.image) {
			l.code = append(l.code, c.name+":"+string(c.words))
		}
		if died {
			l.exit, l.image, l.text = -1, "-", "-"
		}
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b reachedLink) int {
		return cmp.Or(strings.Compare(a.Program, b.Program), strings.Compare(a.Release, b.Release))
	})
	return list
}

func writeReached(t *testing.T, folder string, list []reachedLink, objects map[string][]byte) {
	var rows, packed bytes.Buffer
	w := zip.NewWriter(&packed)
	written := map[string]bool{}
	for i := range list {
		rows.WriteString(list[i].row())
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
