package resched

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// classes are what is asked of an instruction by its opcode, and the names that nvdisasm gives to those of which it is true.
var classes = []struct {
	name string
	is   func(w *word) bool
	of   string
}{
	{"slow", (*word).isSlow, "ATOM ATOMG LD LDG LDL REDG SULD TEX TLD4 TLD TXD TMML"},
	{"texture", (*word).isTexture, "TEX TLD4 TLD TXD TMML"},
	{"call", (*word).isCall, "CALL"},
	{"of a fence", (*word).isOfFence, "CCTL CGAERRBAR ERRBAR NOP"},
	{"barrier in shared memory", (*word).isSYNCS, "SYNCS"},
	{"branch by a register", (*word).isIndexed, "BRX BRXU"},
	{"counts copies", (*word).countsCopies, "LDGDEPBAR UTMACMDFLUSH"},
	{"stores shared memory", (*word).storesShared, "STS"},
	{"changes a surface", func(w *word) bool { return w.writesSurface() }, "SURED SUST"},
	{"copy to shared memory", func(w *word) bool { return w.isLDGSTS() }, "LDGSTS"},
	{"fence", func(w *word) bool { return w.isMEMBAR() }, "MEMBAR"},
}

// kinds are the units by the names of their instructions.
var kinds = map[string]int{
	"S2R": kindS2R, "S2UR": kindS2UR, "LDS": kindLDS, "LDC": kindLDC, "LDCU": kindLDCU, "SHFL": kindShuffle, "FLO": kindCount, "POPC": kindCount, "UFLO": kindCount, "UPOPC": kindCount,
	"I2F": kindConvert, "F2I": kindConvert, "MUFU": kindMUFU, "DADD": kindDouble, "DMUL": kindDouble, "DFMA": kindDouble, "DSETP": kindDouble,
}

// What an instruction is by its opcode is what its name says, of instructions of all kinds.
func TestKindsOfDrawn(t *testing.T) {
	text, err := os.ReadFile("testdata/operands.tsv")
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		lo, err := strconv.ParseUint(f[0], 0, 64)
		hi, err2 := strconv.ParseUint(f[1], 0, 64)
		if err != nil || err2 != nil {
			t.Fatalf("%q", line)
		}
		w := word{lo: lo, hi: hi}
		words := strings.Fields(f[4])
		guarded := strings.HasPrefix(words[0], "@")
		if guarded {
			words = words[1:]
		}
		if (w.guard() != 7) != guarded {
			t.Errorf("%s: guard %d", f[4], w.guard())
		}
		name, _, _ := strings.Cut(words[0], ".")
		for _, c := range classes {
			want := false
			for of := range strings.FieldsSeq(c.of) {
				want = want || of == name
			}
			if got := c.is(&w); got != want {
				t.Errorf("%s (%#x): %s %v, want %v", f[4], w.op(), c.name, got, want)
			}
			if want {
				met[c.name]++
			}
		}
		want, special := kinds[name]
		switch {
		case special && w.isPaced() && want == kindConvert: // of 64 bits: the unit of doubles does it
			want = kindOther
		case special:
		case w.isSlow():
			want = kindSlow
		default:
			want = kindOther
		}
		if got := w.kind(); got != want {
			t.Errorf("%s (%#x): unit %d, want %d", f[4], w.op(), got, want)
		}
		met[strconv.Itoa(want)]++
	}
	if len(met) < 16 {
		t.Errorf("only %v", met)
	}
	t.Log(met)
}

// Fields of the scheduling part, of a word by ptxas 13.0.88: nvdisasm shows &wr, &rd, &req and ?WAIT.
func TestScheduleFields(t *testing.T) {
	w := word{lo: 0x0000000600007312, hi: 0x000e240000309000} // I2F.U64.RP R0, R6 &wr=0x0 ?WAIT2_END_GROUP
	if w.op() != 0x312 || w.wr() != 0 || w.rd() != noBoard || w.waitMask() != 0 || w.stall() != 2 {
		t.Errorf("op %#x, wr %d, rd %d, wait %#x, stall %d", w.op(), w.wr(), w.rd(), w.waitMask(), w.stall())
	}
	before := w
	w.setWr(5)
	w.setRd(3)
	w.setWait(0x2a)
	w.setStall(11)
	w.setYield(true)
	if w.wr() != 5 || w.rd() != 3 || w.wait() != 0x2a || w.stall() != 11 || w.hi>>45&1 != 1 || w.lo != before.lo || w.hi&(1<<41-1) != before.hi&(1<<41-1) || w.hi>>58 != before.hi>>58 {
		t.Errorf("%#x of %#x", w.hi, before.hi)
	}
	w.setWr(0)
	w.setRd(noBoard)
	w.setWait(0)
	w.setStall(2)
	w.setYield(before.hi>>45&1 == 1)
	if w != before {
		t.Errorf("%#x, want %#x", w.hi, before.hi)
	}
	// A NOP or CCTL that waits for all keeps its wait, and waits for nothing of its own.
	for op, drains := range map[uint64]bool{opNOP: true, opCCTL: true, opBAR: false} {
		w := word{lo: op}
		w.hi = allBoards << 52
		if w.drains() != drains || (w.wait() == 0) != drains || w.waitMask() != allBoards {
			t.Errorf("%#x: drains %v, wait %#x", op, w.drains(), w.wait())
		}
		if w.setWait(1); (w.waitMask() == allBoards) != drains {
			t.Errorf("%#x: wait %#x", op, w.waitMask())
		}
	}
	if (&word{lo: opNOP, hi: (allBoards - 1) << 52}).drains() {
		t.Error("one scoreboard less")
	}
	// Branches: the offset of BRA counts from the next word, in words.
	for _, op := range []uint64{opBRA, opBSSY, opBRX, opBRAUnif, opBRXU, opWARPSYNC, opWARPSYNCReg} {
		for _, target := range []int{0, 1, 6, 7, 8, 300, 1 << 20} {
			w := word{lo: op, hi: 0xfc0000000000000}
			w.setBranchTarget(6, target)
			if got, ok := w.branchTarget(6); !ok || got != target {
				t.Errorf("%#x to word %d is to %d, %v", op, target, got, ok)
			}
		}
	}
	if _, ok := (&word{lo: opEXIT}).branchTarget(3); ok {
		t.Error("an EXIT has a target")
	}
	back := word{lo: 0xfffffffc00fc7947, hi: 0x000fc0000383ffff} // BRA to itself, nvlink 13.0.88
	if got, ok := back.branchTarget(2); !ok || got != 2 {
		t.Errorf("%d, %v", got, ok)
	}
}
