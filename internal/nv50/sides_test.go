package nv50

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/twinlink/twinlink/internal/nv50/formula"
	"github.com/twinlink/twinlink/internal/nv50/prose"
)

// chipOf makes both sides' view of a chip.
func chipOf(tps, mps uint32, nva0 bool, log, lanes int) chip {
	list := func(mask uint32) (ids []int) {
		for m := mask; m != 0; m &= m - 1 {
			ids = append(ids, bits.TrailingZeros32(m))
		}
		return ids
	}
	return chip{
		f: formula.Chip{TPs: tps, MPs: mps, NVA0: nva0, StackWarpsLogAlloc: uint32(log), LocalWarpsLogAlloc: uint32(log), WarpHalves: uint32(lanes / 16)},
		p: prose.Settings{TPs: list(tps), MPs: list(mps), NVA0: nva0, WarpBits: fmt.Sprint(log), NoClamp: true, Lanes: lanes},
	}
}

// chips are all MP masks, both eras, all numbers of warps, both widths, and TP
// masks of every count.
func chips(each func(chip)) {
	r := rand.New(rand.NewPCG(50, 2))
	for mps := uint32(1); mps < 16; mps++ {
		for _, nva0 := range []bool{false, true} {
			for _, log := range []int{0, 1, 2, 3, 4, 7} {
				for _, lanes := range []int{16, 32} {
					each(chipOf(r.Uint32()&0xffff|1<<r.IntN(16), mps, nva0, log, lanes))
				}
			}
		}
	}
}

// TestAddresses asks both sides for every context of many chips, and each side
// back. Where the prose rounds what the formulas don't, they must part.
func TestAddresses(t *testing.T) { // NV-045 NV-048 NV-049 NV-050 NV-051 NV-052 NV-053 NV-054 NV-057 NV-060 NV-061 NV-062 NV-063
	r := rand.New(rand.NewPCG(50, 1))
	asked, parted, rounded := 0, 0, 0
	chips(func(c chip) {
		stack, err1 := prose.Stack(c.p)
		local, err2 := prose.Local(c.p)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		mps := len(c.p.MPs)
		rounds := !c.p.NVA0 && mps&(mps-1) != 0
		if rounds {
			rounded++
		}
		differs := false
		for _, tp := range c.p.TPs {
			for _, mp := range c.p.MPs {
				for warp := range 32 {
					entry := r.IntN(1 << 10)
					a := uint64(c.f.StackAddress(uint32(entry), uint32(warp), uint32(mp), uint32(tp)))
					b, err := stack.Entry(entry, warp, mp, tp)
					if err != nil {
						t.Fatal(err)
					}
					differs = differs || a != b
					if !rounds && a != b {
						t.Fatalf("stack %d %d %d %d of %+v: 0x%x, 0x%x", entry, warp, mp, tp, c.f, a, b)
					}
					lane, addr := r.IntN(c.p.Lanes), r.IntN(1<<12)
					x := uint64(c.f.LocalAddressGrouped(uint32(addr), uint32(lane), uint32(warp), uint32(mp), uint32(tp)))
					y, err := local.Byte(addr, lane, warp, mp, tp)
					if err != nil || !rounds && x != y {
						t.Fatalf("local 0x%x lane %d of %+v: 0x%x, 0x%x, %v", addr, lane, c.f, x, y, err)
					}
					back(t, &c, stack, local, entry, addr, lane, warp, mp, tp)
					asked += 2
				}
			}
		}
		if rounds && !differs {
			t.Errorf("%+v: both sides round alike", c.f) // grouping-alignment
		} else if rounds {
			parted++
		}
	})
	t.Logf("%d addresses; %d chips part over rounding", asked, parted)
	if asked < 100_000 || parted == 0 || parted != rounded {
		t.Errorf("%d addresses, %d of %d chips part", asked, parted, rounded)
	}
}

