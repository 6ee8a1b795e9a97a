package enginetest

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// The columns of answers.tsv, of which cmd/twinlink's TestReached says more.
const (
	colProgram = iota
	colRelease
	colArgs
	colInputs
	colExit
	colImage
	colText
	colKey
	colCode
	columns
)

// Reached wants of the engine what nvlink made of links that come to rare places of the engine. Of those that are
// known to come out otherwise it wants each instruction that isn't marked as another one.
func Reached(t *testing.T) {
	t.Helper()
	folder := filepath.Join("..", "..", "..", "corpus", "testdata", "reached")
	text, err := os.ReadFile(filepath.Join(folder, "answers.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	objects := unpack(t, filepath.Join(folder, "objects.zip"))
	asked := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != columns {
			t.Fatalf("%q has %d fields, want %d", line, len(f), columns)
		}
		keys := strings.Fields(f[colInputs])
		if f[colExit] == "-1" || slices.ContainsFunc(keys, func(k string) bool { return filepath.Ext(k) != "" }) {
			continue
		}
		args := append(strings.Fields(f[colArgs]), "-o", "out.cubin")
		for i := range keys {
			args = append(args, fmt.Sprintf("m%d.cubin", i))
		}
		l := parse(f[colRelease], args, func(name string) []byte {
			var n int
			if _, err := fmt.Sscanf(name, "m%d.cubin", &n); err != nil {
				return nil
			}
			return objects[keys[n]]
		})
		if l == nil {
			continue
		}
		asked++
		got, err := l.ask()
		if err != nil {
			t.Errorf("%s %v: %v", f[colProgram], f[colArgs], err)
			continue
		}
		if lost := lostOf(f, &got); lost != "" {
			t.Errorf("%s, nvlink %s %v: %s", f[colProgram], f[colRelease], f[colArgs], lost)
		}
	}
	if asked < 700 {
		t.Errorf("only %d links", asked)
	}
}

// lostOf says what of a link isn't nvlink's, or listed as not being it; "" for nothing.
func lostOf(f []string, got *reply) string {
	switch key := f[colKey]; {
	case key != "" && key != "text" && key != "image":
		return ""
	case fmt.Sprint(got.exit) != f[colExit]:
		return fmt.Sprintf("status %d, want %s: %s", got.exit, f[colExit], got.text)
	case key == "image":
		return lostCode(strings.Fields(f[colCode]), got.image)
	case got.exit == 0 && sum8(got.image) != f[colImage]:
		return "another image"
	case key == "" && !strings.Contains(" "+f[colArgs]+" ", " -v ") && sum8([]byte(got.text)) != f[colText]:
		return "another text: " + got.text
	}
	return ""
}

func sum8(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:8])
}

// lostCode names the first instruction that is no longer as recorded.
func lostCode(want []string, image []byte) string {
	code, err := codeOf(image)
	if err != nil {
		return err.Error()
	}
	for _, w := range want {
		name, signs, _ := strings.Cut(strings.TrimPrefix(w, "!"), ":")
		section, hash, _ := strings.Cut(name, "=")
		list := code[section] // static functions may have one name
		switch {
		case slices.ContainsFunc(list, func(c []byte) bool { return sum8(c) == hash }):
		case w[0] != '!':
			return "other code in " + section
		case len(list) > 0 && lostWord(signs, list[len(list)-1]) >= 0:
			return fmt.Sprintf("instruction %d of %s", lostWord(signs, list[len(list)-1]), section)
		}
	}
	return ""
}

// codeOf returns the code of an image by the names of its sections.
func codeOf(image []byte) (map[string][][]byte, error) {
	f, err := cubin.Open("image", image)
	if err != nil {
		return nil, err
	}
	code := map[string][][]byte{}
	for i := range f.NumSections() {
		if s := f.Section(i); s.Flags&cuda.SHFExec != 0 {
			name := f.SectionName(&s)
			code[name] = append(code[name], f.Content(&s))
		}
	}
	return code, nil
}

// signOf stands for an instruction in the list.
const signOf = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// lostWord returns the number of the first instruction whose sign is another one, and that has no ! before it; -1 for none.
func lostWord(signs string, content []byte) int {
	n, marked := 0, false
	for _, w := range []byte(signs) {
		if w == '!' {
			marked = true
			continue
		}
		if !marked && (16*n+16 > len(content) || signOf[sha256.Sum256(content[16*n : 16*n+16])[0]&63] != w) {
			return n
		}
		n, marked = n+1, false
	}
	return -1
}

func unpack(t *testing.T, name string) map[string][]byte {
	t.Helper()
	packed, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	objects := map[string][]byte{}
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
	return objects
}
