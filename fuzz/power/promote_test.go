package power

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

// A fault that is planted is found by a target, saved, reduced and promoted; the promoted test fails with the fault and
// passes without.
func TestFoundToTest(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command and two test programs")
	}
	for _, release := range []string{"11.8", "12.4", "13.0", "13.5"} {
		nvidiatest.Need(t, release, nvidia.Nvlink)
	}
	root := &Root{Dir: "../.."}
	dir := t.TempDir()
	overlay, err := root.plant(fault(t, "engine-layout/colours-shared-by-common-users"), dir)
	if err != nil {
		t.Fatal(err)
	}
	run := func(fails bool, args ...string) string {
		t.Helper()
		out, err := root.run(t.Context(), nil, args...)
		if (err != nil) != fails {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out
	}
	fuzzing, command := filepath.Join(dir, "fuzz.test"), filepath.Join(dir, "twinlink")
	run(false, "test", "-c", "-vet=off", "-overlay", overlay, "-o", fuzzing, "./fuzz")
	run(false, "build", "-overlay", overlay, "-o", command, "./cmd/twinlink")

	// Found and saved: in a folder of its own, that nothing is left in the source. The input
	// is one that FuzzPrograms found with this fault; other runs find others, of which the
	// oracle judges some wrongly without it too. One that no longer tells is made anew by
	// -test.fuzz=^FuzzPrograms$ of the test program with the fault.
	found := &Root{Dir: filepath.Join(dir, "found"), Go: fuzzing}
	seeds := filepath.Join(found.Dir, "testdata", "fuzz", "FuzzPrograms")
	if err := os.MkdirAll(seeds, 0o755); err != nil {
		t.Fatal(err)
	}
	input, err := os.ReadFile("testdata/shared-overlap")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(seeds, "shared-overlap"), input, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := found.run(t.Context(), nil, "-test.run=^FuzzPrograms$")
	if err == nil {
		t.Fatalf("the target finds nothing:\n%s", out)
	}
	keys, err := os.ReadFile(filepath.Join(found.Dir, "testdata", "divergences", "keys.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Split(string(keys), "\t")
	if fields[0] != "FuzzPrograms-programs-oracle-shared.overlap" {
		t.Fatalf("found %s", keys)
	}
	saved := filepath.Join(found.Dir, "testdata", "divergences", fields[1])
	story, err := os.ReadFile(filepath.Join(saved, "story.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--- oracle", "--- engine", "--- nvlink", "again: go test ./fuzz -run '^FuzzPrograms$/^" + fields[1] + "$'"} {
		if !bytes.Contains(story, []byte(want)) {
			t.Errorf("no %q in\n%s", want, story)
		}
	}

	faulty := &Root{Dir: root.Dir, Go: command}
	small, corpus := filepath.Join(dir, "small"), filepath.Join(dir, "corpus")
	if out, err := faulty.run(t.Context(), nil, "reduce", "--limit", "200", "-o", small, saved); err != nil {
		t.Fatal(out)
	}
	reduced := only(t, small)
	if a, b := size(t, saved), size(t, reduced); a <= b {
		t.Errorf("%d bytes are reduced to %d", a, b)
	}
	if out, err := faulty.run(t.Context(), nil, "promote", reduced, "--why", "a test", "--corpus", corpus); err != nil {
		t.Fatal(out)
	}
	name := filepath.Base(only(t, corpus))
	test := []string{"test", "-vet=off", "-count=1", "-run", "^TestFound$", "./cmd/twinlink", "-found", corpus}
	if out := run(true, append([]string{test[0], "-overlay", overlay}, test[1:]...)...); !strings.Contains(out, "FAIL: TestFound/"+name) {
		t.Errorf("it fails otherwise:\n%s", out)
	}
	run(false, test...)
}

// fault returns one of the lists'.
func fault(t *testing.T, id string) *Fault {
	t.Helper()
	areas, err := Areas()
	if err != nil {
		t.Fatal(err)
	}
	for i := range areas {
		for j := range areas[i].Faults {
			if f := &areas[i].Faults[j]; f.ID() == id {
				return f
			}
		}
	}
	t.Fatalf("no fault %s", id)
	return nil
}

// only returns the one entry of a folder.
func only(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%s: %v, %v", dir, entries, err)
	}
	return filepath.Join(dir, entries[0].Name())
}

// size is that of the cubins in a folder.
func size(t *testing.T, dir string) (n int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.cubin"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		n += info.Size()
	}
	return n
}

func TestMain(m *testing.M) { nvidiatest.Main(m) }