// back takes both sides' addresses back to the context.
func back(t *testing.T, c *chip, stack, local *prose.Layout, entry, addr, lane, warp, mp, tp int) {
	t.Helper()
	masked := warp & (1<<map[string]int{"0": 0, "1": 1, "2": 2, "3": 3, "4": 4, "7": 5}[c.p.WarpBits] - 1)
	f, ok := c.f.StackPlace(c.f.StackAddress(uint32(entry), uint32(warp), uint32(mp), uint32(tp)))
	if want := (formula.Place{Position: uint32(entry), Warp: uint32(masked), MP: uint32(mp), TP: uint32(tp)}); !ok || f != want {
		t.Fatalf("formula: stack of %+v is %+v, %v", want, f, ok)
	}
	f, ok = c.f.LocalPlace(c.f.LocalAddressGrouped(uint32(addr), uint32(lane), uint32(warp), uint32(mp), uint32(tp)))
	if want := (formula.Place{Position: uint32(addr), Lane: uint32(lane), Warp: uint32(masked), MP: uint32(mp), TP: uint32(tp)}); !ok || f != want {
		t.Fatalf("formula: local of %+v is %+v, %v", want, f, ok)
	}
	if entry%16 != 0 { // the search is slow
		return
	}
	at, _ := stack.Entry(entry, warp, mp, tp)
	p, err := stack.Whose(at)
	if want := (prose.Context{Position: entry, Warp: masked, MP: mp, TP: tp}); err != nil || p != want {
		t.Fatalf("prose: stack of %+v is %+v, %v", want, p, err)
	}
	at, _ = local.Byte(addr, lane, warp, mp, tp)
	p, err = local.Whose(at)
	if want := (prose.Context{Position: addr, Lane: lane, Warp: masked, MP: mp, TP: tp}); err != nil || p != want {
		t.Fatalf("prose: local of %+v is %+v, %v", want, p, err)
	}
}

// TestOneToOne fills a small chip: no two bytes or entries share an address, and
// from NVA0 on there are no holes.
func TestOneToOne(t *testing.T) { // NV-045 NV-051 NV-057 NV-063
	for _, lanes := range []int{16, 32} {
		c := chipOf(0b101, 0b111, true, 2, lanes)
		seen := map[uint32]bool{}
		for addr := range 64 {
			for lane := range lanes {
				for warp := range 4 {
					for _, mp := range c.p.MPs {
						for _, tp := range c.p.TPs {
							seen[c.f.LocalAddressGrouped(uint32(addr), uint32(lane), uint32(warp), uint32(mp), uint32(tp))] = true
						}
					}
				}
			}
		}
		want := 64 * lanes * 4 * 3 * 2
		if len(seen) != want || !seen[uint32(want-1)] || seen[uint32(want)] {
			t.Errorf("%d lanes: %d addresses, wanted %d", lanes, len(seen), want)
		}
	}
}

// TestPhysID asks for every id, both ways.
func TestPhysID(t *testing.T) { // NV-024
	for id := range uint32(32 * 32 * 4 * 16) {
		lane, warp, mp, tp := id&31, id>>5&31, id>>10&3, id>>12
		f := formula.PhysID(lane, warp, mp, tp)
		p, err := prose.Build("physid", map[string]uint64{"lane": uint64(lane), "warp": uint64(warp), "mp": uint64(mp), "tp": uint64(tp)})
		if err != nil || f != p {
			t.Fatalf("%d %d %d %d: 0x%x, 0x%x, %v", lane, warp, mp, tp, f, p, err)
		}
		a, b, c, d := formula.FromPhysID(f)
		parts := prose.Parts("physid", p)
		if a != lane || b != warp || c != mp || d != tp || parts["lane"] != uint64(lane) || parts["warp"] != uint64(warp) || parts["mp"] != uint64(mp) || parts["tp"] != uint64(tp) {
			t.Fatalf("0x%x: %d %d %d %d, %v", f, a, b, c, d, parts)
		}
	}
}

// TestUploads asks for every word of a buffer and for the end.
func TestUploads(t *testing.T) { // NV-076 NV-081
	for address := uint32(0); address < 1<<16; address += 4 {
		for _, buffer := range []uint32{0, 1, 77, 127} {
			f := formula.CBAddr(buffer, address)
			p, err := prose.Build("cb-addr", map[string]uint64{"buffer": uint64(buffer), "word": uint64(address / 4)})
			b, a := formula.FromCBAddr(f)
			if err != nil || f != p || a != address || b != buffer {
				t.Fatalf("buffer %d 0x%x: 0x%x, 0x%x", buffer, address, f, p)
			}
		}
	}
	for _, c := range []struct {
		address uint32
		words   int
	}{{0, 16}, {0, 1 << 14}, {0, 1<<14 + 1}, {0xfffc, 1}, {0xfffc, 2}, {0xff00, 64}, {0xff00, 65}} {
		list, ok := formula.CBUploads(formula.CBAddr(5, c.address), c.words)
		all, err := prose.Upload(uint64(c.address), c.words)
		if len(list) != len(all) || ok != (err == nil) || !ok && !errors.Is(err, prose.ErrOverflow) {
			t.Fatalf("%+v: %d, %v; %d, %v", c, len(list), ok, len(all), err)
		}
		for i := range list {
			if uint64(list[i]) != all[i] {
				t.Fatalf("%+v: word %d at 0x%x, 0x%x", c, i, list[i], all[i])
			}
		}
	}
}

