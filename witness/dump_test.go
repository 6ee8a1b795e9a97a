//go:build unix

package witness_test

import (
	"errors"
	"testing"

	"github.com/twinlink/twinlink/witness"
)

func TestDumpOutcomes(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	object := witness.File{Name: "a.cubin", Data: emptyELF}
	for _, c := range []struct {
		name, body    string
		dump, extract witness.Outcome
	}{
		{"listing", "echo text", witness.Success, witness.Silent},
		{"nothing", "exit 0", witness.Silent, witness.Silent},
		{"refusal", "exit 1", witness.Refused, witness.Refused},
		{"files", `echo x >1.sm_90.cubin; echo y >2.sm_90.cubin; echo z >other`, witness.Silent, witness.Success},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := fake(t, dir, "cuobjdump", "12.4.127", c.body)
			set := mustFind(t, witness.Options{Cuobjdump: path, Dir: dir, Getenv: environ()})
			res, err := set.Dump(t.Context(), "11.8", witness.Cuobjdump, []string{"-elf"}, object)
			if err != nil {
				t.Fatal(err)
			}
			if res.Outcome != c.dump {
				t.Errorf("Dump: %v, want %v", res, c.dump)
			}
			res, err = set.Extract(t.Context(), "11.8", object)
			if err != nil {
				t.Fatal(err)
			}
			if res.Outcome != c.extract {
				t.Errorf("Extract: %v, want %v", res, c.extract)
			}
			// The input matches the pattern and is no output.
			if want := 2; c.extract == witness.Success && (len(res.Files) != want || string(res.Files["1.sm_90.cubin"]) != "x\n") {
				t.Errorf("Extract: %q", res.Files)
			}
		})
	}
	set := mustFind(t, witness.Options{Dir: dir, Getenv: environ()})
	var argument *witness.ArgumentError
	if _, err := set.Dump(t.Context(), "", witness.Ptxas, nil, object); !errors.As(err, &argument) {
		t.Errorf("got %v", err)
	}
	var missing *witness.NotFoundError
	if _, err := set.Dump(t.Context(), "", witness.Nvdisasm, nil, object); !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
	if _, err := set.Assemble(t.Context(), "12.4", nil, object); !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
}
