package selfcheck_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/dwarf"
	"github.com/twinlink/twinlink/selfcheck"
)

// rare are the findings that no single random edit brings about: several places
// must be changed together. edit makes the edit (corpus.Edit) for an object, "" where it
// has no place for it.
var rare = []struct {
	name, finding string
	edit          func(m *capsule.Image) string
}{
	{"last node", "text content .nv.capmerc.text. last node: expected SKIP", lastNodePlain},
	{"skip", "text content .nv.capmerc.text. span of the SKIP at", skipOfTwo},
	{"mini", "text content .text. opcode of tag-only node 4101040a: expected one known for this tag", miniOfOther},
	{"yield place", "reloc content .rela.text. offset of a YIELD record: expected a YIELD", relocToYield},
	{"yield alone", "reloc count .rela.text. YIELD records at", relocToYield},
	{"attribute", "text content .nv.info. ", attributeBesideNode},
	{"registers", "debug count .nv_debug_info_reg_sass registers of ", blockCutShort},
	{"note", "text content .note.nv.cuver words of a note: expected 1 1", noteOf129},
	{"unit", "debug content .nv.merc.rela.debug_info addend of a unit of .debug_line: expected the start of a unit", unitMoved},
	{"unit place", "debug content .nv.merc.rela.debug_info r_offset: expected a place in .debug_info", unitPlaceMoved},
}

func TestRareFindings(t *testing.T) {
	objects := map[string][]byte{}
	capsules(t, func(c *corpus.Capsule, data []byte) { objects[c.Name] = data })
	for _, name := range []string{"unit-13.0-sm_100-g", "unit-13.0-sm_100-g-linked"} {
		data, err := os.ReadFile("testdata/" + name + ".cubin")
		if err != nil {
			t.Fatal(err)
		}
		if r := selfcheck.Check(name, data, selfcheck.Options{}); r.Verdict != selfcheck.Pass {
			t.Errorf("%s: %s, %s", name, r.Verdict, first(r))
		}
		objects[name] = data
	}
	made := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		for _, tt := range rare {
			data := bytes.Clone(objects[name])
			f, err := cubin.Open(name, data)
			if err != nil {
				t.Fatal(err)
			}
			edit := tt.edit(capsule.Open(f))
			if edit == "" {
				continue
			}
			if err := corpus.Edit(data, edit); err != nil {
				t.Fatal(err)
			}
			made[tt.name]++
			r := selfcheck.Check(name, data, selfcheck.Options{AllowUnknown: true})
			if !slices.ContainsFunc(r.Findings, func(g selfcheck.Finding) bool { return says(&g, tt.finding) }) {
				t.Errorf("%s: %s: %q: none of %d findings: %s", tt.name, name, edit, len(r.Findings), first(r))
			}
		}
	}
	for _, tt := range rare {
		if made[tt.name] == 0 {
			t.Errorf("%s: no object has a place for it", tt.name)
		}
	}
}

// says reports whether a finding is of a kind, an aspect and a section, all names of
// which may be cut, and begins as wanted.
func says(g *selfcheck.Finding, want string) bool {
	f := strings.SplitN(want, " ", 4)
	return g.Kind.String() == f[0] && g.Aspect.String() == f[1] && strings.HasPrefix(g.Section, f[2]) && strings.HasPrefix(g.Detail(), f[3])
}

const bitmapAt = 12 // in a capsule

// lastNodePlain takes the record of the padding away, and all but one word of it.
func lastNodePlain(m *capsule.Image) string {
	for i := range m.Funcs {
		fn := &m.Funcs[i]
		if fn.Cap == nil || m.Sections[fn.Text].EntSize != 0 {
			continue
		}
		last := len(fn.Cap.Nodes) - 1
		return fmt.Sprintf("byte %d %d ^ %d; section %d size = %d; section %d size = %d",
			fn.Capsule, bitmapAt+last/8, 1<<(last%8), fn.Capsule, m.Sections[fn.Capsule].Size-2,
			fn.Text, fn.Cap.Nodes[last].SASS+capsule.WordSize)
	}
	return ""
}

// skipOfTwo lets a SKIP take a word of the padding at the end.
func skipOfTwo(m *capsule.Image) string {
	for i := range m.Funcs {
		fn := &m.Funcs[i]
		if fn.Cap == nil {
			continue
		}
		at := uint32(bitmapAt + (len(fn.Cap.Nodes)+31)/32*4)
		for k := range fn.Cap.Nodes {
			n := &fn.Cap.Nodes[k]
			last := m.Sections[fn.Capsule].Size - 2
			switch {
			case n.Kind == capsule.Skip && k < len(fn.Cap.Nodes)-1:
				less := fn.Cap.Nodes[len(fn.Cap.Nodes)-1].Span - 1
				return fmt.Sprintf("byte %d %d ^ 0x80; byte %d %d ^ 1; byte %d %d = %d; byte %d %d = %d", fn.Capsule, at, fn.Capsule, at+1,
					fn.Capsule, last, less<<7&0x80|0x50, fn.Capsule, last+1, less>>1)
			case n.Kind == capsule.TagOnly || n.Kind == capsule.Full:
				at = fn.Cap.RecordAt(n) + uint32(len(fn.Cap.Record(n)))
			}
		}
	}
	return ""
}