// TestThreads lists blocks and asks the closed form for each thread.
func TestThreads(t *testing.T) { // NV-094 NV-095 NV-096 NV-097
	for x := uint32(1); x < 8; x++ {
		for y := uint32(1); y < 6; y++ {
			for z := uint32(1); z < 5; z++ {
				for _, lanes := range []int{16, 32} {
					perBlock := int(x*y*z) - int(x+y+z)%3
					list, err := prose.Threads(x, y, z, max(perBlock, 1), false)
					if err != nil {
						t.Fatal(err)
					}
					prose.Assign(list, lanes, func(th prose.Thread, warp, lane int) {
						tid, block := [3]uint32{th.X, th.Y, th.Z}, [3]uint32{x, y, z}
						w, l, ok := formula.Thread(block, tid, uint32(len(list)), uint32(lanes))
						who, there := formula.ThreadAt(block, w, l, uint32(len(list)), uint32(lanes))
						if !ok || int(w) != warp || int(l) != lane || !there || who != tid {
							t.Fatalf("block %v thread %v: %d %d %v, %d %d; back %v %v", block, tid, w, l, ok, warp, lane, who, there)
						}
					})
				}
			}
		}
	}
	if _, err := prose.Threads(2, 3, 4, 25, false); !errors.Is(err, prose.ErrLaunch) {
		t.Error(err)
	}
	all, err := prose.Threads(2, 3, 4, 24, false)
	more, err2 := prose.Threads(2, 3, 4, 60, true)
	if len(all) != 24 || len(more) != 60 || err != nil || err2 != nil { // through
		t.Errorf("%d and %d tuples", len(all), len(more))
	}
}

// TestShared: the table's addresses against its rows laid end to end.
func TestShared(t *testing.T) { // NV-043 NV-098 NV-099
	fields, list, err := prose.Shared(64)
	if err != nil || len(fields) != len(formula.Shared) {
		t.Fatal(err)
	}
	for name, at := range fields {
		if formula.Shared[name] != at {
			t.Errorf("%s: 0x%x, 0x%x", name, formula.Shared[name], at)
		}
	}
	for i, at := range list {
		if f, ok := formula.SharedParameter(uint32(i)); !ok || f != at {
			t.Errorf("parameter %d: 0x%x, 0x%x", i, f, at)
		}
	}
	if _, ok := formula.SharedParameter(64); ok {
		t.Error("a parameter 64")
	}
}

// TestSurfaces walks surfaces of every tile mode.
func TestSurfaces(t *testing.T) { // NV-103 NV-104 NV-105 NV-106 NV-109 NV-110
	for mode := range uint32(6) {
		lines := 4 << mode
		const width = 256
		s := formula.Segment{Base: 0x10_0000_0000, Pitch: uint32(width * lines), Mode: mode, Limit: uint32(3*lines-1)<<16 | width - 1}
		p := prose.Surface{Base: s.Base, Pitch: uint64(s.Pitch), Lines: lines}
		seen, parted := map[uint64]bool{}, false
		for y := range 3 * lines {
			for x := range width {
				reg := uint32(y<<16 | x)
				a, b := s.Address(reg), p.Address(x, y)
				if back, ok := s.Register(a); a != b || !ok || back != reg || seen[a] || s.Outside(reg) {
					t.Fatalf("mode %d (%d, %d): 0x%x, 0x%x, back 0x%x", mode, x, y, a, b, back)
				}
				seen[a] = true
				parted = parted || a != p.SurfacePitch(x, y)
			}
		}
		if !parted { // pitch
			t.Errorf("mode %d: both pitches give one address", mode)
		}
		if !s.Outside(uint32(3*lines)<<16) || !s.Outside(width) {
			t.Errorf("mode %d: no limit", mode)
		}
	}
	linear := formula.Segment{Base: 0x1000, Linear: true, Limit: 0x2ff}
	if linear.Address(0x123) != 0x1123 || linear.Outside(0x2ff) || !linear.Outside(0x300) {
		t.Error("linear")
	}
}
