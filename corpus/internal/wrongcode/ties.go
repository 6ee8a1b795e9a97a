package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// A weak function that several modules define, as inline functions and templates are, may be another piece of code in
// each: compiled by another toolkit, for another virtual target, or with another branch of __CUDA_ARCH__. A linker has
// to take one of them whole, with all that belongs to it.

// bodies are what such a function may do with x; %d is the module's number, so that no two are the same.
var bodies = []struct{ data, code string }{
	{"", "add.u32 out, x, 0x%[1]d111;"},
	{"", "mul.lo.u32 out, x, 0x%[1]d111; bar.sync %[1]d;"},
	{".const .align 4 .u32 bank[4] = {1%[1]d, 2%[1]d, 3%[1]d, 4%[1]d};", "and.b32 t, x, 3; shl.b32 t, t, 2; mov.u32 u, bank; add.u32 t, t, u; ld.const.u32 out, [t];"},
	{"", ".local .align 4 .b8 frame[%[1]d56]; mov.u64 p, frame; and.b32 t, x, 12; cvt.u64.u32 q, t; add.u64 p, p, q; st.local.u32 [p], x; ld.local.u32 out, [p+4]; add.u32 out, out, 0x%[1]d222;"},
	{".shared .align 16 .b8 pool[%[1]d28];", "mov.u32 t, pool; and.b32 u, x, 12; add.u32 t, t, u; st.volatile.shared.u32 [t], x; ld.volatile.shared.u32 out, [t+4]; add.u32 out, out, 0x%[1]d333;"},
	{".global .align 4 .u32 table[8] = {%[1]d, %[1]d1, %[1]d2, %[1]d3};", "and.b32 t, x, 12; mov.u64 p, table; cvt.u64.u32 q, t; add.u64 p, p, q; ld.volatile.global.u32 out, [p];"},
	{"", "and.b32 t, x, 3; ts: .branchtargets L0, L1, L2, L3; brx.idx t, ts; L0: mov.u32 out, 0x%[1]d0; bra DONE; L1: mul.lo.u32 out, x, x; bra DONE; L2: popc.b32 out, x; bra DONE; L3: clz.b32 out, x; add.u32 out, out, 0x%[1]d3; DONE:"},
	{".weak .func (.reg .u32 o) deep(.reg .u32 a) { add.u32 o, a, 0x%[1]d777; ret; }", "call (out), deep, (x); add.u32 out, out, 0x%[1]d444;"},
	{".global .align 8 .u64 where = pick;\n.visible .global .align 8 .u64 seen%[1]d = pick;", "add.u32 out, x, 0x%[1]d555;"},
}

const tieModule = `.version 7.4
.target %[2]s
.address_size 64
.weak .func (.reg .u32 out) pick(.reg .u32 x);
%[3]s
.weak .func (.reg .u32 out) pick(.reg .u32 x)
{
	.reg .u32 t, u;
	.reg .u64 p, q;
%[4]s
	ret;
}
.visible .entry k%[1]d(.param .u64 to)
{
	.reg .u64 p;
	.reg .u32 x, y;
	ld.param.u64 p, [to];
	ld.global.u32 x, [p];
	call (y), pick, (x);
	st.global.u32 [p], y;
	ret;
}
`

