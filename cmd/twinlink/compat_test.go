package main

import (
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz"
	"github.com/twinlink/twinlink/internal/nvidia"
)

var askCompat = flag.Bool("ask-compat", false, "ask nvlink about testdata/compat.tsv anew")

// compatParts are two objects without a common name, whose .nv.compat is rewritten.
const compatParts = "../../corpus/testdata/cases/patched_constants/13.0-sm_90/"

// compatQuestion links two objects with these records, as hexadecimal digits.
func compatQuestion(t *testing.T, release string, records [2]string) *fuzz.Question {
	t.Helper()
	q := &fuzz.Question{Release: release, Args: []string{"-arch=sm_90"}}
	for i, name := range []string{"c.cubin", "a.cubin"} {
		if records[i] == "-" {
			continue
		}
		data, err := os.ReadFile(compatParts + name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := hex.DecodeString(records[i])
		if err != nil {
			t.Fatal(err)
		}
		f, err := cubin.Open(name, data)
		if err != nil {
			t.Fatal(err)
		}
		for k := range f.OfType(cuda.SHTCudaCompat) {
			s := f.Section(k)
			if copy(data[s.Off:s.Off+s.Size], b) < len(b) {
				t.Fatalf("%d bytes of records, room for %d", len(b), s.Size)
			}
			binary.LittleEndian.PutUint64(data[f.Header.ShOff+64*uint64(k)+32:], uint64(len(b)))
		}
		q.Inputs = append(q.Inputs, engine.Input{Name: name, Data: data})
	}
	return q
}

// compatOf returns an image's records, as hexadecimal digits.
func compatOf(t *testing.T, image []byte) string {
	t.Helper()
	f, err := cubin.Open("image", image)
	if err != nil {
		t.Fatal(err)
	}
	for k := range f.OfType(cuda.SHTCudaCompat) {
		s := f.Section(k)
		return hex.EncodeToString(f.Content(&s))
	}
	return "-"
}

// TestCompat wants of .nv.compat what nvlink makes of two inputs' records, of which some are omitted or occur twice.
func TestCompat(t *testing.T) {
	if *askCompat {
		writeCompat(t)
	}
	text, err := os.ReadFile("testdata/compat.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var list [][]string
	for line := range strings.Lines(string(text)) {
		if line[0] != '#' {
			list = append(list, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	var questions []*fuzz.Question
	for _, f := range list {
		questions = append(questions, compatQuestion(t, f[0], [2]string{f[1], f[2]}))
	}
	t.Chdir(t.TempDir())
	for i, f := range list {
		r := ours(t, questions[i])
		if r.exit != 0 {
			t.Fatalf("%v: exit %d, %s", f, r.exit, r.text)
		}
		if got := compatOf(t, r.image); got != f[3] || strconv.Quote(r.text) != f[4] {
			t.Errorf("nvlink %s, %s and %s: %s, says %q; nvlink has %s, says %s", f[0], f[1], f[2], got, r.text, f[3], f[4])
		}
	}
}

// writeCompat asks nvlink, all releases from 13.0 on.
func writeCompat(t *testing.T) {
	set, err := nvidia.Find(t.Context(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	forms := []string{"020201", "020204", "020505", "020501", "02055d", "0205f2", "030701", "030700", "020300", "02030207", "020601", "040b08", "020c00", "020c02", "030d01", "030e00"}
	more := map[string]string{"030701": "01", "030700": "01", "030d01": "01", "030e00": "04", "040b08": "000000000000000000"}
	random := rand.New(rand.NewPCG(20261123, 0))
	records := func(release string) string {
		b, size := "02090000", 36
		n := []int{0, 1, 3, 5, 7}[random.IntN(5)]
		for range n {
			r := forms[random.IntN(len(forms))]
			if r >= "020c" && r[3] >= 'c' && release != "13.5" { // 13.5 alone reads objects that have these
				continue
			}
			if r += more[r]; len(r)%8 != 0 {
				r += strings.Repeat("0", 8-len(r)%8)
			}
			if len(b)/2+len(r)/2 <= size {
				b += r
			}
		}
		return b
	}
	var b strings.Builder
	b.WriteString("# What nvlink makes of .nv.compat: release, the records of two inputs (- for no second one), those of the image, what it says (see compat_test.go)\n")
	for n := range 160 {
		release := []string{"13.0", "13.1", "13.3", "13.4", "13.5"}[n%5]
		two := [2]string{records(release), "-"}
		if n%4 != 0 {
			two[1] = records(release)
		}
		r, died := theirs(t, set, compatQuestion(t, release, two))
		if died || r.exit != 0 {
			t.Fatalf("nvlink %s, %v: exit %d, %s", release, two, r.exit, r.text)
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%q\n", release, two[0], two[1], compatOf(t, r.image), r.text)
	}
	if err := os.WriteFile(filepath.Join("testdata", "compat.tsv"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
