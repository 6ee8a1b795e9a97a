package nv50

import (
	"fmt"

	"github.com/twinlink/twinlink/internal/nv50/formula"
	"github.com/twinlink/twinlink/internal/nv50/prose"
)

var chipParams = []Param{
	{"warp", "0", "warp id"},
	{"mp", "0", "MP id"},
	{"tp", "0", "TP id"},
	{"tps", "0x1", "mask of active TPs (register 0x1540 & 0xffff)"},
	{"mps", "0x1", "mask of active MPs of a TP"},
	{"nva0", "true", "chipset NVA0 or later"},
	{"warps-log", "7", "method *_WARPS_LOG_ALLOC: 0 to 4, and 7 for 5"},
	{"no-clamp", "false", "method *_WARPS_NO_CLAMP"},
}

var laneParams = []Param{
	{"lane", "0", "lane id"},
	{"warp-halves", "2", "method 0x3b8, WARP_HALVES"},
	{"lane-enable", "1", "method 0x2b8"},
}

// chip is the two sides' view of one chip.
type chip struct {
	f            formula.Chip
	p            prose.Settings
	warp, mp, tp uint32
	width        bool // the sides take different widths of a warp
}

func (v *values) chip() (c chip) {
	c.warp, c.mp, c.tp = v.number("warp", 31), v.number("mp", 3), v.number("tp", 15)
	c.f.TPs, c.p.TPs = v.mask("tps", 0xffff)
	c.f.MPs, c.p.MPs = v.mask("mps", 0xf)
	c.f.NVA0 = v.yes("nva0")
	c.p.NVA0 = c.f.NVA0
	log := v.number("warps-log", 7)
	c.f.StackWarpsLogAlloc, c.f.LocalWarpsLogAlloc, c.p.WarpBits = log, log, fmt.Sprint(log)
	c.p.NoClamp = v.yes("no-clamp")
	c.p.Lanes = 32
	return c
}

// lanes adds how wide warps are.
func (v *values) lanes(c *chip) {
	halves, enable := v.number("warp-halves", 2), v.number("lane-enable", 1)
	c.f.Compute, c.f.WarpHalves = true, halves
	c.p.Lanes = int(formula.Lanes(enable, halves))
	c.width = c.p.Lanes != 16*int(max(halves, 1))
}

// result is the prose's answer, or why there is none.
func result(address uint64, err error) string {
	if err != nil {
		return "none: " + err.Error()
	}
	return hex(address)
}

func askStack(v *values) ([]Reading, []string) {
	c := v.chip()
	entry := v.number("entry", 1<<20)
	if v.err != nil {
		return nil, nil
	}
	value, err := uint64(0), error(nil)
	l, err := prose.Stack(c.p)
	if err == nil {
		value, err = l.Entry(int(entry), int(c.warp), int(c.mp), int(c.tp))
	}
	return []Reading{
		{"formula", hex(c.f.StackAddress(entry, c.warp, c.mp, c.tp))},
		{"prose", result(value, err)},
	}, c.why()
}

func askLocal(v *values) ([]Reading, []string) {
	c := v.chip()
	v.lanes(&c)
	addr, lane := v.number("addr", 0xffff), v.number("lane", 31)
	if v.err != nil {
		return nil, nil
	}
	return c.local(addr, lane), append(c.why(), "local-precedence")
}

// local is where a byte of l[] lies, in three readings.
func (c *chip) local(addr, lane uint32) []Reading {
	value, err := uint64(0), error(nil)
	l, err := prose.Local(c.p)
	if err == nil {
		value, err = l.Byte(int(addr), int(lane), int(c.warp), int(c.mp), int(c.tp))
	}
	return []Reading{
		{"formula, as C reads it", hex(c.f.LocalAddress(addr, lane, c.warp, c.mp, c.tp))},
		{"formula, terms grouped", hex(c.f.LocalAddressGrouped(addr, lane, c.warp, c.mp, c.tp))},
		{"prose", result(value, err)},
	}
}

// why are the contradictions that bear on a chip.
func (c *chip) why() (list []string) {
	if c.width {
		list = append(list, "lanes-of-a-block")
	}
	mps := len(c.p.MPs)
	if !c.p.NVA0 && mps&(mps-1) != 0 {
		list = append(list, "grouping-alignment")
	}
	switch log := c.f.StackWarpsLogAlloc; {
	case log == 5 || log == 6:
		list = append(list, "warp-bits")
	case log < 5 && c.warp>>log != 0 && !c.p.NoClamp:
		list = append(list, "clamp")
	}
	if c.f.TPs>>c.tp&1 == 0 || c.f.MPs>>c.mp&1 == 0 {
		list = append(list, "inactive")
	}
	return list
}

// askWhere goes from a thread of a block to the place of a word of its local
// memory.
func askWhere(v *values) ([]Reading, []string) {
	c := v.chip()
	v.lanes(&c)
	block, tid := v.three("block", [3]uint64{512, 512, 64}), v.three("tid", [3]uint64{511, 511, 63})
	threads, word := v.number("threads", 512), v.number("word", 0x3fff)
	if v.err != nil {
		return nil, nil
	}
	lanes := formula.Lanes(v.number("lane-enable", 1), v.number("warp-halves", 2))
	first := c.warp
	warp, lane, ok := formula.Thread(block, tid, threads, lanes)
	if !ok || uint64(threads) > uint64(block[0])*uint64(block[1])*uint64(block[2]) {
		return []Reading{{"formula", "no such thread is launched"}, {"prose", proseThread(block, tid, threads, lanes, false)}}, contradiction("through")
	}
	c.warp = first + warp
	readings := c.local(4*word, lane)
	for i := range readings {
		readings[i].Value = fmt.Sprintf("warp %d, lane %d, %s", c.warp, lane, readings[i].Value)
	}
	return readings, append(c.why(), "local-precedence")
}

// inverse shows whose an address is.
func inverse(local bool) func(v *values) ([]Reading, []string) {
	return func(v *values) ([]Reading, []string) {
		c := v.chip()
		v.lanes(&c)
		address := v.number("address", 0xffffffff)
		if v.err != nil {
			return nil, nil
		}
		var f formula.Place
		var ok bool
		var l *prose.Layout
		var err error
		if local {
			f, ok = c.f.LocalPlace(address)
			l, err = prose.Local(c.p)
		} else {
			f, ok = c.f.StackPlace(address)
			l, err = prose.Stack(c.p)
		}
		theirs, ours := "none: "+prose.ErrNobody.Error(), ""
		if ok {
			theirs = fmt.Sprintf("position 0x%x byte %d of lane %d, warp %d, MP %d, TP %d", f.Position, f.Byte, f.Lane, f.Warp, f.MP, f.TP)
		}
		if err == nil {
			var p prose.Context
			if p, err = l.Whose(uint64(address)); err == nil {
				ours = fmt.Sprintf("position 0x%x byte %d of lane %d, warp %d, MP %d, TP %d", p.Position, p.Byte, p.Lane, p.Warp, p.MP, p.TP)
			}
		}
		if err != nil {
			ours = "none: " + err.Error()
		}
		return []Reading{{"formula", theirs}, {"prose", ours}}, c.why()
	}
}
