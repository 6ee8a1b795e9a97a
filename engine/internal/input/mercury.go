package input

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// From sm_100 on an object holds every function twice: as SASS and, in the
// Mercury group, as a capsule with symbols, attributes, relocations and debug
// data of its own. nvlink links the Mercury side by the rules of every other
// link and then writes the SASS side again from what came out.
//
// So the link proper reads each input through a view: the same bytes under
// section headers that show the Mercury side alone, by the names it has
// without ".nv.merc". A capsule is where a view of SASS has code; banks of
// constants have the types of SASS, so that one code knows them. What has no
// clone (notes, call graph, memory that is only reserved) is that of the SASS
// side. Section numbers stay, so that the other side of each is found by one
// table.
//
// Source: links of nvlink 13.0.88.

// Sides is an input with both sides.
type Sides struct {
	File        *cubin.File // the whole file; the link proper reads the view
	Counterpart []uint32    // by section: its counterpart on the other side, 0 for none
	Bank        []uint32    // by section of code (SASS): its .nv.constant0.<k>, 0 for none
	Rela        []uint32    // by section (SASS): the RELA section that patches it, 0 for none
	Info        []uint32    // by section of code (SASS): its .nv.info.<f>, 0 for none

	Toolkit    uint32  // the first with the finalizer that made its code
	Virtual    cuda.SM // that it was written for
	Foreign    bool    // made by a toolkit whose code the release reschedules
	FirstWords bool    // call frames of the SASS side have places behind first words: see namesFirstWords
	ends       *ends   // see MercEnd
	known      int     // symbols of the Mercury side; the SASS side may have more
	// Confused names sections of which there are several with other contents: see namesakes.
	Confused []string
	mixed    bool // and code may become another by that
}

const (
	MercPrefix    = ".nv.merc"
	CapmercPrefix = ".nv.capmerc"
)

// isMercury reports whether an input brings a Mercury side.
func isMercury(f *cubin.File) bool {
	kind := f.Header.Flags & 7
	return f.Header.New() && f.Header.SM() >= cuda.MercuryMin && (kind == cuda.EFKindCapmerc || kind == cuda.EFKindCapmerc|1)
}

// openMercury turns the inputs of a link for sm_100 and up into views, if all
// of them bring a Mercury side.
func (l *Set) openMercury() error {
	if l.Arch.SM < cuda.MercuryMin || !l.Release.Notes {
		return nil
	}
	for _, f := range l.Files {
		if !isMercury(f) {
			return nil
		}
	}
	l.Dialect = &release.Mercury
	l.Sides = make([]Sides, len(l.Files))
	err := l.each(len(l.Files), func() func(int) error {
		p := pairing{byName: make(map[string]uint32)} // of one input after the other
		return func(i int) error {
			p.heads = l.Files[i].AppendSections(p.heads[:0])
			return l.openSides(i, &p)
		}
	})
	l.sayConfused()
	return err
}

// openSides turns an input, whose section headers a pairing has, into a view.
func (l *Set) openSides(i int, p *pairing) error {
	f, in := l.Files[i], &l.Sides[i]
	in.File, in.ends = f, new(ends)
	in.Virtual = l.VirtualSM(f)
	if err := p.pair(in); err != nil {
		return err
	}
	in.Toolkit = p.finalizerToolkit()
	in.Foreign = in.Toolkit < l.Release.Finalizer
	in.FirstWords = p.namesFirst()
	var byName map[string]int
	if l.Release.FirstOfName {
		byName = in.namesakes()
	}
	view, err := in.view(byName)
	if err != nil {
		return err
	}
	if view.Symtab() == nil {
		return &cubin.Error{Kind: cubin.BadTable, File: f.Name, Value: uint64(f.NumSections()), Detail: "symsec not found: no .nv.merc.symtab"}
	}
	in.known = view.Symtab().Len()
	l.Files[i] = view
	return nil
}

// pairing finds the counterpart of every section of one input after the other.
type pairing struct {
	*Sides
	heads  []cubin.Section
	byName map[string]uint32 // SASS sections that belong to no other
	optim  []uint32          // by section of code (SASS): its .nv.constant2.<f>, 0 for none
}

