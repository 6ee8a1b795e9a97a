package resched

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Registers that instructions write and read, by "nvdisasm -plr" of 13.5 of code by ptxas 13.0.88 for sm_100
// and sm_120.
var operandsOf = []struct {
	lo, hi        uint64
	writes, reads string
}{
	{0x61c007c0c, 0xbf16270, "P0", "R28 R29 UR6 UR7"},                  // ISETP.GE.S64.AND P0, PT, R28, UR6, PT
	{0x60a0a7607, 0x4000000, "R10 R11", "R6 R7 R10 R11 P0"},            // SEL.64 R10, R10, R6, !P0
	{0x1006067897, 0xfffe0ff, "UR6 UR7", "UR6 UR7"},                    // UIADD3.64 UR6, UPT, UPT, UR6, 0x10, URZ
	{0x834e0b5f39007827, 0x78e0204, "R0", "R4 R5 R57"},                 // IMAD.HI R0, R57, -0x7cb1f4a1, R4
	{0x10600788c, 0x8705670, "UP0", "UR6 UP0"},                         // UISETP.NE.OR UP0, UPT, UR6, 0x1, UP0
	{0x1b2929c892, 0xf8e3cff, "UR41", "UR41 UP4"},                      // @!UP4 ULOP3.LUT UR41, UR41, 0x1b, URZ, 0x3c, !UPT
	{0x1fff04047589, 0xe0000, "R4", "R4"},                              // SHFL.IDX PT, R4, R4, RZ, 0x1f
	{0x3400007d02, 0x8000000, "P0", "R0 UR52"},                         // FCHK P0, R0, UR52
	{0x8000000402ff79a3, 0xc1eff04, "", "R2 R3 R4 R5 UR4 UR5"},         // ATOMG.E.ADD.F64.RN.STRONG.GPU PT, RZ, desc[UR4][R2.64], R4
	{0x900067c82, 0x8000000, "UR6", "UR9"},                             // UMOV UR6, UR9
	{0x2ff247217, 0x7ffe600, "R36 R37", "R2 R3"},                       // IMNMX.S64 PT, PT, R36, RZ, R2, !PT, !PT
	{0xffff800000007817, 0x7ffe200, "R0", "R0"},                        // IMNMX R0, R0, -0x8000, !PT, sm_110
	{0x905097983, 0x8100200, "R9", "R5 UR9"},                           // LDL.S8 R9, [R5+UR9]
	{0xfc0000037984, 0x800, "R3", "R0"},                                // LDS R3, [R0+0xfc]
	{0x7047254, 0x8000906, "UR4", "UR6 UR7"},                           // UFADD UR4, -UR7, -UR6
	{0x3f80000004057455, 0x8000805, "UR5", "UR4 UR5"},                  // UFFMA UR5, UR4, -UR5, 1
	{0xff05007253, 0xbf0d000, "UP0", "UR5"},                            // UFSETP.NEU.AND UP0, UPT, UR5, URZ, UPT
	{0xc06047887, 0x8000000, "UR4", "UR6 UP0"},                         // USEL UR4, UR6, 0xc, UP0
	{0x25cf1f790d1e7433, 0x3802880, "R30", "R13"},                      // HSET2.BF.EQ.AND R30, R13.H0_H0, 0.0226898193359375, 0.007297515869140625, PT
	{0x637247e25, 0xf8e0004, "R36 R37", "R4 R55 UR6 UR7"},              // IMAD.WIDE.U32 R36, R55, R4, UR6
	{0x60ff060008107f99, 0x81eab00, "R16 R17", "R8 R9 UR6"},            // SULD.D.BA.2D.64.STRONG.SM.IGN R16, [R8], UR6
	{0xb0ff060004047f99, 0x81ea500, "R4", "R4 R5 R6 UR6"},              // SULD.D.BA.3D.U16.STRONG.SM.TRAP R4, [R4], UR6
	{0x50ff040008087f99, 0x81ead00, "R8 R9 R10 R11", "R8 R9 UR4"},      // SULD.D.BA.1D_ARRAY.128.STRONG.SM.TRAP R8, [R8], UR4
	{0x80ff041408007f9d, 0x810ab00, "", "R8 R9 R10 R20 R21 UR4"},       // SUST.D.BA.2D_ARRAY.64.STRONG.SM.IGN [R8], R20, UR4
	{0x10ff06040b007f9d, 0x810a100, "", "R4 R11 UR6"},                  // SUST.D.BA.1D.U8.STRONG.SM.TRAP [R11], R4, UR6
	{0x68ff060c12007f9d, 0x810ad00, "", "R12 R13 R14 R15 R18 R19 UR6"}, // SUST.D.BA.2D.128.STRONG.SM [R18], R12, UR6
	{0xb0ff060408007f9b, 0x810af00, "", "R4 R5 R6 R7 R8 R9 R10 UR6"},   // SUST.P.3D.STRONG.SM.TRAP [R8], R4, UR6
	{0x10ff060c05007f9b, 0x810a100, "", "R5 R12 UR6"},                  // SUST.P.1D.STRONG.SM.R.TRAP [R5], R12, UR6
	{0x68ff060a10008f9f, 0x8114500, "", "R10 R11 R16 R17 P0 UR6"},      // @!P0 SURED.D.BA.2D.ADD.U64.STRONG.SYS [R16], R10, UR6
	{0xa0ff060808007f9f, 0x9114100, "", "R8 R9 R10 UR6"},               // SURED.D.BA.3D.MAX.STRONG.SYS.IGN [R8], R8, UR6
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

// TestOperandsOfDrawn wants what nvdisasm says of instructions of all kinds.
func TestOperandsOfDrawn(t *testing.T) {
	text, err := os.ReadFile("testdata/operands.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if line[0] == '#' {
			continue
		}
		lo, err := strconv.ParseUint(f[0], 0, 64)
		hi, err2 := strconv.ParseUint(f[1], 0, 64)
		if err != nil || err2 != nil || len(f) != 5 {
			t.Fatalf("%q", line)
		}
		w := word{lo: lo, hi: hi}
		o := w.operands()
		if writes, reads := names(o.writes), names(o.reads); writes != sorted(f[2]) || reads != sorted(f[3]) {
			t.Errorf("%s: writes %s, reads %s; want %s, %s", f[4], writes, reads, f[2], f[3])
		}
		n++
	}
	if n < 900 {
		t.Errorf("%d instructions", n)
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
