package ptx_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/mercury/internal/ptx"
)

func TestMain(m *testing.M) { replay.Main(m) }

// Lines that name every kind of register, and all that a module declares.
var lines = []string{
	"add.u32 %x0, %a0, %a7; add.u32 %x7, %u0, %u3;",
	"add.u64 %X0, %A0, %A7; add.u64 %X7, %U0, %U3;",
	"add.u16 %z0, %h0, %h7; add.u16 %z7, %h1, %h2;",
	"and.pred %q0, %p0, %p7; or.pred %q7, %p1, %p2;",
	"ld.shared.u32 %x1, [%s0]; st.shared.u32 [%s1], %a1;",
	"ld.u32 %x2, [%g0]; ld.u64 %X3, [%g7];",
	"st.local.u32 [%l0], %a2; ld.local.u32 %x3, [%l0+4];",
	"mov.u32 %x4, shared_here; mov.u32 %x5, local_here;",
	"ld.const.u64 %X1, [cvalue]; ld.const.u32 %x1, [cbank+8];",
	"ld.global.u64 %X2, [gvalue]; mov.u64 %X4, gspace; mov.u32 %x6, dynamic;",
	"{ .param .b32 p; .param .b32 r; st.param.b32 [p], %a0; call (r), away, (p); ld.param.b32 %x0, [r]; }",
	"{ .param .b32 p; .param .b32 r; st.param.b32 [p], %a0; call (r), near, (p); ld.param.b32 %x0, [r]; } call nothing;",
	"tex.1d.v4.s32.s32 {%x0, %x1, %x2, %x3}, [tex0, {%a0}]; suld.b.1d.b32.trap %x4, [surf0, {%a1}];",
	"mov.b32 %x0, %me; mov.b32 %e0, %a0;",
	"add.u32 %x10, %a10, %u5;",
}

// ptxas takes a module of all that lines may name, but for the line with registers that aren't: the number that it gives
// is one of that line's kernel.
func TestModuleCompiles(t *testing.T) {
	replay.Both(t, "testdata/module.gz", []string{"13.0"}, func(t *testing.T) {
		tools, err := nvidia.Find(t.Context(), nvidia.Options{})
		if err != nil {
			t.Fatal(err)
		}
		assemble := func(lines []string) *nvidia.Result {
			text, ends := ptx.Module("9.0", "sm_100a", lines)
			if len(ends) != len(lines) || ends[len(ends)-1] != strings.Count(text, "\n")+1 || !slices.IsSorted(ends) {
				t.Errorf("%d lines end at %v", len(lines), ends)
			}
			res, err := tools.Assemble(t.Context(), "13.0", []string{"-arch=sm_100a"}, nvidia.File{Name: "k.ptx", Data: []byte(text)})
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		good := slices.Concat(lines[:13], []string{"mov.b32 %x0, %me;"})
		if res := assemble(good); res.Outcome != nvidia.Success {
			t.Errorf("%v: %s", res.Outcome, res.Stderr)
		}
		for i := range good {
			if res := assemble(good[i : i+1]); res.Outcome != nvidia.Success {
				t.Errorf("%s: %v: %s", good[i], res.Outcome, res.Stderr)
			}
		}
		if res := assemble(lines); res.Outcome != nvidia.Refused {
			t.Errorf("%v: %s", res.Outcome, res.Stderr)
		}
	})
}
