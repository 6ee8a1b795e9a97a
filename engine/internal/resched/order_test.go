package resched

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestArms makes kernels with stores in the arms of branches, as ptxas 13.0.88 compiled
// them from PTX made for this, what nvlink 13.0.88 makes of them.
func TestArms(t *testing.T) {
	eachPair(t, "arms", func(file string, text, want []byte) {
		if bytes.Equal(text, want) {
			t.Errorf("%s: nvlink changes nothing", file)
		}
		r := Kernel(text, Options{})
		if r.Lost != nil {
			t.Errorf("%s: lost %+v", file, r.Lost)
		}
		if late := Kernel(text, Options{Late: true}); late.Lost != nil {
			t.Errorf("%s: as later releases do it: lost %+v", file, late.Lost)
		}
		got, theirs := split(r.Text), split(want)
		for i := range theirs {
			if i >= len(got) || got[i] != theirs[i] {
				t.Errorf("%s: other at %#x", file, i*WordSize)
				break
			}
		}
	})
}

// eachPair visits the kernels of a folder: as ptxas wrote them and as nvlink did.
func eachPair(t *testing.T, folder string, visit func(file string, text, want []byte)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.ptxas"))
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".ptxas") + ".nvlink")
		if err != nil {
			t.Fatal(err)
		}
		visit(file, text, want)
	}
}

// TestOrder wants the arms of branches in the order in which nvlink 13.0.88 gave them
// scoreboards.
func TestOrder(t *testing.T) {
	for name, want := range map[string][]int{
		"tree4": {2, 3, 6, 5},
		"deep":  {3, 6, 5, 1},
	} {
		text, err := os.ReadFile("testdata/arms/" + name + ".nvlink")
		if err != nil {
			t.Fatal(err)
		}
		f := trace(split(text))
		var got []int
		for _, b := range f.order {
			if slices.Contains(want, b) {
				got = append(got, b)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: arms in the order %v, want %v", name, got, want)
		}
	}
}

// TestConversions wants the registers of conversions by their formats.
func TestConversions(t *testing.T) {
	for _, c := range []struct {
		name          string
		lo, hi        uint64
		reads, writes int
	}{
		{"I2F.F64 R34, R6", 0x0000000600227312, 0x002e640000201c00, 1, 2},
		{"F2F.F64.F32 R6, R19", 0x0000001300067310, 0x000e2e0000201800, 1, 2},
		{"F2F.F32.F64 R9, R6", 0x0000000600097310, 0x000e2e0000301000, 2, 1},
		{"I2F.U64.RP R4, R2", 0x0000000200047312, 0x000e2e0000309000, 2, 1},
	} {
		w := word{c.lo, c.hi}
		o := w.operands()
		if len(o.reads) != 1 || len(o.writes) != 1 || o.reads[0].count != c.reads || o.writes[0].count != c.writes {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
}

// TestCollective tells WARPSYNC.ALL from the one that begins a collective.
func TestCollective(t *testing.T) {
	all := word{lo: 0x0000000000007948, hi: 0x004fea0003800000}
	some := word{lo: 0x0000000000087348, hi: 0x000fea0003c00000}
	if all.isCollective() || !some.isCollective() {
		t.Errorf("WARPSYNC.ALL %v, WARPSYNC.COLLECTIVE %v", all.isCollective(), some.isCollective())
	}
}

// TestWaitBehindGone: the MEMBAR after one that goes doesn't wait for that any more. It does, and nothing is promised,
// where only what began a collective waited before, and it does in code without optimization, of which the
// EXIT stalls as long as it can (nvlink 13.1.115 and 13.2.86).
func TestWaitBehindGone(t *testing.T) {
	const waitsAll, quick, slow = 0x003fde0003c00000, 0x000fea0003800000, 0x003fde0003800000
	for _, c := range []struct {
		first, exit    uint64
		kept, promised bool
	}{
		{0x0000000000287948, quick, true, false},
		{opNOP | 7<<12, quick, false, true},
		{opNOP | 7<<12, slow, true, true},
	} {
		words := []word{{lo: c.first, hi: waitsAll}, {lo: 0x7992, hi: 0x0033de0000008000}, {lo: 0x7992, hi: 0x0033de000000a000}, {lo: 0x794d, hi: c.exit}}
		r := Result{Exact: true}
		dropWait(words, []bool{false, true, false, false}, 1, &r)
		if got := words[2].wait()>>words[1].rd()&1 != 0; got != c.kept || r.Exact != c.promised {
			t.Errorf("%#x, %#x: kept %v, promised %v", c.first, c.exit, got, r.Exact)
		}
	}
}

// TestUniformAtWARPSYNC wants a WARPSYNC to wait for a uniform register that it doesn't use, and not for
// another one: so did all 387 that ptxas and nvlink 13.1.115 and 13.5.37 placed after one.
func TestUniformAtWARPSYNC(t *testing.T) {
	for _, c := range []struct {
		load word
		want bool
	}{
		{word{lo: 0x00007900ff0777ac, hi: 0x000ee20008000800}, true},  // LDCU UR7, c[0x0][0x3c8]
		{word{lo: 0x0000df00ff017b82, hi: 0x000ee20000000800}, false}, // LDC R1, c[0x0][0x37c]
	} {
		c.load.setWr(3)
		f := trace([]word{c.load, {lo: 0x0000000000007948, hi: 0x004fea0003800000}})
		if got := f.touches(0, 1); got != c.want {
			t.Errorf("%#x: waits %v", c.load.lo, got)
		}
	}
}

// TestAtomicAtFence wants no promise where an EXIT with a fence follows an atomic of
// shared memory closely: nvlink 13.0.88 was seen to wait for its sources there.
func TestAtomicAtFence(t *testing.T) {
	plain := func(lo, hi uint64, stall int) word {
		w := word{lo: lo, hi: hi}
		w.setWr(noBoard)
		w.setRd(noBoard)
		w.setStall(stall)
		return w
	}
	const add = 0x7210 | 255<<32
	atomic := plain(opATOMSUniform|7<<12|255<<16|8<<24|9<<32, 0, 1)
	atomic.setRd(0)
	again := plain(add|8<<16, 0x07ffe0ff, 5)
	again.setWait(1)
	words := []word{
		atomic,
		plain(add|20<<16, 0x07ffe0ff, 4),
		plain(opEXIT|1<<12, 0x03800000, 5),
		again,
		plain(opEXIT|7<<12, 0x03800000, 5),
		plain(opBRA|7<<12, 0x03800000, 0),
	}
	if r := Kernel(join(words), Options{Debug: true, Fence: true}); r.Exact {
		t.Error("no doubt")
	}
	words[0].setRd(noBoard)
	words[3].setWait(0)
	if r := Kernel(join(words), Options{Debug: true, Fence: true}); !r.Exact {
		t.Errorf("doubts without an atomic: %b", r.doubts)
	}
}
