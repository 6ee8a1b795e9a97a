package onerecord

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// symbol is what a record may name, with what the oracle has to know of it.
type symbol struct {
	name   string
	kind   oracle.SymbolKind
	lies   cuda.SectionType // type of its section
	slot   uint32
	probed bool // its value is the linker's choice and is asked for first
}

const alignment = 8 // of svar, which the tool keeps as its slot word

var symbols = []symbol{
	{"cvar", oracle.Constant, cuda.SHTCudaConstant0 + 3, 0, false},
	{"svar", oracle.Hidden, cuda.SHTCudaShared, alignment, true},
	{".nv.constant3", oracle.Constant, cuda.SHTCudaConstant0 + 3, 0, false},
	{".text.k", oracle.Constant, cuda.SHTProgbits, 0, false},
	{"tex0", oracle.Texture, cuda.SHTCudaConstant0, 0, true},
	{"gvar", oracle.Global, cuda.SHTCudaGlobal, 0, false},
	{"ginit", oracle.Global, cuda.SHTCudaGlobalInit, 0, false},
	{"dfun", oracle.Function, cuda.SHTProgbits, 0, false},
	{"k", oracle.Function, cuda.SHTProgbits, 0, false},
}

// experiment is one link.
type experiment struct {
	release  oracle.Release
	sm       int
	number   uint32
	rela     bool
	symbol   symbol
	value    uint64 // st_value given to cvar; else what the probe found
	bank     uint32 // constant bank cvar's section is made to be
	addend   int64
	at       uint64
	old      [16]byte
	preserve bool
}

func (x experiment) String() string {
	kind := "REL"
	if x.rela {
		kind = "RELA"
	}
	return fmt.Sprintf("%s sm_%d %s 0x%x against %s value %#x bank %d addend %#x over %x at %#x preserve %v",
		folders[x.release], x.sm, kind, x.number, x.symbol.name, x.value, x.bank, x.addend, x.old, x.at, x.preserve)
}

func (x experiment) mercury() bool { return x.sm >= 100 }

// place is the section that is patched.
func (x experiment) place() string {
	if x.mercury() {
		return ".nv.merc.nv.global.init"
	}
	return ".text.k"
}

func (x experiment) recordSection() string {
	if x.rela {
		return ".rela" + x.place()
	}
	return ".rel" + x.place()
}

// object makes the cubin of the experiment from the compiled program.
func (x experiment) object(base []byte) ([]byte, error) {
	if x.mercury() {
		return x.mercuryObject(base)
	}
	f := open(base)
	place, index := f.find(x.place())
	var holder *section
	for _, s := range f.sections {
		if s.kind != 4 && s.kind != 9 {
			continue
		}
		s.data = nil
		if s.info == uint32(index) && holder == nil {
			holder = s
		}
	}
	holder.kind, holder.entry = 9, 16
	if x.rela {
		holder.kind, holder.entry = 4, 24
	}
	f.rename(holder, x.recordSection())
	st, n, err := f.symbol(".symtab", x.symbol.name)
	if err != nil {
		return nil, err
	}
	if x.symbol.name == "cvar" {
		le.PutUint64(st[8:], x.value)
		constants, _ := f.find(".nv.constant3")
		constants.kind = uint32(cuda.SHTCudaConstant0) + x.bank
		f.rename(constants, fmt.Sprintf(".nv.constant%d", x.bank))
	}
	holder.data = x.record(n)
	copy(place.data[x.at:], x.old[:])
	return f.bytes(), nil
}

func (x experiment) record(n uint32) []byte {
	b := le.AppendUint64(nil, x.at)
	b = le.AppendUint32(le.AppendUint32(b, x.number), n)
	if x.rela {
		b = le.AppendUint64(b, uint64(x.addend))
	}
	return b
}

// mercuryObject changes the file in place: sections of the Mercury group may
// share their bytes with a section of the other group, so nothing may move.
func (x experiment) mercuryObject(base []byte) ([]byte, error) {
	b := bytes.Clone(base)
	f := open(b)
	place, _ := f.find(x.place())
	holder, index := f.find(".nv.merc.rela.nv.global.init")
	table, _ := f.find(".nv.merc.symtab")
	_, n, err := f.symbol(".nv.merc.symtab", x.symbol.name)
	if err != nil {
		return nil, err
	}
	if x.symbol.name == "cvar" {
		le.PutUint64(b[table.offset+24*uint64(n)+8:], x.value)
	}
	r := x.record(n)
	le.PutUint64(b[le.Uint64(b[40:])+64*uint64(index)+32:], uint64(len(r)))
	copy(b[holder.offset:], r)
	copy(b[place.offset+x.at:], x.old[:])
	return b, nil
}

