package link_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/oracletest"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// read reads the inputs and the output of a recorded link, of one side.
func read(t *testing.T, l *oracletest.Link, side image.Side, other *link.Link) *link.Link {
	t.Helper()
	c := link.New(1<<20, l.Options)
	c.Side, c.Sass = side, other
	for i, in := range l.Inputs {
		var counterpart *image.Image
		if other != nil {
			counterpart = other.Modules[i].Image
		}
		m, err := link.ReadModule(i, in, side, counterpart, c.Budget)
		if err != nil {
			t.Fatal(err)
		}
		c.Modules = append(c.Modules, m)
	}
	if err := c.ReadOutput(l.Output); err != nil {
		t.Fatal(err)
	}
	return c
}

// releaseOf is the release that a recorded link's name begins with, after its program.
func releaseOf(name string) (r oracle.Release) {
	_, rest, _ := strings.Cut(name, "/")
	var major, minor int
	if n, _ := fmt.Sscanf(rest, "%d.%d-", &major, &minor); n == 2 {
		r = oracle.Release(10*major + minor)
	}
	return r
}

// TestRecorded reads recorded links: the release and the target are nvlink's, and each table has the entries that its length
// says, as package debug/elf finds them.
func TestRecorded(t *testing.T) {
	releases, bodies, records, attributes, calls := 0, 0, 0, 0, 0
	for _, l := range oracletest.Links(t) {
		c := read(t, &l, image.SassSide, nil)
		if want := releaseOf(l.Name); want != 0 {
			if releases++; c.Release != want {
				t.Errorf("%s: release %d", l.Name, c.Release)
			}
		}
		if sm := strings.TrimRight(strings.TrimPrefix(l.Options.Arch, "sm_"), "af"); fmt.Sprint(c.SM) != sm {
			t.Errorf("%s: sm_%d", l.Name, c.SM)
		}
		if want := l.Options.Relocatable && c.Release >= 130; c.Relocatable != want {
			t.Errorf("%s: relocatable: %v", l.Name, c.Relocatable)
		}
		if reserved := c.SM >= 90 && !l.Options.NoReserved; (c.Reserved == link.ReservedShared) != reserved || !reserved && c.Reserved != 0 {
			t.Errorf("%s: %d bytes are reserved", l.Name, c.Reserved)
		}
		if c.Verdict.Total > 0 {
			t.Errorf("%s: %s", l.Name, c.Verdict.Findings[0])
		}
		if c.OldestSM() > uint64(c.SM) || c.NewForm() != (c.Release >= 130) || c.FirstMercury() {
			t.Errorf("%s: of sm_%d, new form: %v, of the first for Mercury: %v", l.Name, c.OldestSM(), c.NewForm(), c.FirstMercury())
		}
		for i, m := range c.Modules {
			data := bytes.Clone(l.Inputs[i].Data)
			copy(data[20:24], []byte{1, 0, 0, 0}) // e_version, which says a toolkit's
			f, err := elf.NewFile(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			code, entries := 0, map[string]int{}
			for _, s := range f.Sections {
				if s.Flags&elf.SHF_EXECINSTR != 0 && s.Type == elf.SHT_PROGBITS && !strings.Contains(s.Name, "merc") {
					code++
				}
				if (s.Type == elf.SHT_REL || s.Type == elf.SHT_RELA) && s.Entsize > 0 {
					entries[s.Name] += int(s.Size / s.Entsize)
				}
			}
			for at, b := range m.Bodies {
				if !link.IsCode(b.Section) || b.Section != &m.Sections[at] || b.Mod != m {
					t.Errorf("%s: %s: code in %s", l.Name, m.Name, b.Section.Name)
				}
			}
			if len(m.Bodies) != code {
				t.Errorf("%s: %s: %d functions, debug/elf finds %d", l.Name, m.Name, len(m.Bodies), code)
			}
			bodies += code
			got := map[string]int{}
			for k, list := range m.Relocs {
				got[list.Section.Name] += len(list.List)
				if records += len(list.List); !slices.Contains(m.RelocsOf[list.Target], k) || list.Target != int(list.Section.Info) {
					t.Errorf("%s: %s: %s is not of %d", l.Name, m.Name, list.Section.Name, list.Target)
				}
			}
			for name, n := range entries {
				if got[name] != n {
					t.Errorf("%s: %s: %d records in %s, debug/elf finds %d", l.Name, m.Name, got[name], name, n)
				}
			}
			attributes += checkAttributes(t, l.Name, m)
			calls += len(m.Pairs)
		}
	}
	if releases < 100 || bodies < 300 || records < 1000 || attributes < 1000 || calls < 100 {
		t.Errorf("only %d releases, %d functions, %d records, %d attributes, %d pairs", releases, bodies, records, attributes, calls)
	}
}

// checkAttributes wants of each kernel's register count what its object says in its header, where it says it there, and
// returns how many attributes a module has.
func checkAttributes(t *testing.T, name string, m *link.Module) (n int) {
	t.Helper()
	most := uint64(0)
	for i, list := range m.Infos {
		n += len(list)
		for _, a := range list {
			if a.Attr == cuda.AttrRegcount && m.Sections[i].Info == 0 {
				most = max(most, uint64(image.Word(a.Value, 4)))
			}
		}
	}
	if got := m.MostRegisters(); got != most {
		t.Errorf("%s: %s: %d registers at most, want %d", name, m.Name, got, most)
	}
	for _, b := range m.Bodies {
		symbol := link.SymbolOf(b.Section.Info)
		if head := link.RegistersOf(b.Section.Info); head != 0 && (b.Registers(130) != head || b.Registers(118) != head) {
			t.Errorf("%s: %s: %s has %d registers, its header says %d", name, m.Name, b.Section.Name, b.Registers(130), head)
		}
		if s := &m.Symbols[symbol]; s.Kind() != cuda.STTFunc || ".text."+s.Name != b.Section.Name {
			t.Errorf("%s: %s: %s is of %s", name, m.Name, b.Section.Name, s.Name)
		}
	}
	return n
}

// TestMapRecorded maps the words of each function's input to those that nvlink wrote: all are found, in their order.
func TestMapRecorded(t *testing.T) {
	mapped := 0
	for _, l := range oracletest.Links(t) {
		c := read(t, &l, image.SassSide, nil)
		outs := map[string][]byte{}
		for i := range c.Out.Sections {
			if s := &c.Out.Sections[i]; link.IsCode(s) {
				if outs[s.Name] != nil {
					s.Body = nil // two of a name
				}
				outs[s.Name] = s.Body
			}
		}
		for _, m := range c.Modules {
			for _, b := range m.Bodies {
				out := outs[b.Section.Name]
				if out == nil || len(c.Modules) > 1 && m.Symbols[link.SymbolOf(b.Section.Info)].Bind() != cuda.STBGlobal || len(out)%16 != 0 || c.SM < 70 {
					continue
				}
				w, unlike := b.MapCode(out)
				if unlike > 0 {
					t.Errorf("%s: %d words of %s are unlike", l.Name, unlike, b.Section.Name)
				}
				last := int32(-1)
				for i, j := range w.To {
					if j >= 0 && (j <= last || w.From[j] != int32(i)) {
						t.Errorf("%s: %s: word %d is at %d, behind %d", l.Name, b.Section.Name, i, j, last)
					}
					last = max(last, j)
				}
				mapped++
			}
		}
	}
	if mapped < 100 {
		t.Errorf("only %d functions", mapped)
	}
}
