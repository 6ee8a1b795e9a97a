package check

import (
	"context"
	"fmt"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/ptxgen"
)

func TestMain(m *testing.M) { nvidiatest.Main(m) }

// Fresh programs, linked by nvlink as the test runs: what it makes of them is
// right, but for two things that are known.
func TestAcceptsFreshLinks(t *testing.T) {
	for _, try := range []struct {
		release, arch string
		target        ptxgen.Target
		args          []string
		options       Options
	}{
		{"11.8", "sm_52", ptxgen.Old, nil, Options{}},
		{"11.8", "sm_90", ptxgen.Hopper11, []string{"-g"}, Options{Debug: true}},
		{"12.4", "sm_75", ptxgen.Lanes, nil, Options{}},
		{"12.4", "sm_90", ptxgen.Hopper12, []string{"-kernels-used=k0"}, Options{KernelsUsed: []string{"k0"}}},
		{"12.4", "sm_80", ptxgen.Lanes, []string{"--preserve-relocs"}, Options{PreserveRelocs: true}},
		{"13.0", "sm_86", ptxgen.Lanes, nil, Options{}},
		{"13.0", "sm_90", ptxgen.Hopper12, []string{"-r"}, Options{Relocatable: true}},
		{"13.0", "sm_100", ptxgen.Hopper12, nil, Options{}},
		{"13.0", "sm_120", ptxgen.Hopper12, []string{"-r"}, Options{Relocatable: true}},
	} {
		t.Run(try.release+" "+try.arch+fmt.Sprint(try.args), func(t *testing.T) {
			tools := nvidiatest.Need(t, try.release, nvidia.Nvlink, nvidia.Ptxas)
			linked := 0
			for seed := uint64(20000); seed < 20006; seed++ {
				inputs, files, ok := compile(t, tools, try.release, try.arch, ptxgen.New(seed, try.target, ptxgen.Options{Size: ptxgen.Small}))
				if !ok {
					continue
				}
				r, err := tools.Link(context.Background(), try.release, append([]string{"-arch=" + try.arch}, try.args...), files)
				if err != nil {
					t.Fatal(err)
				}
				output := r.Output
				if !r.Linked() {
					continue
				}
				linked++
				o := try.options
				o.Arch = try.arch
				v := Check(inputs, output, o)
				wrong := v.Total > 0 // see TestAcceptsNvlink, and RATIONALE on pointers that stay zero
				for _, f := range v.Findings {
					wrong = wrong && (o.Relocatable && f.Kind == SharedPlace || f.Kind == PointerMissing)
				}
				if !wrong && !v.Agrees() {
					t.Errorf("seed %d:\n%s", seed, v)
				}
			}
			if linked < 3 {
				t.Errorf("only %d programs were linked", linked)
			}
		})
	}
}

func compile(t *testing.T, tools *nvidia.Toolset, release, arch string, p ptxgen.Program) (inputs []Input, files []nvidia.File, ok bool) {
	for _, m := range p.Modules {
		r, err := tools.Assemble(context.Background(), release, []string{"-c", "-arch=" + arch}, nvidia.File{Name: m.Name + ".ptx", Data: []byte(m.Text)})
		if err != nil {
			t.Fatal(err)
		}
		if r.ExitCode != 0 || r.Output == nil {
			return nil, nil, false
		}
		inputs = append(inputs, Input{Name: m.Name + ".cubin", Data: r.Output})
		files = append(files, nvidia.File{Name: m.Name + ".cubin", Data: r.Output})
	}
	return inputs, files, true
}

// A variable that nothing defines has all ones for its value in a link by 11.8, and the
// value of its first mention by later releases.
func TestUndefinedGlobals(t *testing.T) {
	const source = ".version 7.8\n.target sm_75\n.address_size 64\n.extern .global .align 4 .u32 gone;\n.visible .global .align 8 .u64 p = gone;\n" +
		".visible .entry k() {\n.reg .u64 %r;\n.reg .u32 %x;\nmov.u64 %r, gone;\nld.global.u32 %x, [%r];\nst.global.u32 [%r+4], %x;\nret;\n}\n"
	for _, release := range []string{"11.8", "12.4", "13.0"} {
		tools := nvidiatest.Need(t, release, nvidia.Nvlink, nvidia.Ptxas)
		r, err := tools.Assemble(context.Background(), release, []string{"-c", "-arch=sm_75"}, nvidia.File{Name: "a.ptx", Data: []byte(source)})
		if err != nil || r.Output == nil {
			t.Fatal(r, err)
		}
		in := nvidia.File{Name: "a.cubin", Data: r.Output}
		linked, err := tools.Link(context.Background(), release, []string{"-arch=sm_75", "--allow-undefined-globals"}, []nvidia.File{in})
		if err != nil || !linked.Linked() {
			t.Fatal(linked, err)
		}
		if v := Check([]Input{{Name: in.Name, Data: in.Data}}, linked.Output, Options{Arch: "sm_75"}); !v.Agrees() {
			t.Errorf("%s:\n%s", release, v)
		}
	}
}
