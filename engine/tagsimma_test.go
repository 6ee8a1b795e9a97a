package engine_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// ptxas 13.0.88 keeps the records of products of integer matrices, dense and sparse. nvlink
// 13.2 and later keep their tags alone.
func TestTagsOfIMMA(t *testing.T) {
	for _, c := range []struct{ file, toolkit, nvlink string }{
		{"imma", "13.1", "c4cf2a18659d9bc58a0763eea8c17af8c5d0ab5c367dc1b39e39d8469518b247"},
		{"imma", "13.2", "a23272d597cc4ec6c5a25f35c92d21be38ff9a3cc8726bf60a6fe6d55ed50e1b"},
		{"imma", "13.3", "3b0942042349cd4236a06b32a2ad9d024d0ff4082b4346d42b3bf4828bb75487"},
		{"imma", "13.4", "fc33830fed4cfd82c59f957bb40784a48a4559091e74358855f268b9a652612f"},
		{"imma", "13.5", "8a609756ea8e98c3277c868b366592efba1664b31db9aa70b1f645eb2cb3a02d"},
		{"sparse", "13.1", "81d1f97b28250dd81921a29dd5de84e7b3788510b2aa2f41fcfed7873462121a"},
		{"sparse", "13.2", "7393376887cdd3172de82b2f63ab9fba76a66774cd2c162ac63a1c3c199fac93"},
		{"sparse", "13.3", "f828f943b200dfbdcd5ede0e8895d62b414912f89327843796914dad6a98d2d2"},
		{"sparse", "13.4", "b03e3d10cd1965d156862df318dfba37ae613d5501711016e9670e9c19416c6c"},
		{"sparse", "13.5", "c3daa887f2c82621adc400a838fc741a3c992c2276c121849e29b321a044091c"},
	} {
		name := "offtarget-" + c.file + ".cubin"
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := engine.Link([]engine.Input{{Name: name, Data: data}}, engine.Options{Arch: "sm_100", Toolkit: c.toolkit, Record: engine.CommandLine{Text: "-arch sm_100 "}})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(out.Image)); got != c.nvlink {
			t.Errorf("%s, %s: the file's sum is %s", name, c.toolkit, got)
		}
	}
}
