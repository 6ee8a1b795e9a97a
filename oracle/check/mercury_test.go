package check

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// mercuryCases are the corpus's links for sm_100 and up.
func mercuryCases(t testing.TB) []corpus.Case {
	t.Helper()
	programs, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	var list []corpus.Case
	for _, p := range programs {
		for _, c := range p.Cases {
			if c.Linked() && c.Output != nil && c.Complete() {
				list = append(list, c)
			}
		}
	}
	if len(list) < 12 {
		t.Fatalf("only %d links in the corpus", len(list))
	}
	return list
}

// Every output is nvlink 13.0.88's.
func TestAcceptsMercury(t *testing.T) {
	remarks, unjudged := 0, 0
	for _, c := range mercuryCases(t) {
		v := Check(inputsOf(c), c.Output, optionsOf(c))
		early := optionsOf(c).Relocatable && v.Total > 0
		for _, f := range v.Findings {
			early = early && f.Kind == SharedPlace
		}
		if v.Outcome() == NotJudged {
			t.Logf("%s: not wholly judged: %v", c.ID(), v.Unjudged)
			unjudged++
		} else if !early && !v.Agrees() {
			t.Errorf("%s %v:\n%s", c.ID(), c.Args, v)
		}
		remarks += len(v.Remarks)
	}
	t.Logf("%d remarks", remarks)
	if unjudged > 2 {
		t.Errorf("%d links are not wholly judged", unjudged)
	}
}

// mercuryDefects are planted into the Mercury side; the editor shows the SASS
// side, so they go by the sections of the file.
var mercuryDefects = []defect{
	{"section of a capsule's SASS", onMercury(cuda.SHTCudaCapmerc, 0, 4, add(1)), []Kind{CodeBytes}},
	{"version of a capsule", onMercury(cuda.SHTCudaCapmerc, 4, 1, add(1)), []Kind{CodeBytes}},
	{"node of a capsule", onMercury(cuda.SHTCudaCapmerc, 12, 1, xor(1)), []Kind{CodeBytes}},
	{"record of a capsule", func(e *editor) bool {
		i := e.fileSection(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaCapmerc && s.Size > 40 })
		if i == 0 {
			return false
		}
		e.flip(e.out.All[i].Offset+e.out.All[i].Size-20, 0x10)
		return true
	}, []Kind{CodeBytes, RelocationField}},
	{"capsule cut short", func(e *editor) bool {
		i := e.fileSection(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaCapmerc })
		if i == 0 {
			return false
		}
		e.put(e.header(i, shSize), 8, e.out.All[i].Size-2)
		return true
	}, []Kind{CodeBytes}},
	{"type of a Mercury record", onMercury(cuda.SHTMercRela, 8, 4, xor(0x20)), []Kind{RelocationType}},
	{"symbol of a Mercury record", onMercury(cuda.SHTMercRela, 12, 4, xor(1)), []Kind{RelocationSymbol}},
	{"addend of a Mercury record", onMercury(cuda.SHTMercRela, 16, 8, add(8)), []Kind{RelocationAddend}},
	{"place of a Mercury record", onMercury(cuda.SHTMercRela, 0, 8, xor(0x20)), []Kind{RelocationMissing, RelocationStray}},
	{"Mercury record dropped", func(e *editor) bool {
		i := e.fileSection(func(s *image.Section) bool { return s.Kind == cuda.SHTMercRela && s.Size > 0 })
		if i == 0 {
			return false
		}
		e.put(e.header(i, shSize), 8, e.out.All[i].Size-24)
		return true
	}, []Kind{RelocationMissing}},
	{"Mercury attribute", func(e *editor) bool {
		i := e.fileSection(func(s *image.Section) bool { return s.Kind == cuda.SHTMercInfo && s.Info == 0 && s.Size >= 12 })
		if i == 0 {
			return false
		}
		e.flip(e.out.All[i].Offset+8, 1)
		return true
	}, []Kind{FactValue, FactMissing}},
	{"value of a Mercury symbol", onMercurySymbol(stValue, 8, add(16)), []Kind{SymbolValue}},
	{"size of a Mercury symbol", onMercurySymbol(stSize, 8, add(16)), []Kind{SymbolSize}},
	{"type of a Mercury symbol", onMercurySymbol(stInfo, 1, xor(0x30)), []Kind{SymbolBinding}},
	{"Mercury symbol in the SASS", onMercurySymbol(stShndx, 2, set(1)), []Kind{SymbolSection}},
	{"type of a capsule", onHeaderOfFile(cuda.SHTCudaCapmerc, shType, 4, set(1)), []Kind{FunctionMissing, SectionStray}},
	{"symbol of a capsule", onHeaderOfFile(cuda.SHTCudaCapmerc, shInfo, 4, add(1)), []Kind{SectionHeader}},
	{"alignment of a capsule", onHeaderOfFile(cuda.SHTCudaCapmerc, shAlign, 8, set(4)), []Kind{SectionHeader}},
	{"first global Mercury symbol", onHeaderOfFile(cuda.SHTMercSymtab, shInfo, 4, add(1)), []Kind{SymbolOrder}},
	{"no Mercury symbols", onHeaderOfFile(cuda.SHTMercSymtab, shType, 4, set(1)), []Kind{SymbolMissing, OtherProgram, FunctionStray, HeaderField}},
	{"frame of a function", func(e *editor) bool {
		// That of code with two names is made from Mercury's, and not compared.
		i := e.named(".debug_frame")
		if i == 0 || slices.ContainsFunc(e.IDs, func(id *link.Identity) bool { return id.Code != nil && (len(id.Code.Names) > 1 || id.Several) }) {
			return false
		}
		e.flip(e.out.Sections[i].Offset+0x4c, 1)
		return true
	}, []Kind{SectionBytes}},
	{"fast path", onBody(".nv.compat", 28, 1, xor(8)), []Kind{CompatValue}},
}

