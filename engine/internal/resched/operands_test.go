package resched

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Registers that instructions write and read, by "nvdisasm -plr" of 13.5 of code by ptxas 13.0.88 for sm_100
// and sm_120.
var operandsOf = []struct {
	lo, hi        uint64
	writes, reads string
}{
	{0x61c007c0c, 0xbf16270, "P0", "R28 R29 UR6 UR7"},          // ISETP.GE.S64.AND P0, PT, R28, UR6, PT
	{0x60a0a7607, 0x4000000, "R10 R11", "R6 R7 R10 R11 P0"},    // SEL.64 R10, R10, R6, !P0
	{0x1006067897, 0xfffe0ff, "UR6 UR7", "UR6 UR7"},            // UIADD3.64 UR6, UPT, UPT, UR6, 0x10, URZ
	{0x834e0b5f39007827, 0x78e0204, "R0", "R4 R5 R57"},         // IMAD.HI R0, R57, -0x7cb1f4a1, R4
	{0x10600788c, 0x8705670, "UP0", "UR6 UP0"},                 // UISETP.NE.OR UP0, UPT, UR6, 0x1, UP0
	{0x1b2929c892, 0xf8e3cff, "UR41", "UR41 UP4"},              // @!UP4 ULOP3.LUT UR41, UR41, 0x1b, URZ, 0x3c, !UPT
	{0x1fff04047589, 0xe0000, "R4", "R4"},                      // SHFL.IDX PT, R4, R4, RZ, 0x1f
	{0x3400007d02, 0x8000000, "P0", "R0 UR52"},                 // FCHK P0, R0, UR52
	{0x8000000402ff79a3, 0xc1eff04, "", "R2 R3 R4 R5 UR4 UR5"}, // ATOMG.E.ADD.F64.RN.STRONG.GPU PT, RZ, desc[UR4][R2.64], R4
	{0x900067c82, 0x8000000, "UR6", "UR9"},                     // UMOV UR6, UR9
	{0x2ff247217, 0x7ffe600, "R36 R37", "R2 R3"},               // IMNMX.S64 PT, PT, R36, RZ, R2, !PT, !PT
	{0x905097983, 0x8100200, "R9", "R5 UR9"},                   // LDL.S8 R9, [R5+UR9]
	{0xfc0000037984, 0x800, "R3", "R0"},                        // LDS R3, [R0+0xfc]
	{0x7047254, 0x8000906, "UR4", "UR6 UR7"},                   // UFADD UR4, -UR7, -UR6
	{0x3f80000004057455, 0x8000805, "UR5", "UR4 UR5"},          // UFFMA UR5, UR4, -UR5, 1
	{0xff05007253, 0xbf0d000, "UP0", "UR5"},                    // UFSETP.NEU.AND UP0, UPT, UR5, URZ, UPT
	{0xc06047887, 0x8000000, "UR4", "UR6 UP0"},                 // USEL UR4, UR6, 0xc, UP0
	{0x25cf1f790d1e7433, 0x3802880, "R30", "R13"},              // HSET2.BF.EQ.AND R30, R13.H0_H0, 0.0226898193359375, 0.007297515869140625, PT
	{0x637247e25, 0xf8e0004, "R36 R37", "R4 R55 UR6 UR7"},      // IMAD.WIDE.U32 R36, R55, R4, UR6
}

// TestOperands wants of pairs, of the uniform datapath and of addresses in it what nvdisasm says.
func TestOperands(t *testing.T) {
	for _, c := range operandsOf {
		w := word{lo: c.lo, hi: c.hi}
		o := w.operands()
		if writes, reads := names(o.writes), names(o.reads); writes != sorted(c.writes) || reads != sorted(c.reads) {
			t.Errorf("%#x %#x: writes %s, reads %s; want %s, %s", c.lo, c.hi, writes, reads, c.writes, c.reads)
		}
	}
}

// names are the registers of spans as nvdisasm calls them, each once.
func names(list []span) string {
	var all []string
	for _, s := range list {
		for i := s.first; i < s.first+s.count; i++ {
			switch {
			case i == uniformFile+zero:
			case i >= uniformPred:
				all = append(all, fmt.Sprint("UP", i-uniformPred))
			case i >= predFile:
				all = append(all, fmt.Sprint("P", i-predFile))
			case i >= uniformFile:
				all = append(all, fmt.Sprint("UR", i-uniformFile))
			default:
				all = append(all, fmt.Sprint("R", i))
			}
		}
	}
	return sorted(strings.Join(all, " "))
}

func sorted(list string) string {
	all := strings.Fields(list)
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}