// pair finds the counterpart of every section: of a capsule by its first word, of what
// belongs to a section by its owner, of the rest by name.
func (p *pairing) pair(in *Sides) error {
	heads := p.heads
	n := len(heads)
	tables := make([]uint32, 4*n)
	in.Counterpart, in.Bank, in.Rela, in.Info = tables[:n:n], tables[n:2*n:2*n], tables[2*n:3*n:3*n], tables[3*n:]
	p.Sides = in
	clear(p.byName)
	p.optim = append(p.optim[:0], make([]uint32, n)...)
	for i := 1; i < n; i++ {
		switch s := &heads[i]; {
		case s.Flags&cuda.SHFMercury == 0:
			p.noteSASS(i, s)
		case s.Type == cuda.SHTCudaCapmerc:
			if err := p.pairCapsule(i, s); err != nil {
				return err
			}
		}
	}
	for _, relocs := range []bool{false, true} {
		for i := 1; i < n; i++ {
			s := &heads[i]
			if s.Flags&cuda.SHFMercury != 0 && s.Type != cuda.SHTCudaCapmerc && relocs == (s.Type == cuda.SHTMercRela) {
				p.pairMercury(i, s)
			}
		}
	}
	return nil
}

// noteSASS notes by what a section of the SASS side is found.
func (p *pairing) noteSASS(i int, s *cubin.Section) {
	owner := uint32(0)
	if s.Flags&cuda.SHFInfoLink != 0 && s.Info < uint32(len(p.heads)) {
		owner = s.Info
	}
	switch {
	case owner == 0:
		p.byName[p.File.SectionName(s)] = uint32(i)
	case s.Type == cuda.SHTCudaInfo:
		p.Info[owner] = uint32(i)
	case s.Type == cuda.SHTRela:
		p.Rela[owner] = uint32(i)
	case s.Type == cuda.SHTCudaConstant0:
		p.Bank[owner] = uint32(i)
	case s.Type == cuda.SHTCudaConstant0+2:
		p.optim[owner] = uint32(i)
	}
}

// pairCapsule finds the code of a capsule.
func (p *pairing) pairCapsule(i int, s *cubin.Section) error {
	f := p.File
	head, ok := cubin.Window(f.Content(s), 0, 4)
	if !ok {
		return &cubin.Error{Kind: cubin.BadRecord, File: f.Name, Section: f.SectionName(s), Value: s.Size, Detail: "a capsule of that many bytes has no header"}
	}
	text := binary.LittleEndian.Uint32(head)
	var t cubin.Section
	if text < uint32(len(p.heads)) {
		t = p.heads[text]
	}
	if text == 0 || t.NoBits() || t.Flags&cuda.SHFMercury != 0 || p.Counterpart[text] != 0 {
		return &cubin.Error{Kind: cubin.BadIndex, File: f.Name, Section: f.SectionName(s), Value: uint64(text), Detail: "the capsule's first word is not a text of its own"}
	}
	p.Counterpart[i], p.Counterpart[text] = text, uint32(i)
	return nil
}

// pairMercury finds the counterpart of what is no capsule.
func (p *pairing) pairMercury(i int, s *cubin.Section) {
	switch {
	case s.Type == cuda.SHTMercRela:
		p.match(i, p.Rela, s.Info)
		if s.Info < uint32(len(p.heads)) {
			p.Rela[s.Info] = uint32(i)
		}
	case s.Type == cuda.SHTMercInfo && s.Flags&cuda.SHFInfoLink != 0:
		p.match(i, p.Info, s.Info)
	case s.Type == cuda.SHTMercOptimizer:
		p.match(i, p.optim, s.Info)
	default:
		rest, _ := strings.CutPrefix(p.File.SectionName(s), MercPrefix)
		if sass, ok := SassBankName(rest); ok {
			rest = sass
		}
		if k := p.byName[rest]; k != 0 && p.Counterpart[k] == 0 {
			p.Counterpart[i], p.Counterpart[k] = k, uint32(i)
		}
	}
}

