package check

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

// step is one link of objects by an nvlink: all that were there before, or the first of
// them, whose place the output takes.
type step struct {
	args  string
	first int // how many; 0: all
}

// rightLinks are links of programs of the corpus, compiled again, whose last step is right,
// judged by the inputs of that step.
var rightLinks = []struct {
	name, release, arch string
	objects             []string // a source below corpus/testdata, the release and the options of ptxas
	steps               []step
	unjudged            bool   // not rejected, and no more
	left                []Kind // what nvlink makes wrong in it all the same
}{
	{name: "kernels of one name, by the variables that they name", release: "13.5", arch: "sm_103",
		objects: []string{"cases/shared_by_name/a.ptx 13.5", "cases/shared_by_name/b.ptx 13.5", "cases/shared_by_name/c.ptx 13.5", "cases/shared_by_name/d.ptx 13.5"},
		steps:   []step{{"-g -r", 3}, {"-r", 0}}},
	{name: "kernels of one name, by their limit of registers", release: "13.0", arch: "sm_120",
		objects: []string{"cases/shared_by_name/c.ptx 13.0", "cases/shared_by_name/d.ptx 13.0 --maxrregcount 128"},
		steps:   []step{{"-g -r", 1}, {"-g", 0}}, left: []Kind{SectionMissing, SharedSize}},
	{name: "a record for the unified tables", release: "13.0", arch: "sm_100",
		objects: []string{"links/variadic/a.ptx 13.0", "links/variadic/b.ptx 13.0", "cases/unified_padded/b.ptx 13.0", "cases/unified_padded/c.ptx 13.0", "cases/unified_padded/a.ptx 13.0"},
		steps:   []step{{"-r", 0}}},
	{name: "a silent part", release: "13.0", arch: "sm_90",
		objects: []string{"links/weak_objects/a.ptx 12.4", "links/weak_objects/b.ptx 12.4"},
		steps:   []step{{"-r", 0}, {"-r", 0}}},
	{name: "clones in a kernel's code", release: "13.5", arch: "sm_90a",
		objects: []string{"links/cxx_inlined/a.ptx 13.5 -enable-func-clone-sc true", "links/cxx_inlined/b.ptx 13.5 -enable-func-clone-sc true"},
		steps:   []step{{"", 0}}},
	{name: "YIELD with records that no input has", release: "13.5", arch: "sm_103",
		objects: []string{"cases/tools_patch/a.ptx 13.5 -g", "links/weak_functions/c.ptx 13.5"},
		steps:   []step{{"-r", 0}}},
	{name: "NOP for YIELD without a record", release: "13.0", arch: "sm_110",
		objects: []string{"links/random_11/m1.ptx 13.0", "cases/tools_patch/b.ptx 13.0", "links/random_11/m2.ptx 13.0", "links/random_11/m0.ptx 13.0", "cases/tools_patch/a.ptx 13.0"},
		steps:   []step{{"-variables-used=g3 -r", 2}, {"-g", 0}}},
	{name: "room before dynamic shared memory", release: "13.5", arch: "sm_86",
		objects: []string{"links/random_11/m0.ptx 13.5", "links/random_11/m1.ptx 13.5", "links/random_11/m2.ptx 13.5"},
		steps:   []step{{"-r", 0}, {"-g -r", 0}}},
	{name: "the place of a stand-in for dynamic shared memory", release: "13.0", arch: "sm_100",
		objects: []string{"cases/partial_dynamic/a.ptx 13.0", "cases/partial_dynamic/b.ptx 13.0"},
		steps:   []step{{"-r", 0}, {"-g", 0}}},
	{name: "UBLKCP without a mode", release: "13.5", arch: "sm_120",
		objects: []string{"links/mbarrier/a.ptx 13.0", "links/mbarrier/b.ptx 13.5"},
		steps:   []step{{"-r", 0}}},
	{name: "stubs without a schedule", release: "13.5", arch: "sm_100", unjudged: true, left: []Kind{SectionHeader},
		objects: []string{"links/unified/a.ptx 13.5", "links/unified/b.ptx 13.5"},
		steps:   []step{{"-g -r", 0}}},
	{name: "code without optimization, without a schedule", release: "13.5", arch: "sm_121", unjudged: true,
		objects: []string{"cases/debug_suppressed/a.ptx 13.5", "cases/debug_suppressed/b.ptx 13.0 -Ofc max"},
		steps:   []step{{"-g", 0}}},
	{name: "no count of what runs where there is no schedule", release: "13.5", arch: "sm_100", unjudged: true, left: []Kind{FactMissing, FactStray},
		objects: []string{"cases/tcgen05/a.ptx 13.0 -g -lineinfo"},
		steps:   []step{{"-r", 0}}},
}

