package container

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What nvcc 13.0 wrote for part.cu: its kernel run is launched by the host, its
// constant copied to; nothing else is referred to.
func TestObject(t *testing.T) {
	data := load(t, "13.0-part.o")
	o, err := ReadObject("part.o", data, NewBudget(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if o.Format != HostObject || o.Machine != 62 || len(o.Relocatable) != 1 || len(o.Plain) != 0 || !o.Segment {
		t.Errorf("got %v for machine %d with %d and %d fatbinaries", o.Format, o.Machine, len(o.Relocatable), len(o.Plain))
	}
	// By readelf -p of the sections; the hashes are nvcc's.
	if diff := cmp.Diff([]string{"_fbc93974_7_part_cu_e319b529"}, o.ModuleIDs); diff != "" {
		t.Error(diff)
	}
	want := &References{ListsKernels: true, Kernels: []string{"_Z3run*"}, InternalConstants: []string{"__nv_static_28__fbc93974_7_part_cu_e319b529_*bias"}}
	if diff := cmp.Diff(want, o.References); diff != "" {
		t.Error(diff)
	}
}

func TestObjectFaults(t *testing.T) {
	data := load(t, "13.0-part.o")
	for name, c := range map[string]struct {
		data []byte
		kind ErrorKind
	}{
		"32 bits":       {change(data, 4, 1), Unsupported},
		"big endian":    {change(data, 5, 2), Unsupported},
		"section table": {change(data, 40, 0xff, 0xff, 0xff, 0xff), OutOfBounds},
		"names":         {change(data, 62, 0xfe, 0xff), BadHeader},
		"core dump":     {change(data, 16, 4), Unsupported},
	} {
		if _, err := ReadObject("f.o", c.data, NewBudget(0)); !errors.Is(err, &Error{Kind: c.kind}) {
			t.Errorf("%s: got %v, want %q", name, err, c.kind)
		}
	}
}
