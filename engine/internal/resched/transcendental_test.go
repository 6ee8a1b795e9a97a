package resched

import "testing"

// Pairs of instructions of the transcendental unit come out as nvlink 13.0.88 has them for sm_103: stalls, and
// scoreboards of results that another instruction's answered for. The folder has the PTX.
func TestTranscendental(t *testing.T) {
	eachPair(t, "transcendental", func(file string, text, want []byte) {
		if r := Kernel(text, Options{Slow: true}); string(r.Text) != string(want) || r.Exact && !r.Quicker {
			t.Errorf("%s: not nvlink's, or promised", file)
		}
		if r := Kernel(text, Options{Slow: true, Debug: true, Fence: true}); !r.Quicker && r.Exact {
			t.Errorf("%s: promised with -g", file)
		}
		if r := Kernel(text, Options{}); r.Quicker {
			t.Errorf("%s: for sm_100 too", file)
		}
	})
}

// made is a word of the transcendental unit without scoreboards.
func made(op uint64, function uint64, stall int) word {
	w := word{lo: op | 7<<12 | 4<<32 | 2<<16, hi: 7<<46 | 7<<49 | function<<10}
	w.setStall(stall)
	return w
}

// What is far after, or takes the unit on sm_103 as it does on sm_100, is no change.
func TestQuicker(t *testing.T) {
	for _, tt := range []struct {
		name string
		code []word
		want bool
	}{
		{"POPC twice", []word{made(opPOPC, 0, 8), made(opPOPC, 0, 8)}, true},
		{"RCP twice", []word{made(opMUFU, 4, 8), made(opMUFU, 4, 8)}, false},
		{"POPC far behind", []word{made(opPOPC, 0, 15), made(opPOPC, 0, 8)}, false},
	} {
		if got := hasQuicker(tt.code); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	exit := word{lo: opEXIT | 7<<12, hi: 7<<46 | 7<<49 | 5<<41}
	conversion := []word{made(0x310, 0, 8), exit}
	if r := Kernel(join(conversion), Options{Slow: true, Debug: true}); !r.Quicker {
		t.Error("a conversion of doubles in code with -g")
	}
}

// A block's end waits for the result of a MUFU that is complete there: after 17 cycles on sm_100, after 18 on
// sm_103.
func TestLateMUFU(t *testing.T) {
	for _, stall := range []int{4, 5} {
		root := made(opMUFU, 5, stall)
		root.setWr(2)
		other := bare(0x210, 7, 12, 8)
		other.setStall(13)
		branch := bare(opBRA, 0, 0, zero)
		branch.put(ppField, 3, 7)
		branch.setStall(5)
		branch.setWait(1 << 2)
		use := bare(0x210, 7, 13, 2) // reads R2
		exit := bare(opEXIT, 7, 0, zero)
		exit.put(ppField, 3, 7)
		words := []word{root, other, branch, use, exit}
		words[2].setBranchTarget(2, 4)
		late := stall == 4
		if got := hasLateMUFU(words); got != late {
			t.Fatalf("stall %d: late %v", stall, got)
		}
		r := Kernel(join(words), Options{Slow: true, Stays: true})
		out := split(r.Text)
		if waits := out[2].wait() != 0; waits == late || late && out[3].wait() != 1<<out[0].wr() {
			t.Errorf("stall %d: the branch waits for %x, the use for %x", stall, out[2].wait(), out[3].wait())
		}
	}
}

// Comparisons of halves that read a predicate, or whose own is read at once, are told.
func TestHalves(t *testing.T) {
	half := bare(0x234, 7, 0, 4)
	half.put(pField, 3, 1)
	half.put(p2Field, 3, 7)
	half.put(ppField, 3, 7)
	logic := bare(0x81c, 7, 0, 0)
	for _, field := range []uint{pField, p2Field, 77, lastPField} {
		logic.put(field, 3, 7)
	}
	logic.put(ppField, 3, 1)
	far := half
	far.setStall(13)
	reads := half
	reads.put(ppField, 3, 2)
	for name, c := range map[string]struct {
		code []word
		want bool
	}{
		"alone":     {[]word{half}, false},
		"reads":     {[]word{reads}, true},
		"read":      {[]word{half, logic}, true},
		"read late": {[]word{far, logic}, false},
	} {
		if got := hasHalves(c.code); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A BAR is as far after an LDC as another LDC does: in 67 functions of real programs by ptxas 13.0.88
// it is eight cycles at least.
func TestLoadBeforeBAR(t *testing.T) {
	load, add, barrier := bare(opLDC, 7, 0, zero), bare(0x210, 7, 4, 8), bare(opBAR, 7, 0, zero)
	f := trace([]word{load, add, barrier})
	if at, apart := f.lastAlike(&f.blocks[0], 2); at != 0 || apart != loadsApart {
		t.Errorf("behind word %d, %d cycles", at, apart)
	}
	if at, _ := f.lastAlike(&f.blocks[0], 1); at >= 0 {
		t.Errorf("a sum stands behind word %d", at)
	}
}
