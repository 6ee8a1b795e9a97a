package merge_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
)

// damage is a field of an input with another value, and the fault that the link has to tell; a kind of 0 wants none.
type damage struct {
	name      string
	at, width uint64
	value     uint64
	kind      cubin.Kind
	section   string
	offset    uint64
}

const far = 0xfffff0 // an index after every table's end

// damages are what can be wrong with what sections of an input say of others: the fault is reported at the record, or where
// a section's header is wrong at its place in the file.
func damages(f *cubin.File) (all []damage) {
	tab := f.Symtab()
	for i := 1; i < f.NumSections(); i++ {
		s := f.Section(i)
		name, header := f.SectionName(&s), f.Header.ShOff+uint64(i)*cubin.SectionSize
		switch {
		case s.Type == cuda.SHTCudaCallgraph:
			all = append(all, pairDamages(f, &s, name)...)
		case s.Type == cuda.SHTCudaPrototype:
			for k := range s.Size / 8 {
				all = append(all, damage{"function of a prototype", s.Off + k*8, 4, far, cubin.BadIndex, name, k * 8},
					damage{"prototype", s.Off + k*8 + 4, 4, far, cubin.BadName, name, k*8 + 4})
			}
		case cubin.IsRelocs(s.Type):
			all = append(all, damage{"sh_info of relocations", header + 44, 4, 0, cubin.BadIndex, name, 0},
				damage{"sh_info of relocations", header + 44, 4, uint64(f.NumSections()), cubin.BadIndex, name, 0})
			for k := range s.Size / s.EntSize {
				all = append(all, damage{"symbol of a relocation", s.Off + k*s.EntSize + 12, 4, uint64(tab.Len()), cubin.BadIndex, name, 0})
			}
		case s.Type == cuda.SHTCudaInfo:
			all = append(all, infoDamages(f, &s, name)...)
		case s.Type == cuda.SHTProgbits && s.Flags&cuda.SHFExec != 0, s.Type == cuda.SHTCudaShared:
			all = append(all, damage{"sh_addralign", header + 48, 8, 3, cubin.BadHeader, name, s.Off}, damage{"sh_addralign", header + 48, 8, 1 << 41, cubin.BadHeader, name, s.Off})
		}
		if s.Type != cuda.SHTProgbits && s.Type != cuda.SHTNote && s.Owner() != 0 && !cubin.IsRelocs(s.Type) {
			all = append(all, damage{"sh_info of what a function owns", header + 44, 4, uint64(f.NumSections()), cubin.BadIndex, name, 0})
		}
	}
	return append(all, symbolDamages(f)...)
}

// pairDamages are those of a call graph, whose parts begin with a pair of 0 and their number.
func pairDamages(f *cubin.File, s *cubin.Section, name string) (all []damage) {
	part := uint32(0)
	for k := range int(s.Size / 8) {
		at, off := s.Off+uint64(k)*8, uint64(k)*8
		p := f.Pair(s, k)
		if p.X == 0 {
			part = p.Y
			continue
		}
		all = append(all, damage{"caller", at, 4, far, cubin.BadIndex, name, off})
		if part == uint32(cuda.CallgraphCalls) || part == uint32(cuda.CallgraphEdges) {
			all = append(all, damage{"callee", at + 4, 4, far, cubin.BadIndex, name, off + 4})
		} else {
			all = append(all, damage{"prototype of a call", at + 4, 4, far, cubin.BadName, name, off + 4})
		}
		if k > 0 && f.Pair(s, k-1).X == 0 {
			all = append(all, damage{"part", at - 4, 4, 0xfffffff0, cubin.BadRecord, name, off})
		}
	}
	return all
}

// infoDamages are symbols of attributes: the whole section is told.
func infoDamages(f *cubin.File, s *cubin.Section, name string) (all []damage) {
	if s.Owner() != 0 {
		return nil
	}
	at := s.Off
	r := f.Info(s)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		switch rec.Attr {
		case cuda.AttrRegcount, cuda.AttrFrameSize, cuda.AttrMinStackSize, cuda.AttrMaxStackSize:
			all = append(all, damage{rec.Attr.String(), at + 4, 4, far, cubin.BadIndex, name, 0})
		}
		at += 4
		if rec.Format == cuda.FormatSized {
			at += uint64(len(rec.Data)+3) &^ 3
		}
	}
	return all
}

