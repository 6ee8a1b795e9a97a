package ptxgen

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestLegal has a real ptxas compile some programs, where the project has one.
func TestLegal(t *testing.T) {
	for _, try := range []struct {
		release, arch string
		target        Target
	}{{"11.8", "sm_50", Old}, {"12.4", "sm_61", Stack}, {"13.0", "sm_80", Lanes}, {"11.8", "sm_90", Hopper11}, {"12.4", "sm_90a", Hopper12}} {
		ptxas, err := filepath.Abs(filepath.Join("..", "..", ".witness", try.release, "ptxas"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(ptxas); err != nil {
			t.Logf("no ptxas of %s", try.release)
			continue
		}
		dir, modules, refused := t.TempDir(), 0, 0
		for seed := uint64(500); seed < 520; seed++ {
			for _, m := range New(seed, try.target, Options{Also: Launching()}).Modules {
				file := filepath.Join(dir, m.Name+".ptx")
				if err := os.WriteFile(file, []byte(m.Text), 0o644); err != nil {
					t.Fatal(err)
				}
				modules++
				if out, err := exec.Command(ptxas, "-c", "-arch="+try.arch, file, "-o", filepath.Join(dir, "o.cubin")).CombinedOutput(); err != nil {
					refused++
					t.Logf("seed %d, %s: %s", seed, m.Name, out)
				}
			}
		}
		if refused*20 > modules {
			t.Errorf("%s refuses %d of %d modules", try.release, refused, modules)
		}
	}
}
