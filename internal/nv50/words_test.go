package nv50

import (
	"fmt"
	"testing"

	"github.com/twinlink/twinlink/internal/nv50/formula"
	"github.com/twinlink/twinlink/internal/nv50/prose"
)

// FuzzWords takes any word apart and puts it together on both sides.
func FuzzWords(f *testing.F) { // NV-070 NV-071 NV-072 NV-082 NV-084 NV-100 NV-101
	f.Add(uint32(0xdeadbeef), uint32(0x12345678))
	f.Add(uint32(0), uint32(0xffffffff))
	f.Fuzz(func(t *testing.T, w, other uint32) {
		same := func(what string, f uint32, word string) {
			if p, err := prose.Build(word, prose.Parts(word, w)); err != nil || p != f {
				t.Errorf("%s of 0x%x: 0x%x, 0x%x, %v", what, w, f, p, err)
			}
		}
		same("physid", formula.PhysID(formula.FromPhysID(w)), "physid")
		address, number, warp, kind, active := formula.FromStackEntry([2]uint32{w, other})
		parts := prose.Parts("entry", w)
		if parts["address"]*4 != uint64(address) || parts["number"]*2 != uint64(number) || parts["warp"] != uint64(warp) || parts["kind"] != uint64(kind) || active != other {
			t.Errorf("entry 0x%x: %v", w, parts)
		}
		if again := formula.StackEntry(address, number, warp, kind, active); again != [2]uint32{w, other} {
			t.Errorf("entry 0x%x: 0x%x", w, again)
		}
		same("CB_ADDR", formula.CBAddr(formula.FromCBAddr(w)), "cb-addr")
		same("CB_DEF_SET", formula.CBDefSet(formula.FromCBDefSet(w)), "cb-def-set")
		if _, size := formula.FromCBDefSet(w); size < 1 || size > 1<<16 || size&0xffff != uint32(prose.Parts("cb-def-set", w)["size"]) {
			t.Errorf("size %d of 0x%x", size, w)
		}
		if buffer, space, program, ok := formula.FromSetProgramCB(w); ok {
			same("SET_PROGRAM_CB", formula.SetProgramCB(buffer, space, program), "set-program-cb")
		}
		same("$r0", formula.R0(formula.FromR0(w)), "r0")
		if x, y, z := formula.FromR0(w); formula.R0(x, y, z) != w {
			t.Errorf("$r0 0x%x", w)
		}
	})
}

// FuzzAddresses lets chips and contexts be anything; both sides must agree, or
// part over a contradiction that is named.
func FuzzAddresses(f *testing.F) {
	f.Add(uint32(0b101), uint32(0b111), uint32(7), uint32(0x1234), uint32(17), uint32(3), uint32(1), uint32(2), uint8(0xff))
	f.Add(uint32(3), uint32(3), uint32(2), uint32(0), uint32(0), uint32(9), uint32(0), uint32(0), uint8(0))
	f.Fuzz(func(t *testing.T, tps, mps, log, addr, lane, warp, mp, tp uint32, flags uint8) {
		given := map[string]string{
			"tps": fmt.Sprint(tps & 0xffff), "mps": fmt.Sprint(mps & 0xf), "warps-log": fmt.Sprint(log & 7), "addr": fmt.Sprint(addr & 0xffff),
			"entry": fmt.Sprint(addr & 0xffff), "lane": fmt.Sprint(lane & 15), "warp": fmt.Sprint(warp & 31), "mp": fmt.Sprint(mp & 3), "tp": fmt.Sprint(tp & 15),
			"nva0": fmt.Sprint(flags&1 != 0), "no-clamp": fmt.Sprint(flags&2 != 0), "warp-halves": fmt.Sprint(1 + flags>>2&1), "lane-enable": fmt.Sprint(flags >> 3 & 1),
		}
		for i := range Questions {
			q := &Questions[i]
			if q.Name != "local" && q.Name != "stack" {
				continue
			}
			a, err := q.Ask(given)
			if err != nil {
				if tps&0xffff == 0 || mps&0xf == 0 {
					continue
				}
				t.Fatal(err)
			}
			first, last := a.Readings[len(a.Readings)-2].Value, a.Readings[len(a.Readings)-1].Value // grouped, or the formula; prose
			named := false
			for _, w := range a.Why {
				named = named || w != "local-precedence"
			}
			if first != last && !named {
				t.Errorf("%s %v: %v over %v", q.Name, given, a.Readings, a.Why)
			}
		}
	})
}