func symbolDamages(f *cubin.File) (all []damage) {
	var table cubin.Section
	for i := range f.NumSections() {
		if s := f.Section(i); s.Type == cuda.SHTSymtab {
			table = s
		}
	}
	tab := f.Symtab()
	for i := range tab.Len() {
		s, _ := tab.At(i)
		at := table.Off + uint64(i)*cubin.SymbolSize
		if s.Shndx == 0 || s.Shndx >= uint16(cuda.SHNLoReserve) || s.Type() != cuda.STTFunc && s.Type() != cuda.STTCudaObject {
			continue
		}
		const none = 0xfff5 // of the reserved numbers, which name no section
		what := "section of a function"
		if s.Type() == cuda.STTCudaObject {
			what = "section of an object"
		}
		all = append(all, damage{what, at + 6, 2, none, cubin.BadIndex, "", uint64(i)})
		where := f.Section(int(f.Header.ShStrNdx))
		all = append(all, damage{what, at + 6, 2, uint64(f.Header.ShStrNdx), cubin.BadIndex, f.SectionName(&where), uint64(i)})
		if s.Type() == cuda.STTCudaObject && s.Other&cuda.STOSpace == cuda.STOShared {
			in := f.Section(int(s.Shndx))
			all = append(all, damage{"alignment of a shared variable", at + 8, 8, 3, cubin.BadIndex, f.SectionName(&in), uint64(i)},
				damage{"alignment of a shared variable", at + 8, 8, 1 << 41, cubin.BadIndex, f.SectionName(&in), uint64(i)},
				damage{"alignment of a shared variable", at + 8, 8, 64, 0, "", 0})
		}
	}
	return all
}

// Each fault of an input that only merging sees is reported as what it is, in its section at its place, with the value that
// is there.
func TestFaultPlaces(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range recorded(t, "calls/12.4-sm_72", "calls/13.0-sm_90a", "variadic/12.4-sm_90-preserve", "shared_all/13.0-sm_80-quiet", "data_only/12.4-sm_62-v", "reserved/12.4-sm_80-v") {
		for _, in := range c.Inputs {
			f, err := cubin.Open(in.Name, in.Data)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range damages(f) {
				bad := bytes.Clone(in.Data)
				var v [8]byte
				binary.LittleEndian.PutUint64(v[:], d.value)
				copy(bad[d.at:d.at+d.width], v[:])
				_, err := engine.Link([]engine.Input{{Name: in.Name, Data: bad}}, engine.Options{Arch: c.Arch, Toolkit: c.Release})
				var fault *cubin.Error
				seen[d.name] = true
				switch errors.As(err, &fault); {
				case d.kind == 0 && fault != nil:
					t.Errorf("%s, %s: %s at %#x of %#x: %v, want no fault", c.ID(), in.Name, d.name, d.at, d.value, err)
				case d.kind == 0:
				case fault == nil:
					t.Errorf("%s, %s: %s at %#x of %#x: %v, want %s in %q at %#x", c.ID(), in.Name, d.name, d.at, d.value, err, d.kind, d.section, d.offset)
				case fault.Kind != d.kind || fault.Section != d.section || fault.Offset != d.offset || fault.Value != d.value || fault.File != in.Name || fault.Detail == "":
					t.Errorf("%s, %s: %s at %#x of %#x: %v, want %s in %q at %#x", c.ID(), in.Name, d.name, d.at, d.value, fault, d.kind, d.section, d.offset)
				}
			}
		}
	}
	if len(seen) != 16 {
		t.Errorf("faults of %d sorts, want 16: %v", len(seen), seen)
	}
}

// recorded returns cases of the corpus.
func recorded(t *testing.T, ids ...string) (list []corpus.Case) {
	t.Helper()
	all, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		at := slices.IndexFunc(all, func(c corpus.Case) bool { return c.ID() == id })
		if at < 0 {
			t.Fatalf("no case %s", id)
		}
		list = append(list, all[at])
	}
	return list
}