// ties asks about a weak function of two or three modules. The question says nothing but the number.
func (s *search) ties(ctx context.Context, n uint64) (q *fuzz.Question, wrong []string) {
	random := rand.New(rand.NewPCG(n, 20261123))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	arch := pick("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120")
	tools := map[string][]string{"sm_75": {"11.8", "12.4", "13.0", "13.5"}, "sm_80": {"11.8", "12.4", "13.0", "13.5"}, "sm_86": {"11.8", "12.4", "13.0", "13.5"},
		"sm_90": {"12.4", "13.0", "13.5"}, "sm_100": {"13.0", "13.5"}, "sm_120": {"13.0", "13.5"}}[arch]
	targets := []string{"sm_52", "sm_60", "sm_70", "sm_75"}
	if arch != "sm_75" {
		targets = append(targets, "sm_80")
	}
	q = &fuzz.Question{Args: []string{"-arch=" + arch}}
	newest := ""
	debug := random.IntN(6) == 0
	for m := range 2 + random.IntN(2) {
		b := bodies[random.IntN(len(bodies))]
		number := func(text string) string {
			if strings.Contains(text, "%") {
				return fmt.Sprintf(text, m+1)
			}
			return text
		}
		toolkit, target := tools[random.IntN(len(tools))], targets[random.IntN(len(targets))]
		if toolkit >= "13" && target < "sm_75" && random.IntN(2) == 0 {
			target = "sm_75"
		}
		object, err := s.assemble(ctx, toolkit, arch, fmt.Sprintf(tieModule, m+1, target, number(b.data), number(b.code)), debug)
		if err != nil {
			return q, []string{"ptxas " + toolkit + " of " + target + ": " + err.Error()}
		}
		newest = max(newest, toolkit)
		q.Inputs = append(q.Inputs, engine.Input{Name: fmt.Sprintf("m%d.cubin", m+1), Data: object})
		q.From = append(q.From, toolkit+"/"+target)
	}
	releases := slices.DeleteFunc(slices.Clone(s.set.Releases()), func(r string) bool { return r < newest || arch > "sm_1" && len(arch) > 5 && r < "13" })
	if len(releases) == 0 {
		return q, nil
	}
	if debug {
		q.Args = append(q.Args, "-g")
	} else if random.IntN(5) == 0 {
		q.Args = append(q.Args, "--preserve-relocs")
	}
	for _, r := range releases {
		q.Release = r
		for _, w := range s.tied(ctx, q) {
			wrong = append(wrong, r+": "+w)
		}
	}
	return q, wrong
}

// tied asks nvlink of a release and nvJitLink, and in two steps, and has the oracle judge.
func (s *search) tied(ctx context.Context, q *fuzz.Question) (wrong []string) {
	once := s.ask(ctx, q.Release, q.Inputs, slices.Concat(q.Args, names(q.Inputs)), nil, nil, "once")
	if once.exit < 0 {
		return []string{"it dies"}
	}
	if once.linked() {
		if v := judge(q.Inputs, once.image, q.Release, q.Args); v != "" {
			wrong = append(wrong, v)
		}
		wrong = append(wrong, s.library(ctx, q, &once)...)
	}
	if len(q.Args) == 1 && q.Release >= "13" {
		wrong = append(wrong, s.steps(ctx, q)...)
	}
	return wrong
}

// library asks nvJitLink of the release about what nvlink linked.
func (s *search) library(ctx context.Context, q *fuzz.Question, nvlink *answer) (wrong []string) {
	linker := s.libraries[q.Release]
	if linker == nil {
		return nil
	}
	options, err := nvjitlink.FromNvlink(q.Release, q.Args)
	if err != nil {
		return nil // there is no such option
	}
	ask := nvjitlink.Question{Options: options}
	for _, in := range q.Inputs {
		ask.Inputs = append(ask.Inputs, nvjitlink.Input{Kind: nvjitlink.Cubin, Name: in.Name, Data: in.Data})
	}
	s.asked++
	res, err := linker.Link(ctx, ask)
	switch {
	case err != nil:
		return []string{"nvJitLink: " + err.Error()}
	case res.Outcome != nvjitlink.Linked:
		if nvlink.linked() {
			wrong = append(wrong, "nvJitLink: "+res.Outcome.String())
		}
	case !nvlink.linked():
		wrong = append(wrong, "nvJitLink links what nvlink refuses: "+firstLine(nvlink.text))
	default:
		if d := nvjitlink.Same(res.Output, nvlink.image); d != "" {
			wrong = append(wrong, "nvJitLink: "+d)
			if v := judge(q.Inputs, res.Output, q.Release, q.Args); v != "" {
				wrong = append(wrong, "nvJitLink's image: "+v)
			}
		}
	}
	return wrong
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// assemble makes an object of PTX.
func (s *search) assemble(ctx context.Context, toolkit, arch, ptx string, debug bool) ([]byte, error) {
	tool, err := s.set.Tool(toolkit, nvidia.Ptxas)
	if err != nil {
		return nil, err
	}
	from, to := filepath.Join(s.dir, "m.ptx"), filepath.Join(s.dir, "m.cubin")
	if err := os.WriteFile(from, []byte(ptx), 0o644); err != nil {
		return nil, err
	}
	args := []string{"-c", "-arch=" + arch, from, "-o", to}
	if debug {
		args = append(args, "-g")
	}
	if said, err := exec.CommandContext(ctx, tool.Path, args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	return os.ReadFile(to)
}
