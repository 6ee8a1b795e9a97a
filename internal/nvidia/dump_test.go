//go:build unix

package nvidia_test

import (
	"errors"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
)

func TestDumpOutcomes(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	object := nvidia.File{Name: "a.cubin", Data: emptyELF}
	for _, c := range []struct {
		name, body    string
		dump, extract nvidia.Outcome
	}{
		{"listing", "echo text", nvidia.Success, nvidia.Silent},
		{"nothing", "exit 0", nvidia.Silent, nvidia.Silent},
		{"refusal", "exit 1", nvidia.Refused, nvidia.Refused},
		{"files", `echo x >1.sm_90.cubin; echo y >2.sm_90.cubin; echo z >other`, nvidia.Silent, nvidia.Success},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := fake(t, dir, "cuobjdump", "12.4.127", c.body)
			set := mustFind(t, nvidia.Options{Cuobjdump: path, Dir: dir, Getenv: environ()})
			res, err := set.Dump(t.Context(), "11.8", nvidia.Cuobjdump, []string{"-elf"}, object)
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
			if want := 2; c.extract == nvidia.Success && (len(res.Files) != want || string(res.Files["1.sm_90.cubin"]) != "x\n") {
				t.Errorf("Extract: %q", res.Files)
			}
		})
	}
	set := mustFind(t, nvidia.Options{Dir: dir, Getenv: environ()})
	var argument *nvidia.ArgumentError
	if _, err := set.Dump(t.Context(), "", nvidia.Ptxas, nil, object); !errors.As(err, &argument) {
		t.Errorf("got %v", err)
	}
	var missing *nvidia.NotFoundError
	if _, err := set.Dump(t.Context(), "", nvidia.Nvdisasm, nil, object); !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
	if _, err := set.Assemble(t.Context(), "12.4", nil, object); !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
}
