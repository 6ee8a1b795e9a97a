package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// plantedDefects are changes of right links of corpus/testdata/cases.
var plantedDefects = []defect{
	{"function of the Mercury side's call graph", onCounterpartCalls(1), []Kind{CallMissing}},
	{"heading of the Mercury side's call graph", onCounterpartHeading(0x100), []Kind{CallMissing}},
	{"symbol table of the Mercury side's call graph", onHeaderOfFile(cuda.SHTMercCallgraph, shLink, 4, add(1)), []Kind{SectionHeader}},
	{"Mercury side's call graph without pairs", onHeaderOfFile(cuda.SHTMercCallgraph, shSize, 8, set(0)), []Kind{CallMissing}},
	{"Mercury side's prototypes without a section", onHeaderOfFile(cuda.SHTMercPrototype, shType, 4, set(1)), []Kind{SectionMissing}},
	{"version of a line table", onLines(4, 1), []Kind{SectionBytes}},
	{"length of an opcode in a line table", onLines(0x11, 4), []Kind{SectionBytes}},
	{"record of a line table of another type", func(e *editor) bool {
		_, at, width := e.record(func(l link.Relocs) bool { return l.Section.Name == ".rela.nv_debug_line_sass" })
		if width == 0 {
			return false
		}
		e.put(at+8, 4, e.get(at+8, 4)+1)
		return true
	}, []Kind{SectionBytes, RelocationType}},
	{"record behind the end of its section", func(e *editor) bool {
		i := e.fileSection(func(s *image.Section) bool {
			return strings.HasPrefix(s.Name, ".nv.merc.nv.constant.optimizer.") && s.Size > 0
		})
		if i <= 0 {
			return false
		}
		e.put(e.header(i, shSize), 8, 0)
		return true
	}, []Kind{RelocationStray, SectionBytes, SectionSize}},
	{"prototypes without a pair", func(e *editor) bool {
		i := e.section(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaPrototype && s.Size > 0 })
		if i == 0 || !slices.ContainsFunc(e.IDs, func(f *link.Identity) bool {
			return f.Function() && f.Several && f.Code != nil && f.Code.Live && f.Prototype != "" && !f.Taken
		}) {
			return false
		}
		e.put(e.header(i, shSize), 8, 0)
		return true
	}, []Kind{CallMissing}},
	{"fence that names something", func(e *editor) bool {
		for _, a := range e.Areas {
			if !a.Code() || a.Out == nil || a.Words == nil {
				continue
			}
			for j, i := range a.Words.From {
				if word, ok := image.Cut(a.Out.Body, uint64(j)*sass.Instruction, sass.Instruction); ok && i < 0 && sass.Opcode(word) == sass.OpErrbar {
					e.flip(a.Out.Offset+uint64(j)*sass.Instruction+4, 0x10)
					return true
				}
			}
		}
		return false
	}, []Kind{CodeBytes}},
}

func onCounterpartCalls(mask byte) func(*editor) bool {
	return func(e *editor) bool {
		i := e.fileSection(func(s *image.Section) bool { return s.Kind == cuda.SHTMercCallgraph && s.Size >= 8 })
		if i <= 0 {
			return false
		}
		e.flip(e.out.All[i].Offset, mask)
		return true
	}
}

// onCounterpartHeading changes the last heading of a call graph.
func onCounterpartHeading(by uint64) func(*editor) bool {
	return func(e *editor) bool {
		i := e.fileSection(func(s *image.Section) bool { return s.Kind == cuda.SHTMercCallgraph && s.Size >= 8 })
		if i <= 0 {
			return false
		}
		at := e.out.All[i].Offset + e.out.All[i].Size - 4
		e.put(at, 4, e.get(at, 4)-by)
		return true
	}
}

func onLines(at uint64, mask byte) func(*editor) bool {
	return func(e *editor) bool {
		i := e.named(".nv_debug_line_sass")
		if i == 0 || e.out.Sections[i].Size <= at || e.out.Side != image.SassSide {
			return false
		}
		e.flip(e.out.Sections[i].Offset+at, mask)
		return true
	}
}

func TestRejectsPlanted(t *testing.T) {
	programs, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	planted := map[string]int{}
	for _, c := range corpus.CasesOf(programs) {
		if !c.Linked() || c.Output == nil || !c.Complete() {
			continue
		}
		inputs, options := inputsOf(c), optionsOf(c)
		k := newCheck(inputs, c.Output, options)
		if err := k.run(inputs, c.Output); err != nil || !Check(inputs, c.Output, options).Agrees() {
			continue
		}
		for _, d := range plantedDefects {
			e := &editor{check: k, out: k.Out, bytes: slices.Clone(c.Output)}
			if planted[d.name] >= 5 || !d.plant(e) {
				continue
			}
			planted[d.name]++
			if v := Check(inputs, e.bytes, options); !slices.ContainsFunc(v.Findings, func(f Finding) bool { return slices.Contains(d.want, f.Kind) }) {
				t.Errorf("%s: %s: no %v among %s", c.ID(), d.name, d.want, v)
			}
		}
	}
	for _, d := range plantedDefects {
		if planted[d.name] == 0 {
			t.Errorf("no place for: %s", d.name)
		}
	}
}
