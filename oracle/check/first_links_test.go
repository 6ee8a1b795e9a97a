package check

import (
	"bytes"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// firstCases are links of nvJitLink 12.8.93 and 12.9.86 for sm_100 and up.
func firstCases(t testing.TB) []corpus.Case {
	t.Helper()
	programs, err := corpus.First()
	if err != nil {
		t.Fatal(err)
	}
	var list []corpus.Case
	for _, c := range corpus.CasesOf(programs) {
		if c.Linked() {
			list = append(list, c)
		}
	}
	if len(list) < 60 {
		t.Fatalf("%d links", len(list))
	}
	return list
}

// firstDefects are of what these releases write otherwise than later ones.
var firstDefects = []defect{
	{"SM in the first note", onBody(".note.nv.cuver", 26, 2, add(1)), []Kind{NoteValue}},
	{"version of the first note", onBody(".note.nv.cuver", 24, 2, add(1)), []Kind{NoteValue}},
	{"words of the first note", onBody(".note.nv.cuver", 28, 4, set(130)), []Kind{NoteValue}},
	{"last word of the first note", onBody(".note.nv.cuver", 32, 4, set(0)), []Kind{NoteValue}},
	{"release in the tool's note", onBody(".note.nv.tkinfo", 24, 4, set(130)), []Kind{HeaderField}},
	{"accelerator in the flags", onFile(48, 4, xor(cuda.EFAccelerator)), []Kind{HeaderField}},
	{"note in the flags", onFile(48, 4, add(1<<cuda.EFCuinfoShift)), []Kind{HeaderField}},
	{"compatibility of the target", onBody(".nv.compat", 1, 1, set(uint64(cuda.CompatAcceleratorTarget))), []Kind{CompatValue}},
	{"first global symbol too high", onHeader(func(s *image.Section) bool { return s.Kind == cuda.SHTSymtab }, shInfo, 4, func(v uint64) uint64 { return v + 40 }), []Kind{SymbolOrder}},
	{"first global symbol too low", onHeader(func(s *image.Section) bool { return s.Kind == cuda.SHTSymtab }, shInfo, 4, set(1)), []Kind{SymbolOrder}},
}

// TestRejectsInFirst plants defects in links of 12.8 and 12.9. What is only nvlink's habit is told where
// it is asked for; of the linker's own texts in the note nvJitLink leaves one out.
func TestRejectsInFirst(t *testing.T) {
	planted := map[string]int{}
	anyKind := slices.Clone(slices.Concat(defects, mercuryDefects))
	for i := range anyKind {
		anyKind[i].want = nil
	}
	for _, c := range firstCases(t) {
		inputs, options := inputsOf(c), optionsOf(c)
		options.Toolkit, options.Strict = c.Release, true
		habits := map[string]bool{}
		for _, f := range Check(inputs, c.Output, options).Findings {
			habits[f.String()] = true
		}
		for _, d := range slices.Concat(anyKind, firstDefects) {
			if planted[d.name] >= 3 {
				continue
			}
			e := editorOf(t, c)
			if !d.plant(e) || bytes.Equal(e.bytes, c.Output) {
				continue
			}
			planted[d.name]++
			v := Check(inputs, e.bytes, options)
			v.Findings = slices.DeleteFunc(v.Findings, func(f Finding) bool { return habits[f.String()] })
			if len(v.Findings) == 0 && v.Refusal == nil {
				t.Errorf("%s: %s: accepted", c.ID(), d.name)
			} else if d.want != nil && !names(v, d.want) {
				t.Errorf("%s: %s: want one of %v, got\n%s", c.ID(), d.name, d.want, v)
			}
		}
	}
	for _, d := range firstDefects {
		if planted[d.name] == 0 {
			t.Errorf("%s: no output has a place for it", d.name)
		}
	}
	if len(planted) < 100 {
		t.Errorf("%d kinds of defect were planted", len(planted))
	}
	t.Logf("%d kinds of defect", len(planted))
}
