package families

import (
	"archive/zip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

func names(t *testing.T, place string) ([]string, error) {
	t.Helper()
	var names []string
	err := Each(place, func(name string, _ []byte) { names = append(names, name) })
	return names, err
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	if _, err := names(t, dir); err == nil {
		t.Error("a folder without cubins isn't refused")
	}
	if _, err := names(t, filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that isn't there isn't refused")
	}
	for _, name := range []string{"b.cubin", "a.cubin", "c.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := names(t, dir); err != nil || !slices.Equal(got, []string{"a.cubin", "b.cubin"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// Of a wheel come the cubins for sm_100 and up, each once, however often and in whatever file they stand.
func TestWheel(t *testing.T) {
	older, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	newer, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	plain := slices.IndexFunc(older, func(c corpus.Case) bool { return c.Arch == "sm_90" })
	object, other := corpus.CasesOf(newer)[0].Inputs[0].Data, older[plain].Inputs[0].Data
	wheel := filepath.Join(t.TempDir(), "p.whl")
	out, err := os.Create(wheel)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	z := zip.NewWriter(out)
	for _, f := range []struct {
		name string
		data []byte
	}{{"lib/a.so", object}, {"lib/b.so", object}, {"lib/c.so", other}, {"notes.txt", make([]byte, leastSize)}} {
		w, err := z.Create(f.name)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := names(t, wheel); err != nil || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
}