// match pairs what belongs to a section with what a list has for the counterpart
// of that one.
func (p *pairing) match(i int, list []uint32, owner uint32) {
	if owner < uint32(len(p.heads)) && p.Counterpart[owner] != 0 {
		if k := list[p.Counterpart[owner]]; k != 0 {
			p.Counterpart[i], p.Counterpart[k] = k, uint32(i)
		}
	}
}

// banks are the banks of constants: their Mercury type, their name without the
// function, and their number on the SASS side.
var banks = [...]struct {
	merc cuda.SectionType
	name string
	bank cuda.SectionType
}{
	{cuda.SHTMercOptimizer, ".nv.constant.optimizer", 2},
	{cuda.SHTMercUser, ".nv.constant.user", 3},
	{cuda.SHTMercPic, ".nv.constant.pic", 4},
}

// MercBankType returns the Mercury type of a bank.
func MercBankType(t cuda.SectionType) cuda.SectionType {
	for _, b := range banks {
		if t == cuda.SHTCudaConstant0+b.bank {
			return b.merc
		}
	}
	return t
}

// SassBankName returns the name on the SASS side of a bank of constants.
func SassBankName(name string) (string, bool) {
	const headers = ".nv.constant.entry_image_header_indices."
	if k, ok := strings.CutPrefix(name, headers); ok {
		return ".nv.constant0." + k, true
	}
	for _, b := range banks {
		rest, ok := strings.CutPrefix(name, b.name)
		if ok && (rest == "" || rest[0] == '.') {
			return ".nv.constant" + string('0'+rune(b.bank)) + rest, true
		}
	}
	return "", false
}

// view returns the Mercury side as a file, in which sections of a name have the bytes of
// the one that byName has for it.
func (in *Sides) view(byName map[string]int) (*cubin.File, error) {
	f := in.File
	return f.View(func(i int, s *cubin.Section) {
		if s.Flags&cuda.SHFMercury == 0 {
			in.viewSASS(s)
			return
		}
		name := f.SectionName(s)
		if k := byName[name]; k != 0 && k != i && s.Type != cuda.SHTCudaCapmerc {
			first := f.Section(k)
			s.Off, s.Size = first.Off, first.Size
		}
		s.Flags &^= cuda.SHFMercury
		if strings.HasPrefix(name, MercPrefix+".") {
			s.NameOff += uint32(len(MercPrefix))
		}
		switch s.Type {
		case cuda.SHTCudaCapmerc:
			if strings.HasPrefix(name, CapmercPrefix) {
				s.NameOff += uint32(len(CapmercPrefix))
			}
			text := f.Section(int(in.Counterpart[i]))
			s.Type, s.Flags, s.Align = text.Type, text.Flags, text.Align
		case cuda.SHTMercSymtab:
			s.Type = cuda.SHTSymtab
		case cuda.SHTMercInfo:
			s.Type = cuda.SHTCudaInfo
		case cuda.SHTMercRela:
			s.Type = cuda.SHTRela
		case cuda.SHTMercResolvedRela:
			s.Type = cuda.SHTCudaResolvedRela
		case cuda.SHTMercCallgraph, cuda.SHTMercPrototype:
			s.Type = cuda.SHTNull
		}
		for _, b := range banks {
			if s.Type == b.merc {
				s.Type = cuda.SHTCudaConstant0 + b.bank
				break
			}
		}
	})
}

// viewSASS hides what the Mercury side has too, and lets what belongs to code
// belong to its capsule.
func (in *Sides) viewSASS(s *cubin.Section) {
	if isShared(s.Type) {
		if owner := s.Owner(); owner != 0 && int64(owner) < int64(len(in.Counterpart)) {
			s.Info = in.Counterpart[owner]
		}
		return
	}
	s.Type = cuda.SHTNull
}