// miniOfOther gives a tag-only node a tag that was met with one opcode, and is not
// among those whose opcode the check itself knows.
func miniOfOther(m *capsule.Image) string {
	for i := range m.Funcs {
		fn := &m.Funcs[i]
		for k := 0; fn.Cap != nil && k < len(fn.Cap.Nodes); k++ {
			n := &fn.Cap.Nodes[k]
			if n.Kind == capsule.TagOnly && fn.Cap.Record(n)[0] == 0x41 && n.Span == 1 {
				return fmt.Sprintf("word %d %d = %d", fn.Capsule, fn.Cap.RecordAt(n), binary.LittleEndian.Uint32([]byte{0x41, 0x01, 0x04, 0x0a}))
			}
		}
	}
	return ""
}

// relocToYield calls a relocation of a text one of the two of a YIELD.
func relocToYield(m *capsule.Image) string {
	for i := range m.Funcs {
		if fn := &m.Funcs[i]; fn.Cap != nil && fn.Rela != 0 && m.Sections[fn.Rela].Size > 0 && strings.HasPrefix(m.Sections[fn.Rela].Name, ".rela.text.") {
			return fmt.Sprintf("word %d 8 = %d", fn.Rela, cuda.R_CUDA_YIELD_OPCODE9_0)
		}
	}
	return ""
}

// attributeBesideNode lets an attribute name a node of several words, of which it
// isn't known which one is meant, and on the other side the word after it.
func attributeBesideNode(m *capsule.Image) string {
	for i := range m.Funcs {
		fn := &m.Funcs[i]
		if fn.Cap == nil || fn.Info == 0 || fn.MercInfo == 0 {
			continue
		}
		merc, ok := exitAt(m, fn.MercInfo)
		sass, ok2 := exitAt(m, fn.Info)
		for k := 0; ok && ok2 && k < len(fn.Cap.Nodes); k++ {
			if n := &fn.Cap.Nodes[k]; n.Kind == capsule.Full && n.Span > 1 && !selfcheck.HasPrincipal(fn.Cap.Tag(n)) {
				return fmt.Sprintf("word %d %d = %d; word %d %d = %d", fn.MercInfo, merc, n.Merc, fn.Info, sass, n.SASS+uint32(n.Span)*capsule.WordSize)
			}
		}
	}
	return ""
}

// exitAt returns where the first offset of EXIT_INSTR_OFFSETS stands.
func exitAt(m *capsule.Image, section int) (uint64, bool) {
	r := m.File.Info(&m.Sections[section].Section)
	at := uint64(0)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		if rec.Attr == cuda.AttrExitInstrOffsets && len(rec.Data) >= 4 {
			return at + 4, true
		}
		at += uint64(rec.Len())
	}
	return 0, false
}

// blockCutShort takes the last entry of the last function away. Where a macro takes
// registers of its own, the two sides may differ; so may those of a function that another one
// replaced, or that lost all of them.
func blockCutShort(m *capsule.Image) string {
	for i := range m.Funcs {
		for k := 0; m.Funcs[i].Cap != nil && k < len(m.Funcs[i].Cap.Nodes); k++ {
			if n := &m.Funcs[i].Cap.Nodes[k]; n.Kind == capsule.Full && n.Span > 4 {
				return ""
			}
		}
	}
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.Mercury() || s.Name != ".nv_debug_info_reg_sass" {
			continue
		}
		list, f := dwarf.DecodeRegisters(s.Content)
		if f != nil || len(list) != 1 || len(list[0].Entries) < 3 {
			continue
		}
		b := &list[0]
		e := &b.Entries[len(b.Entries)-1]
		return fmt.Sprintf("section %d size = %d; word %d %d = %d", i, e.At, i, b.At+uint64(len(b.Name))+1, b.Count-1)
	}
	return ""
}

// noteOf129 makes a note that 12.9 writes, with other words.
func noteOf129(m *capsule.Image) string {
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.Name != ".note.nv.cuinfo" {
			continue
		}
		strtab := int(m.File.Header.ShStrNdx)
		at := bytes.Index(m.Sections[strtab].Content, []byte(s.Name+"\x00"))
		if at < 0 {
			return ""
		}
		name := binary.LittleEndian.Uint32([]byte("ver\x00"))
		return fmt.Sprintf("word %d %d = %d; section %d size = %d; word %d 4 = 12", strtab, at+len(".note.nv.cu"), name, i, s.Size+4, i)
	}
	return ""
}

// unitMoved lets a relocation name no unit of .debug_line.
func unitMoved(m *capsule.Image) string { return unitReloc(m, "word %d %d + 1", 16, false) }

// unitPlaceMoved lets one of an image, which keeps no such relocation, follow its section.
func unitPlaceMoved(m *capsule.Image) string { return unitReloc(m, "word %d %d = 4096", 0, true) }

func unitReloc(m *capsule.Image, edit string, field int, image bool) string {
	if image != (m.File.Header.Type == cuda.ETExec) {
		return ""
	}
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.Name != ".nv.merc.rela.debug_info" {
			continue
		}
		for at := 0; at < len(s.Content); at += cubin.RelaSize {
			symbol := m.Merc.At(binary.LittleEndian.Uint32(s.Content[at+12:]))
			if symbol != nil && strings.HasSuffix(symbol.Name, ".debug_line") {
				return fmt.Sprintf(edit, i, at+field)
			}
		}
	}
	return ""
}
