package experiments

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

// target has nvdisasm read bare code and returns the address that the instruction at an offset goes to.
func target(t *testing.T, release, sm string, code []byte, at uint64) int64 {
	t.Helper()
	tools := nvidiatest.Need(t, release, nvidia.Nvdisasm)
	res, err := tools.Dump(t.Context(), release, nvidia.Nvdisasm, []string{"-b", sm}, nvidia.File{Name: "code.bin", Data: code})
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(fmt.Sprintf(`/\*%04x\*/.*(?:BRA|CALL\.ABS\.NOINC) (-?0x[0-9a-f]+) ?;`, at))
	m := line.FindSubmatch(res.Stdout)
	if m == nil {
		t.Fatalf("%s: no jump at %#x: %s", sm, at, res.Message())
	}
	n, err := strconv.ParseInt(string(m[1]), 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestBranches asks nvdisasm what the fields mean by which nvlink was never seen to patch: each bit is set alone, and the
// target moves by what the bit is worth.
func TestBranches(t *testing.T) {
	type piece struct{ start, width, unit int } // the lowest bit is worth 1<<unit bytes
	check := func(ids, release, sm string, code []byte, at uint64, pieces []piece, others []int) {
		t.Helper()
		clear := func(code []byte, bit int) { code[at+uint64(bit/8)] &^= 1 << (bit % 8) }
		base := append([]byte(nil), code...)
		for _, p := range pieces {
			for k := range p.width {
				clear(base, p.start+k)
			}
		}
		zero := target(t, release, sm, base, at)
		with := func(bit int) int64 {
			m := append([]byte(nil), base...)
			m[at+uint64(bit/8)] |= 1 << (bit % 8)
			return target(t, release, sm, m, at) - zero
		}
		for _, p := range pieces {
			for _, k := range []int{0, p.width - 2} { // the highest is a sign where there is one
				if got := with(p.start + k); got != 1<<(p.unit+k) {
					t.Errorf("%s: bit %d moves the target by %#x", ids, p.start+k, got)
				}
			}
		}
		for _, bit := range others {
			if got := with(bit); got != 0 {
				t.Errorf("%s: bit %d moves the target by %#x", ids, bit, got)
			}
		}
	}

	// RC-090: "ABS47_34 writes the value itself". RC-114: "ABS55_16_34 is one field at 34".
	for _, c := range []struct {
		ids, arch, sm string
		number        uint32
		pieces        []piece
	}{
		{"RC-090", "sm_75", "SM75", cuda.R_CUDA_ABS47_34, []piece{{34, 47, 2}}},
		{"RC-114", "sm_90", "SM90", cuda.R_CUDA_ABS55_16_34, []piece{{16, 8, 2}, {34, 47, 10}}},
	} {
		f := open(t, assemble(t, "13.0", c.arch, call))
		text, found := section(t, f, ".text.k"), false
		for _, s := range sections(f) {
			if !strings.HasPrefix(s.name, ".rel") || s.Info != uint32(text.index) {
				continue
			}
			for _, r := range recordsOf(t, f, &s.Section) {
				if r.Type == c.number {
					found = true
					check(c.ids, "13.0", c.sm, text.data, r.Off, c.pieces, nil)
				}
			}
		}
		if !found {
			t.Errorf("%s: no record of type %d", c.ids, c.number)
		}
	}

	// RC-017: "PCREL_IMM24_23 takes 24 bits to start bit 23", which is where sm_35's branch has its distance, in bytes
	// (RC-119: "+/- 8M instructions").
	const loop = `.version 7.8
.target sm_35
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n){ .reg .b64 %d; .reg .b32 %x<3>; .reg .pred %q; ld.param.u64 %d,[p]; ld.param.u32 %x1,[n];
L: ld.volatile.global.u32 %x2,[%d]; st.volatile.global.u32 [%d+4],%x2; setp.ne.u32 %q,%x2,%x1; @%q bra L; ret; }
`
	code := section(t, open(t, assembleText(t, "11.8", "sm_35", loop)), ".text.k").data
	for at := 0; at < len(code); at += 8 {
		if w := le.Uint64(code[at:]); w>>56 == 0x12 && w>>18&0xf == 0 { // @P0 BRA
			check("RC-017 RC-119", "11.8", "SM35", code, uint64(at), []piece{{23, 24, 0}}, []int{47})
			return
		}
	}
	t.Error("RC-017: no branch")
}
