package capsule

import (
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Of several sections of one name a Mercury section takes the one of its owner's
// counterpart; alone, or without an owner, the next one.
func TestPairByOwner(t *testing.T) {
	section := func(name string, flags cuda.SectionFlags, owner uint32) Section {
		return Section{Section: cubin.Section{Flags: flags, Info: owner}, Name: name}
	}
	const merc, linked = cuda.SHFMercury, cuda.SHFInfoLink
	m := &Image{Sections: []Section{
		{},
		section(".text.f", cuda.SHFExec, 0),
		section(".text.f", cuda.SHFExec, 0),
		section(".nv.info.f", linked, 2),
		section(".nv.info.f", linked, 1),
		section(".nv.capmerc.text.f", merc, 0),
		section(".nv.capmerc.text.f", merc, 0),
		section(".nv.merc.nv.info.f", merc|linked, 5),
		section(".nv.merc.nv.info.f", merc|linked, 6),
		section(".debug_x", 0, 0), // two without an owner, whose sh_info says something else
		section(".debug_x", 0, 0),
		section(".nv.merc.debug_x", merc, 6),
		section(".nv.merc.debug_x", merc, 5),
		section(".nv.y", linked, 0), // two that name no owner
		section(".nv.y", linked, 1),
		section(".nv.merc.nv.y", merc|linked, 0),
		section(".nv.z", linked, 2), // one alone, of another owner
		section(".nv.merc.nv.z", merc|linked, 5),
	}}
	m.counterpart, m.funcOf = make([]int32, len(m.Sections)), make([]int32, len(m.Sections))
	m.join(5, 1)
	m.join(6, 2)
	m.pair()
	for merc, want := range map[int]int{7: 4, 8: 3, 11: 9, 12: 10, 15: 13, 17: 16} {
		if got := m.Counterpart(merc); got != want || m.Counterpart(want) != merc {
			t.Errorf("section %d, %s: paired with %d, want %d", merc, m.Sections[merc].Name, got, want)
		}
	}
}
