package selfcheck_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/selfcheck/internal/defects"
)

var updateKinds = flag.Bool("kinds", false, "write testdata/kinds.tsv anew")

// filesPerKind is in how many files each kind of defect is planted.
const filesPerKind = 5

// everyKind plants each kind of defect in objects of the corpus and of other releases and shapes, in testdata.
func everyKind(t *testing.T, tried func(kind, name string, data []byte)) {
	t.Helper()
	type file struct {
		name string
		data []byte
		m    *capsule.Image
	}
	var files []file
	add := func(name string, data []byte) {
		f, err := cubin.Open(name, data)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{name, data, capsule.Open(f)})
	}
	capsules(t, func(c *corpus.Capsule, data []byte) { add(c.Name, data) })
	names, err := filepath.Glob("testdata/*.cubin")
	if err != nil || len(names) < 5 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		add(name, data)
	}
	for i, k := range defects.Kinds() {
		rng := rand.New(rand.NewPCG(uint64(i), 29))
		for planted, try := 0, 0; planted < filesPerKind && try < 20*filesPerKind; try++ {
			f := &files[rng.IntN(len(files))]
			if bad, ok := k.Plant(f.m, f.data, rng); ok {
				tried(k.Name, f.name, bad)
				planted++
			}
		}
	}
}

// TestEveryKind wants of each planted defect what testdata/kinds.tsv has: the verdict, the code and a sum of all that is said,
// and of the file that is put right.
//
//	go test ./selfcheck -run TestEveryKind -kinds
func TestEveryKind(t *testing.T) {
	const name = "testdata/kinds.tsv"
	said := "# Planted defects, and what is said of them (TestEveryKind): file, verdict, code, sum\n"
	everyKind(t, func(kind, name string, data []byte) {
		said += fmt.Sprintf("%s\t%s\t%s\n", kind, name, saidOf(name, data))
	})
	if *updateKinds {
		if err := os.WriteFile(name, []byte(said), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(text), "\n")
	for i, line := range strings.Split(said, "\n") {
		if i >= len(want) || line != want[i] {
			t.Fatalf("%s:%d: %q", name, i+1, line)
		}
	}
}