// check runs the experiment and compares; the error says what differs.
func (x experiment) check(dir string, base []byte) error {
	object, err := x.object(base)
	if err != nil {
		return err
	}
	var options []string
	if x.preserve {
		options = append(options, "--preserve-relocs")
	}
	a, err := ask(dir, x.release, x.sm, object, options...)
	if err != nil {
		return err
	}
	disposition, err := oracle.DispositionOf(x.number, x.symbol.kind, x.release, x.sm)
	if err != nil {
		return err
	}
	switch disposition.Action {
	case oracle.Crashes:
		if !a.signal {
			return fmt.Errorf("should crash: exit %d %s", a.exit, a.text)
		}
		return nil
	case oracle.Refuses:
		if a.signal || a.exit != 1 || !strings.Contains(a.text, "Internal error: ") {
			return fmt.Errorf("should be refused: exit %d %s", a.exit, a.text)
		}
		return nil
	}
	if a.image == nil {
		return fmt.Errorf("should be linked: exit %d signal %v %s", a.exit, a.signal, a.text)
	}
	return x.compare(disposition, open(object), open(a.image))
}

// compare holds the linked file against the oracle.
func (x experiment) compare(disposition oracle.Disposition, before, after *file) error {
	was, _ := before.find(x.place())
	is, _ := after.find(x.place())
	want := bytes.Clone(was.data)
	var implicit uint64
	if disposition.Action == oracle.Patches || disposition.Action == oracle.Finalizes {
		out, err := oracle.Apply(disposition.As, want[x.at:x.at+16], x.inputs())
		if err != nil {
			return err
		}
		copy(want[x.at:], out.Bytes)
		implicit = out.Implicit
		renamed, err := oracle.Apply(x.number, was.data[x.at:x.at+16], x.inputs())
		if err != nil || !bytes.Equal(renamed.Bytes, out.Bytes) {
			return fmt.Errorf("recipes of %#x and %#x differ", x.number, disposition.As)
		}
	}
	if !bytes.Equal(is.data, want) {
		return fmt.Errorf("place is %x, oracle %x", is.data[x.at:x.at+16], want[x.at:x.at+16])
	}
	if err := x.compareKept(disposition, after); err != nil {
		return err
	}
	if x.preserve {
		return x.comparePreserved(disposition, implicit, after)
	}
	return nil
}

// compareKept looks for the record in the output, where it should be or not.
func (x experiment) compareKept(disposition oracle.Disposition, after *file) error {
	var found []record
	for _, r := range after.records(4, 9, uint32(cuda.SHTMercRela)) {
		if r.section == x.outputSection() {
			found = append(found, r)
		}
	}
	if disposition.Action != oracle.Keeps && disposition.Action != oracle.Finalizes {
		if len(found) != 0 {
			return fmt.Errorf("record %+v stays", found)
		}
		return nil
	}
	want := record{section: x.outputSection(), offset: x.at, number: disposition.As, symbol: x.symbol.name, addend: x.addend}
	if disposition.As == 0 && x.number != 0 {
		want.symbol = ""
	}
	if len(found) != 1 || found[0] != want {
		return fmt.Errorf("records %+v, want %+v", found, want)
	}
	return nil
}

func (x experiment) outputSection() string {
	if x.mercury() {
		return ".nv.merc.rela.nv.global.init"
	}
	return x.recordSection()
}

// comparePreserved checks the addend that --preserve-relocs wrote down.
func (x experiment) comparePreserved(disposition oracle.Disposition, implicit uint64, after *file) error {
	found := after.records(uint32(cuda.SHTCudaResolvedRela), uint32(cuda.SHTMercResolvedRela))
	addend := int64(implicit)
	if x.rela {
		addend = x.addend
	}
	switch {
	case disposition.Action != oracle.Patches:
		if len(found) != 0 {
			return fmt.Errorf("preserved %+v of a record that was not applied", found)
		}
	case len(found) == 0:
		return fmt.Errorf("nothing preserved")
	case found[0].number != disposition.As || found[0].offset != x.at || found[0].addend != addend:
		return fmt.Errorf("preserved %+v, oracle %#x with addend %#x", found[0], disposition.As, addend)
	}
	return nil
}

// inputs turns the experiment into the oracle's numbers.
func (x experiment) inputs() oracle.Inputs {
	in := oracle.Inputs{Rela: x.rela, S: x.value, A: x.addend, P: x.at, SectionType: x.symbol.lies, Slot: x.symbol.slot}
	switch {
	case x.symbol.name == "cvar":
		in.SectionType = cuda.SHTCudaConstant0 + cuda.SectionType(x.bank)
	case x.symbol.kind == oracle.Texture && !oracle.TakesBindlessSlot(x.number):
		in.S, in.SectionType = 0, cuda.SHTNull
	}
	return in
}