func TestRightLinks(t *testing.T) {
	for _, x := range rightLinks {
		t.Run(x.name, func(t *testing.T) {
			tools := nvidiatest.Need(t, x.release, nvidia.Nvlink)
			inputs := compiled(t, x.arch, x.objects)
			var v Verdict
			for i, s := range x.steps {
				n := len(inputs)
				if s.first > 0 {
					n = s.first
				}
				r, err := tools.Link(context.Background(), x.release, append([]string{"-arch=" + x.arch}, strings.Fields(s.args)...), inputs[:n])
				if err != nil || !r.Linked() {
					t.Fatal(r, err)
				}
				if i == len(x.steps)-1 {
					v = judged(inputs, r.Output, x.arch, s.args)
				}
				inputs = append([]nvidia.File{{Name: "part.cubin", Data: r.Output}}, inputs[n:]...)
			}
			for _, f := range v.Findings {
				if !slices.Contains(x.left, f.Kind) {
					t.Error(f)
				}
			}
			if x.unjudged != (len(v.Unjudged) > 0) {
				t.Errorf("not judged: %v", v.Unjudged)
			}
		})
	}
}

// compiled are objects as rightLinks names them.
func compiled(t *testing.T, arch string, objects []string) (files []nvidia.File) {
	t.Helper()
	for i, object := range objects {
		words := strings.Fields(object)
		tools := nvidiatest.Need(t, words[1], nvidia.Ptxas)
		text, err := os.ReadFile(filepath.Join("../../corpus/testdata", words[0]))
		if err != nil {
			t.Fatal(err)
		}
		name := string(rune('a' + i))
		r, err := tools.Assemble(context.Background(), words[1], append([]string{"-c", "-arch=" + arch}, words[2:]...), nvidia.File{Name: name + ".ptx", Data: text})
		if err != nil || r.Output == nil {
			t.Fatal(r, err)
		}
		files = append(files, nvidia.File{Name: name + ".cubin", Data: r.Output})
	}
	return files
}

// The final link takes binding and alignment of a shared variable from what -r by 13.5 made.
func TestSharedInTheMiddle(t *testing.T) {
	tools := nvidiatest.Need(t, "13.5", nvidia.Nvlink)
	files := compiled(t, "sm_90", []string{"links/shared_static/a.ptx 13.5", "links/shared_static/b.ptx 13.5"})
	r, err := tools.Link(context.Background(), "13.5", []string{"-arch=sm_90", "-r"}, files)
	if err != nil || !r.Linked() {
		t.Fatal(r, err)
	}
	if v := judged(files, r.Output, "sm_90", "-r"); !v.Agrees() {
		t.Fatal(v)
	}
	inputs := []Input{{Name: files[0].Name, Data: files[0].Data}, {Name: files[1].Name, Data: files[1].Data}}
	k := newCheck(inputs, r.Output, Options{Arch: "sm_90", Relocatable: true})
	if err := k.run(inputs, r.Output); err != nil {
		t.Fatal(err)
	}
	changes := []struct {
		field uint64
		mask  byte
		want  Kind
	}{{stInfo, 0x10, SymbolBinding}, {stValue, 3, SymbolAlignment}, {stValue, 4, SymbolAlignment}}
	for i, id := range k.IDs {
		if id.Out == 0 || id.Space() != cuda.STOShared || id.Function() || id.Align != 4 {
			continue
		}
		for _, x := range changes {
			e := &editor{check: k, out: k.Out, bytes: slices.Clone(r.Output)}
			e.flip(e.entry(id.Out, x.field), x.mask)
			if v := judged(files, e.bytes, "sm_90", "-r"); !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Kind == x.want }) {
				t.Errorf("%d %s: no %s among %s", i, id.Name, x.want, v)
			}
		}
		return
	}
	t.Error("no shared variable")
}

// judged is what the check says of a link of files.
func judged(files []nvidia.File, output []byte, arch, args string) Verdict {
	var inputs []Input
	for _, f := range files {
		inputs = append(inputs, Input{Name: f.Name, Data: f.Data})
	}
	has := func(option string) bool { return slices.Contains(strings.Fields(args), option) }
	return Check(inputs, output, Options{Arch: arch, Relocatable: has("-r"), Debug: has("-g")})
}

// A part of -r that isn't the first of a second link: nvlink moves what is in it, and
// neither code that reads its constants nor its call frames are told.
func TestLaterPart(t *testing.T) {
	for _, release := range []string{"13.0", "13.5"} {
		for _, arch := range []string{"sm_90", "sm_100"} {
			tools := nvidiatest.Need(t, release, nvidia.Nvlink)
			files := compiled(t, arch, []string{"links/constants/a.ptx " + release, "links/constants/b.ptx " + release, "links/constants/c.ptx " + release})
			link := func(args string, inputs []nvidia.File) []byte {
				r, err := tools.Link(context.Background(), release, append([]string{"-arch=" + arch}, strings.Fields(args)...), inputs)
				if err != nil || !r.Linked() {
					t.Fatal(r, err)
				}
				return r.Output
			}
			part := nvidia.File{Name: "part.cubin", Data: link("-r", files[:1])}
			for _, first := range []bool{true, false} {
				inputs := []nvidia.File{part, files[1], files[2]}
				if !first {
					inputs = []nvidia.File{files[1], files[2], part}
				}
				v := judged(files, link("", inputs), arch, "")
				for what, ok := range map[string]func(Finding) bool{
					"constant":   func(f Finding) bool { return f.Kind == RelocationField && f.Symbol == "own" },
					"call frame": func(f Finding) bool { return strings.HasSuffix(f.Section, ".debug_frame") },
				} {
					if slices.ContainsFunc(v.Findings, ok) == first {
						t.Errorf("%s %s, the part first: %v: %s: %s", release, arch, first, what, v)
					}
				}
			}
		}
	}
}
