package nv50

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/internal/nv50/formula"
	"github.com/twinlink/twinlink/internal/nv50/prose"
)

// built is the prose's word, or what doesn't fit.
func built(word string, values map[string]uint64) string {
	w, err := prose.Build(word, values)
	if err != nil {
		return "none: " + err.Error()
	}
	return hex(w)
}

func askPhysID(v *values) ([]Reading, []string) {
	lane, warp, mp, tp := v.number("lane", 31), v.number("warp", 31), v.number("mp", 3), v.number("tp", 15)
	return []Reading{
		{"formula", hex(formula.PhysID(lane, warp, mp, tp))},
		{"prose", built("physid", map[string]uint64{"lane": uint64(lane), "warp": uint64(warp), "mp": uint64(mp), "tp": uint64(tp)})},
	}, nil
}

func askWhoIs(v *values) ([]Reading, []string) {
	id := v.number("physid", 0xffffffff)
	lane, warp, mp, tp := formula.FromPhysID(id)
	p := prose.Parts("physid", id)
	return []Reading{
		{"formula", fmt.Sprintf("lane %d, warp %d, MP %d, TP %d", lane, warp, mp, tp)},
		{"prose", fmt.Sprintf("lane %d, warp %d, MP %d, TP %d", p["lane"], p["warp"], p["mp"], p["tp"])},
	}, nil
}

func askEntry(v *values) ([]Reading, []string) {
	w := [2]uint32{v.number("word0", 0xffffffff), v.number("word1", 0xffffffff)}
	address, number, warp, kind, active := formula.FromStackEntry(w)
	p := prose.Parts("entry", w[0])
	name, ok := prose.Kinds[fmt.Sprintf("%03b", p["kind"])]
	if !ok {
		name = "unknown"
	}
	kinds := map[uint32]string{2: "call without 0x40 in second word", 3: "call with 0x40 in second word", 6: "joinat"}
	theirs, ok := kinds[kind]
	if !ok {
		theirs = "unknown"
	}
	const form = "%s, address 0x%x, bits 1 and 2 of the number %d, warp %d, active 0x%x"
	return []Reading{
		{"formula", fmt.Sprintf(form, theirs, address, number, warp, active)},
		{"prose", fmt.Sprintf(form, name, 4*p["address"], 2*p["number"], p["warp"], w[1])},
	}, nil
}

func askUpload(v *values) ([]Reading, []string) {
	buffer, address, words := v.number("buffer", 127), v.number("addr", 0xffff), v.number("words", 1<<15)
	if address%4 != 0 {
		v.fail("addr", "uploads are words")
	}
	register := formula.CBAddr(buffer, address)
	ours := built("cb-addr", map[string]uint64{"buffer": uint64(buffer), "word": uint64(address / 4)})
	list, ok := formula.CBUploads(register, int(words))
	theirs := fmt.Sprintf("CB_ADDR %s, %d words", hex(register), len(list))
	if !ok {
		theirs += ", then the address overflows"
	}
	all, err := prose.Upload(uint64(address), int(words))
	ours = fmt.Sprintf("CB_ADDR %s, %d words", ours, len(all))
	if err != nil {
		ours += ", then the address overflows"
	}
	if n := len(list); n > 0 {
		theirs += ", the last at " + hex(list[n-1])
	}
	if n := len(all); n > 0 {
		ours += ", the last at " + hex(all[n-1])
	}
	return []Reading{{"formula", theirs}, {"prose", ours}}, nil
}

func askThread(v *values) ([]Reading, []string) {
	block, tid := v.three("block", [3]uint64{512, 512, 64}), v.three("tid", [3]uint64{511, 511, 63})
	threads, lanes := v.number("threads", 512), v.number("lanes", 32)
	if lanes != 16 && lanes != 32 {
		v.fail("lanes", "16 or 32")
	}
	if uint64(block[0])*uint64(block[1])*uint64(block[2]) > 1<<16 {
		v.fail("block", "too large to be listed")
	}
	if v.err != nil {
		return nil, nil
	}
	theirs := "not launched"
	if warp, lane, ok := formula.Thread(block, tid, threads, lanes); ok && threads <= block[0]*block[1]*block[2] {
		theirs = fmt.Sprintf("warp %d of the block, lane %d", warp, lane)
	}
	return []Reading{
		{"formula", theirs},
		{"prose, as in its example", proseThread(block, tid, threads, lanes, false)},
		{"prose, \"through\" the block's size", proseThread(block, tid, threads, lanes, true)},
	}, contradiction("through")
}

func proseThread(block, tid [3]uint32, threads, lanes uint32, through bool) string {
	out := "not launched"
	list, err := prose.Threads(block[0], block[1], block[2], int(threads), through)
	if err != nil {
		return out
	}
	prose.Assign(list, int(lanes), func(t prose.Thread, warp, lane int) {
		if t == (prose.Thread{Z: tid[2], Y: tid[1], X: tid[0]}) {
			out = fmt.Sprintf("warp %d of the block, lane %d", warp, lane)
		}
	})
	return out
}

func askShared(v *values) ([]Reading, []string) {
	n := v.number("parameters", 64)
	fields, list, err := prose.Shared(int(n))
	if err != nil {
		v.fail("parameters", err.Error())
		return nil, nil
	}
	var theirs, ours []string
	for _, name := range []string{"gridid", "ntid.x", "ntid.y", "ntid.z", "nctaid.x", "nctaid.y", "ctaid.x", "ctaid.y"} {
		theirs = append(theirs, fmt.Sprintf("%s %s", name, hex(formula.Shared[name])))
		ours = append(ours, fmt.Sprintf("%s %s", name, hex(fields[name])))
	}
	for i, at := range list {
		one, _ := formula.SharedParameter(uint32(i))
		theirs = append(theirs, fmt.Sprintf("parameter %d %s", i, hex(one)))
		ours = append(ours, fmt.Sprintf("parameter %d %s", i, hex(at)))
	}
	return []Reading{{"formula", strings.Join(theirs, ", ")}, {"prose", strings.Join(ours, ", ")}}, nil
}

func askGlobal(v *values) ([]Reading, []string) {
	s := formula.Segment{Base: v.wide("base"), Pitch: v.number("pitch", 0x800000), Limit: v.number("limit", 0xffffffff), Linear: v.yes("linear"), Mode: v.number("mode", 7)}
	reg := v.number("reg", 0xffffffff)
	if !s.Linear && s.Pitch%0x100 != 0 {
		v.fail("pitch", "a multiple of 0x100")
	}
	if v.err != nil {
		return nil, nil
	}
	out := ""
	if s.Outside(reg) {
		out = ", out of bounds"
	}
	if s.Linear {
		return []Reading{{"formula", hex(s.Address(reg)) + out}, {"prose", hex(s.Base+uint64(reg)) + out}}, nil
	}
	surface := prose.Surface{Base: s.Base, Pitch: uint64(s.Pitch), Lines: 4 << s.Mode}
	x, y := int(reg&0xffff), int(reg>>16)
	return []Reading{
		{"formula", hex(s.Address(reg)) + out},
		{"prose, pitch of a row of tiles", hex(surface.Address(x, y)) + out},
		{"prose, pitch of the surface", hex(surface.SurfacePitch(x, y)) + out},
	}, contradiction("pitch")
}
