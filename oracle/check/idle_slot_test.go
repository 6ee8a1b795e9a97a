package check

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// Where a filter takes all kernels, nvlink 12.4 drops the record that fills the slot of
// an address: no code names the slot. Where the kernel stays, the record must.
func TestIdleSlot(t *testing.T) {
	tools := nvidiatest.Need(t, "12.4", nvidia.Nvlink, nvidia.Ptxas)
	text, err := os.ReadFile("testdata/idle_slot.ptx")
	if err != nil {
		t.Fatal(err)
	}
	r, err := tools.Assemble(context.Background(), "12.4", []string{"-c", "-pic", "true", "-arch=sm_80"}, nvidia.File{Name: "k.ptx", Data: text})
	if err != nil || r.Output == nil {
		t.Fatal(r, err)
	}
	inputs, files := []Input{{Name: "k.cubin", Data: r.Output}}, []nvidia.File{{Name: "k.cubin", Data: r.Output}}
	for _, args := range [][]string{nil, {"-variables-used=x"}} {
		r, err := tools.Link(context.Background(), "12.4", append([]string{"-arch=sm_80"}, args...), files)
		if err != nil || !r.Linked() {
			t.Fatal(r, err)
		}
		options := Options{Arch: "sm_80"}
		if args != nil {
			options.VariablesUsed = []string{"x"}
		}
		if v := Check(inputs, r.Output, options); !v.Agrees() {
			t.Errorf("%v: %s", args, v)
		}
		k := newCheck(inputs, r.Output, options)
		if err := k.run(inputs, r.Output); err != nil {
			t.Fatal(err)
		}
		e := &editor{check: k, out: k.Out, bytes: slices.Clone(r.Output)}
		_, at, width := e.record(func(l link.Relocs) bool { return l.Section.Name == ".rel.nv.constant4" })
		if (width != 0) != (args == nil) {
			t.Fatalf("%v: the record stays: %v", args, width != 0)
		}
		if width == 0 {
			continue
		}
		e.put(at, 8, 8) // another place
		if v := Check(inputs, e.bytes, options); !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Kind == RelocationMissing }) {
			t.Errorf("a slot that code reads stays empty: %s", v)
		}
	}
}
