package inputs

import (
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/container"
)

// What the host uses counts where all of it is known and no option says otherwise. nvlink 13.0.88 drops the kernel of p.o that
// the host doesn't use, with -use-host-info too, and keeps it with -ignore-host-info; -kernels-used and -variables-used say
// themselves what is used.
func TestHostUse(t *testing.T) {
	o := partObject(t)
	device := embedded(t, o)
	g := given{"p.o": o, "c.cubin": device}
	for _, c := range []struct {
		args string
		want bool
	}{
		{"p.o", true}, {"p.o p.o", true},
		{"c.cubin", false}, {"p.o c.cubin", false}, {"c.cubin p.o", false},
		{"-ignore-host-info p.o", false}, {"-kernels-used=run p.o", false}, {"-variables-used=bias p.o", false}, {"-use-host-info p.o", true},
	} {
		s, said := g.add(t, "13.0", "-arch=sm_75 "+c.args)
		if got := s.HostUse() != nil; got != c.want {
			t.Errorf("%q: used %v, want %v: %q", c.args, got, c.want, said)
		}
	}
	s, _ := g.add(t, "13.0", "-arch=sm_75 p.o")
	for _, c := range []struct {
		kernels, internal []string
		want              bool
	}{{[]string{"k"}, nil, true}, {nil, []string{"k"}, true}, {[]string{"k"}, []string{"k"}, true}, {nil, nil, false}} {
		if s.host.Kernels, s.host.InternalKernels = c.kernels, c.internal; (s.HostUse() != nil) != c.want {
			t.Errorf("kernels %q and %q: want %v", c.kernels, c.internal, c.want)
		}
	}
	// That only the device runtime launches kernels says nothing (nvlink 13.0.88, 13.5.37, sm_80).
	if s.host.Kernels, s.host.InternalKernels, s.runtimes = nil, []string{"k"}, 1; s.HostUse() != nil {
		t.Error("the device runtime's kernels count")
	}
}

// embedded is the first cubin of a host object.
func embedded(t *testing.T, o []byte) []byte {
	t.Helper()
	budget := container.NewBudget(len(o))
	object, err := container.ReadObject("p.o", o, budget)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range object.Relocatable {
		for i := range f.Members {
			data, err := f.Members[i].Data(budget)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := cubin.Open("", data); err == nil {
				return data
			}
		}
	}
	t.Fatal("no cubin")
	return nil
}