func (e *editor) fileSection(ok func(*image.Section) bool) int {
	return max(0, slices.IndexFunc(e.out.All, func(s image.Section) bool { return s.Index > 0 && ok(&s) }))
}

func onMercury(kind cuda.SectionType, at, width uint64, change func(uint64) uint64) func(*editor) bool {
	return func(e *editor) bool {
		i := e.fileSection(func(s *image.Section) bool { return s.Kind == kind && s.Size >= at+width })
		if i <= 0 {
			return false
		}
		at := e.out.All[i].Offset + at
		e.put(at, width, change(e.get(at, width)))
		return true
	}
}

func onHeaderOfFile(kind cuda.SectionType, field, width uint64, change func(uint64) uint64) func(*editor) bool {
	return func(e *editor) bool {
		i := e.fileSection(func(s *image.Section) bool { return s.Kind == kind })
		if i <= 0 {
			return false
		}
		at := e.header(i, field)
		e.put(at, width, change(e.get(at, width)))
		return true
	}
}

// onMercurySymbol changes the last function of .nv.merc.symtab.
func onMercurySymbol(field, width uint64, change func(uint64) uint64) func(*editor) bool {
	return func(e *editor) bool {
		i := e.fileSection(func(s *image.Section) bool { return s.Kind == cuda.SHTMercSymtab })
		if i <= 0 {
			return false
		}
		s := &e.out.All[i]
		for at := s.Size - 24; at > 0; at -= 24 {
			if s.Body[at+stInfo] == 0x12 && image.Number(s.Body, at+stShndx, 2) != 0 {
				where := s.Offset + at + field
				e.put(where, width, change(e.get(where, width)))
				return true
			}
		}
		return false
	}
}

// Defects of either side. Scheduling bits of kernels are the finalizer's.
func TestRejectsMercuryDefects(t *testing.T) {
	planted := map[string]int{}
	// For those of all architectures it is enough to be found: some show as
	// something else here.
	anyKind := slices.Clone(defects)
	for i := range anyKind {
		anyKind[i].want = nil
	}
	all := slices.Concat(anyKind, mercuryDefects)
	for _, c := range mercuryCases(t) {
		inputs, options := inputsOf(c), optionsOf(c)
		options.Strict = true
		for _, d := range all {
			e := editorOf(t, c)
			if d.name == "scheduling bits" || !d.plant(e) || bytes.Equal(e.bytes, c.Output) {
				continue
			}
			planted[d.name]++
			v := Check(inputs, e.bytes, options)
			if v.Agrees() {
				if len(v.Remarks) == 0 || !strings.Contains(v.Remarks[0].Detail, "anew") {
					t.Errorf("%s: %s: accepted, %v", c.ID(), d.name, v.Remarks)
				}
			} else if d.want != nil && !names(v, d.want) {
				t.Errorf("%s: %s: want one of %v, got\n%s", c.ID(), d.name, d.want, v)
			}
		}
	}
	total := 0
	for _, d := range mercuryDefects {
		if planted[d.name] == 0 {
			t.Errorf("%s: no output has a place for it", d.name)
		}
	}
	for _, n := range planted {
		total += n
	}
	t.Logf("%d kinds of defect, planted %d times", len(planted), total)
}
