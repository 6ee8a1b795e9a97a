package dump

import (
	"fmt"
	"strconv"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// reader builds a model.
type reader struct {
	f      *cubin.File
	out    *File
	budget int
	fault  error // the budget is spent
}

// Read decodes the parts of a file. The error is a *cubin.Error: the file has
// no valid frame, or describes far more than its size.
func Read(name string, data []byte, parts Part) (*File, error) {
	f, err := cubin.Open(name, data)
	if err != nil {
		return nil, err
	}
	r := &reader{f: f, out: &File{Name: name, Size: len(data)}, budget: 64<<20 + 16*len(data)}
	for _, step := range [...]struct {
		part Part
		read func()
	}{
		{PartHeader, r.header},
		{PartPrograms, r.programs},
		{PartSections, r.sections},
		{PartSymbols, r.symbols},
		{PartRelocations, r.relocations},
		{PartInfo, r.info},
		{PartCallgraph, r.callgraph},
		{PartRelAction, r.relaction},
		{PartNotes, r.notes},
		{PartCompat, r.compat},
	} {
		if parts&step.part != 0 {
			step.read()
		}
		if r.fault != nil {
			return nil, r.fault
		}
	}
	return r.out, nil
}

// Costs, in bytes of budget: about what the model of a thing takes, names
// aside.
const (
	sectionCost = 192
	symbolCost  = 128
	relocCost   = 192
	recordCost  = 128
	valueCost   = 48
	edgeCost    = 64
)

// spend takes n from the budget and returns false where it is spent.
func (r *reader) spend(n int) bool {
	if r.fault != nil {
		return false
	}
	if n > r.budget {
		r.fault = &cubin.Error{Kind: cubin.OverBudget, File: r.f.Name, Value: uint64(len(r.f.Data)),
			Detail: "the file describes far more than its size"}
		return false
	}
	r.budget -= n
	return true
}

// each calls f for every section until the budget is spent.
func (r *reader) each(f func(i int, s *cubin.Section, name string)) {
	for i := 1; i < r.f.NumSections() && r.fault == nil; i++ {
		s := r.f.Section(i)
		f(i, &s, r.name(r.f.SectionName(&s)))
	}
}

// name charges a string to the budget and makes it printable.
func (r *reader) name(s string) string {
	if !r.spend(16 + len(s)) {
		return ""
	}
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return strconv.Quote(s)
		}
	}
	return s
}

// symbol returns the name of a symbol by index; that of its section for a
// section symbol without one.
func (r *reader) symbol(i uint32) string {
	t := r.f.Symtab()
	if t == nil {
		return "#" + strconv.Itoa(int(i))
	}
	s, ok := t.At(int(i))
	if !ok {
		return "#" + strconv.Itoa(int(i))
	}
	if name := t.Name(&s); name != "" {
		return r.name(name)
	}
	if s.Type() == cuda.STTSection {
		if ndx := t.Shndx(int(i), &s); int64(ndx) < int64(r.f.NumSections()) {
			sec := r.f.Section(int(ndx))
			return r.name(r.f.SectionName(&sec))
		}
	}
	return "#" + strconv.Itoa(int(i))
}

// section returns the name of a section by index.
func (r *reader) section(i uint32) string {
	if i == 0 || int64(i) >= int64(r.f.NumSections()) {
		return "#" + strconv.Itoa(int(i))
	}
	s := r.f.Section(int(i))
	return r.name(r.f.SectionName(&s))
}

// str returns a string of .strtab by offset.
func (r *reader) str(off uint32) string {
	t := r.f.Symtab()
	if t == nil {
		return hex(uint64(off))
	}
	s, ok := t.String(uint64(off))
	if !ok {
		return hex(uint64(off))
	}
	return r.name(s)
}

func hex(v uint64) string { return "0x" + strconv.FormatUint(v, 16) }

// faultOf returns the text of an error, "" for none.
func faultOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func known(s, otherwise string) string {
	if s == "?" || s == "" {
		return otherwise
	}
	return s
}

func number[T ~uint8 | ~uint16 | ~uint32](v T) string { return fmt.Sprintf("0x%x", uint64(v)) }
