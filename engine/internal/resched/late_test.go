package resched

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLate makes kernels of many blocks, as ptxas 13.5.37 compiled them from PTX made for
// this, what nvlink 13.5.37 makes of them; but promises nothing, for it isn't always so.
func TestLate(t *testing.T) {
	files, err := filepath.Glob("testdata/late/*.ptxas")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".ptxas") + ".nvlink")
		if err != nil {
			t.Fatal(err)
		}
		r := Kernel(text, Options{Late: true})
		if r.Lost != nil {
			t.Errorf("%s: lost %+v", file, r.Lost)
		}
		if r.Exact {
			t.Errorf("%s: no doubt", file)
		}
		if !bytes.Equal(r.Text, want) {
			t.Errorf("%s: other than nvlink's", file)
		}
	}
}