// LinkedSymtab returns the number of the Mercury side's symbol table once the finalizer
// has taken that side out of the file: it stays behind code, what has no clone, and what
// of the Mercury side is before it.
func (in *Sides) LinkedSymtab() uint32 {
	n := uint32(1)
	for i := 1; i < in.File.NumSections(); i++ {
		s := in.File.Section(i)
		merc := s.Flags&cuda.SHFMercury != 0
		code := s.Flags&cuda.SHFExec != 0 && in.Counterpart[i] != 0 // its capsule takes its place
		switch {
		case s.Type == cuda.SHTMercSymtab:
			return n
		case merc && s.Type != cuda.SHTCudaCapmerc, code, isShared(s.Type) && in.Counterpart[i] == 0:
			n++
		}
	}
	return n
}

// isShared reports whether the SASS side has sections of a type for both sides, unless
// they have a clone.
func isShared(t cuda.SectionType) bool {
	switch t {
	case cuda.SHTStrtab, cuda.SHTNote, cuda.SHTCudaCompat, cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype,
		cuda.SHTCudaGlobal, cuda.SHTCudaLocal, cuda.SHTCudaShared:
		return true
	}
	return false
}

// namesakes returns the first section of the Mercury side by its name, where there are
// several of one name, as those of static functions of one name that -r put into a file. The
// finalizer looks for sections by name, and reads the first for each.
func (in *Sides) namesakes() map[string]int {
	var first map[string]int
	room := uint64(len(in.File.Data)) // sections of tools don't overlap
	for _, t := range []cuda.SectionType{cuda.SHTMercInfo, cuda.SHTMercRela} {
		seen, differs, unlike := make(map[string]int), make(map[string]bool), make(map[string]bool)
		for i := range in.File.OfType(t) {
			s := in.File.Section(i)
			name := in.File.SectionName(&s)
			k, again := seen[name]
			if !again {
				seen[name] = i
				continue
			}
			if first == nil {
				first = make(map[string]int)
			}
			first[name] = k
			other := in.File.Section(k)
			if s.Size == other.Size && s.Size <= room {
				room -= s.Size
				differs[name] = differs[name] || !bytes.Equal(in.File.Content(&s), in.File.Content(&other))
			} else {
				differs[name] = true
			}
			unlike[name] = unlike[name] || !bytes.Equal(in.finalizerOptions(&s), in.finalizerOptions(&other))
		}
		for _, name := range slices.Sorted(maps.Keys(differs)) {
			if differs[name] {
				in.Confused = append(in.Confused, strings.TrimPrefix(name, MercPrefix))
				in.mixed = in.mixed || t == cuda.SHTMercRela || unlike[name]
			}
		}
	}
	return first
}

// finalizerOptions returns how a function was compiled, by its attributes.
func (in *Sides) finalizerOptions(s *cubin.Section) []byte {
	if s.Type != cuda.SHTMercInfo {
		return nil
	}
	r := in.File.Info(s)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		if rec.Attr == cuda.AttrMercuryFinalizerOptions {
			return rec.Data
		}
	}
	return nil
}

// sayConfused warns of what namesakes found.
func (l *Set) sayConfused() {
	for i := range l.Sides {
		for _, name := range l.Sides[i].Confused {
			text := fmt.Sprintf("Section %s occurs several times in '%s': the first is used for all, as with nvlink", name, l.Sides[i].File.Name)
			if l.Sides[i].mixed {
				text += ", and code may differ from nvlink's"
			}
			l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Displaced, File: l.Sides[i].File.Name, Section: name, Text: text})
		}
	}
}

// DriverCall returns the name of a function of the driver that only the SASS side knows, "" for any other
// symbol: the finalizer makes calls of textures and surfaces on sm_107.
func (in *Sides) DriverCall(index uint32) string {
	tab := in.File.Symtab()
	if int64(index) < int64(in.known) || tab == nil || int64(index) >= int64(tab.Len()) {
		return ""
	}
	s, ok := tab.At(int(index))
	name := tab.Name(&s)
	if !ok || s.Shndx != cuda.SHNUndef || s.Type() != cuda.STTFunc || !strings.HasPrefix(name, "__cuda_syscall_") {
		return ""
	}
	return name
}
