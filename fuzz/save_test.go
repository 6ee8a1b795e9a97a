package fuzz

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/fuzz/reduce"
)

// holds wants texts in a file.
func holds(t *testing.T, file string, want ...string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if !strings.Contains(string(text), w) {
			t.Errorf("no %q in\n%s", w, text)
		}
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	d := &Divergence{Key: "R_CUDA_32/rel", What: "bytes differ", Traces: []Trace{{Witness: "engine", Text: "0"}, {Witness: "oracle", Text: "1"}}}
	folder, err := d.Save(t.Context(), dir, "FuzzRelocation", []byte{0, 0xff, '"'})
	if err != nil {
		t.Fatal(err)
	}
	hash := filepath.Base(folder)
	holds(t, filepath.Join(folder, "story.txt"), "bytes differ", "--- engine\n0\n", "--- oracle\n1\n", "again: go test ./fuzz -run '^FuzzRelocation$/^"+hash+"$'")
	holds(t, filepath.Join(folder, "input"), "\x00\xff\"")
	holds(t, filepath.Join(dir, "fuzz", "FuzzRelocation", hash), "go test fuzz v1\n[]byte(\"\\x00\\xff\\\"\")\n")
	holds(t, filepath.Join(dir, "divergences", "keys.tsv"), "FuzzRelocation-R_CUDA_32/rel\t"+hash+"\t3\tbytes differ\n")
}

// A link is kept so that it can be reduced and promoted, with what each witness says.
func TestSaveLink(t *testing.T) {
	q, err := Kinds[1].Question(3)
	if err != nil {
		t.Fatal(err)
	}
	q.Final = nil
	d := (&Divergence{Key: "k", What: "w", Traces: []Trace{{Witness: "finder", Text: "first"}}}).of(&q)
	folder, err := d.Save(t.Context(), t.TempDir(), "FuzzPrograms", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := reduce.Load(folder)
	if err != nil || c.Hash() != filepath.Base(folder) || len(c.Inputs) != len(q.Inputs) {
		t.Fatalf("%+v, %v", c, err)
	}
	holds(t, filepath.Join(folder, "story.txt"), "--- finder\nfirst\n", "--- engine, asked again\n", "--- nvlink, asked again\n", "nvlink "+q.Release+" -arch=", "twinlink promote "+c.Hash())
}

// Of those with one key the smallest is left, with its seed.
func TestSaveOnce(t *testing.T) {
	dir := t.TempDir()
	save := func(key, input string) string {
		t.Helper()
		folder, err := (&Divergence{Key: key, What: "w"}).Save(t.Context(), dir, "FuzzInfo", []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Base(folder)
	}
	long := save("a", "12345")
	other := save("b", "12345678")
	if got := save("a", "123456"); got != long {
		t.Error("a larger one is kept")
	}
	short := save("a", "123")
	if again := save("a", "123"); again != short || short == long {
		t.Errorf("%s, %s, %s", long, short, again)
	}
	list, err := ReadFound(filepath.Join(dir, "divergences"))
	if err != nil || len(list) != 2 || list[0].Hash != short || list[1].Hash != other {
		t.Errorf("%+v, %v", list, err)
	}
	for _, place := range []string{"divergences", "fuzz/FuzzInfo"} {
		if _, err := os.Stat(filepath.Join(dir, place, long)); err == nil {
			t.Errorf("%s has the larger one still", place)
		}
		if _, err := os.Stat(filepath.Join(dir, place, short)); err != nil {
			t.Error(err)
		}
	}
}
