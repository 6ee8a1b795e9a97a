package layout

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// What the driver keeps of a kernel's shared memory: from sm_90 on, of SASS, unless an option says that nothing is kept.
func TestReserve(t *testing.T) {
	for _, c := range []struct {
		sm             cuda.SM
		kept, none     bool
		reserve, taken uint64
	}{
		{89, true, false, 0, 0}, {90, true, false, DriverReserve, DriverReserve}, {90, true, true, 0, DriverReserve}, {100, false, false, 0, 0},
	} {
		l := emptyLayout()
		l.Arch.SM, l.Opt.NoReserved = c.sm, c.none
		l.Dialect = &release.Dialect{SharedReserve: c.kept}
		if got := l.sharedReserve(); got != c.reserve {
			t.Errorf("%+v: %d", c, got)
		}
		id := l.NewSection(l.Names.ID(".nv.shared.k"), cuda.SHTCudaShared, 0, 1)
		for _, size := range []uint64{0, 1, 1024, 1025, 5000} {
			l.Secs[id].Size = size
			if got, want := l.UsedShared(id), size-min(size, c.taken); got != want || l.UsedShared(model.Absent) != 0 {
				t.Errorf("%+v: a section of %d bytes: %d used, want %d", c, size, got, want)
			}
		}
	}
	l := emptyLayout()
	if l.firstShared() != 0 {
		t.Error("the first address")
	}
	if l.Opt.ReserveNull = true; l.firstShared() != 1 {
		t.Error("the first address where 0 is kept")
	}
}

// The alignment of kernels' sections is that of the pool only where kernels share variables.
func TestPoolAlign(t *testing.T) {
	l := emptyLayout()
	s := &sharedLayout{Multi: []model.SymID{0}, Kernels: []model.FunID{0, 1, 2}, dynAlign: []uint64{4, 0, 2}, late: map[model.SecID]bool{}}
	if l.poolAlign(s) != 0 {
		t.Error("of no pool")
	}
	l.Secs[l.PoolShared()].Align = 32
	if l.poolAlign(s) != 32 || l.poolAlign(&sharedLayout{}) != 0 {
		t.Error("of a pool, and of one that is empty")
	}
	own := l.NewSection(l.Names.ID(".nv.shared.k"), cuda.SHTCudaShared, 0, 64)
	late := l.NewSection(l.Names.ID(".nv.shared.l"), cuda.SHTCudaShared, 0, 1)
	s.late[late] = true
	l.Funs = []model.Function{{Shared: model.Absent}, {Shared: own}, {Shared: late}}
	for k, want := range []uint64{32, 64, 2} {
		if got := l.sharedAlign(s, k, 32); got != want {
			t.Errorf("kernel %d: %d, want %d", k, got, want)
		}
	}
	if l.sharedAlign(s, 0, 0) != 4 || l.sharedAlign(s, 1, 128) != 128 {
		t.Error("of a pool of lower or of higher alignment")
	}
}
