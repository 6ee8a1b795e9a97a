package input

import (
	"encoding/binary"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// From sm_100 on an object holds every function twice: as SASS and, in the
// Mercury group, as a capsule with symbols, attributes, relocations and debug
// data of its own. nvlink links the Mercury side by the rules of every other
// link and then writes the SASS side anew from what came out.
//
// So the link proper reads each input through a view: the same bytes under
// section headers that show the Mercury side alone, by the names it has
// without ".nv.merc". A capsule stands where a view of SASS has code; banks of
// constants have the types of SASS, so that one code knows them. What has no
// clone (notes, call graph, memory that is only reserved) is that of the SASS
// side. Section numbers stay, so that the other side of each is found by one
// table.
//
// Source: links of nvlink 13.0.88.

// Sides is an input with both sides.
type Sides struct {
	File *cubin.File // the whole file; the link proper reads the view
	Twin []uint32    // by section: its counterpart on the other side, 0 for none
	Bank []uint32    // by section of code (SASS): its .nv.constant0.<k>, 0 for none
	Rela []uint32    // by section (SASS): the RELA section that patches it, 0 for none
	Info []uint32    // by section of code (SASS): its .nv.info.<f>, 0 for none

	Ends map[uint32]uint64 // by capsule: its Mercury size by symbols, made when first asked for
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
	for i, f := range l.Files {
		in := Sides{File: f}
		if err := in.pair(); err != nil {
			return err
		}
		view, err := in.view()
		if err != nil {
			return err
		}
		if view.Symtab() == nil {
			return &cubin.Error{Kind: cubin.BadTable, File: f.Name, Value: uint64(f.NumSections()), Detail: "symsec not found: no .nv.merc.symtab"}
		}
		l.Sides = append(l.Sides, in)
		l.Files[i] = view
	}
	return nil
}

// pair finds the counterpart of every section: of a capsule by its first word,
// of what belongs to a section by its owner, of the rest by name.
func (in *Sides) pair() error {
	f := in.File
	n := f.NumSections()
	in.Twin, in.Bank, in.Rela, in.Info = make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]uint32, n)
	byName := make(map[string]uint32)
	optim := make([]uint32, n)
	for i := 1; i < n; i++ {
		s := f.Section(i)
		if s.Flags&cuda.SHFMercury != 0 {
			if s.Type != cuda.SHTCudaCapmerc {
				continue
			}
			head, ok := cubin.Window(f.Content(&s), 0, 4)
			if !ok {
				return &cubin.Error{Kind: cubin.BadRecord, File: f.Name, Section: f.SectionName(&s), Value: s.Size, Detail: "a capsule of that many bytes has no header"}
			}
			text := binary.LittleEndian.Uint32(head)
			t := f.Section(int(min(text, uint32(n))))
			if text == 0 || t.NoBits() || t.Flags&cuda.SHFMercury != 0 || in.Twin[text] != 0 {
				return &cubin.Error{Kind: cubin.BadIndex, File: f.Name, Section: f.SectionName(&s), Value: uint64(text), Detail: "the capsule's first word names no text of its own"}
			}
			in.Twin[i], in.Twin[text] = text, uint32(i)
			continue
		}
		owner := uint32(0)
		if s.Flags&cuda.SHFInfoLink != 0 && s.Info < uint32(n) {
			owner = s.Info
		}
		switch {
		case owner == 0:
			byName[f.SectionName(&s)] = uint32(i)
		case s.Type == cuda.SHTCudaInfo:
			in.Info[owner] = uint32(i)
		case s.Type == cuda.SHTRela:
			in.Rela[owner] = uint32(i)
		case s.Type == cuda.SHTCudaConstant0:
			in.Bank[owner] = uint32(i)
		case s.Type == cuda.SHTCudaConstant0+2:
			optim[owner] = uint32(i)
		}
	}
	match := func(i int, list []uint32, owner uint32) {
		if owner < uint32(n) && in.Twin[owner] != 0 {
			if k := list[in.Twin[owner]]; k != 0 {
				in.Twin[i], in.Twin[k] = k, uint32(i)
			}
		}
	}
	for _, relocs := range []bool{false, true} {
		for i := 1; i < n; i++ {
			s := f.Section(i)
			if s.Flags&cuda.SHFMercury == 0 || s.Type == cuda.SHTCudaCapmerc || relocs != (s.Type == cuda.SHTMercRela) {
				continue
			}
			switch {
			case relocs:
				match(i, in.Rela, s.Info)
				if s.Info < uint32(n) {
					in.Rela[s.Info] = uint32(i)
				}
			case s.Type == cuda.SHTMercInfo && s.Flags&cuda.SHFInfoLink != 0:
				match(i, in.Info, s.Info)
			case s.Type == cuda.SHTMercOptimizer:
				match(i, optim, s.Info)
			default:
				rest, _ := strings.CutPrefix(f.SectionName(&s), MercPrefix)
				if sass, ok := SassBankName(rest); ok {
					rest = sass
				}
				if k := byName[rest]; k != 0 && in.Twin[k] == 0 {
					in.Twin[i], in.Twin[k] = k, uint32(i)
				}
			}
		}
	}
	return nil
}

// Banks are the banks of constants by their Mercury type: name without the
// function and number on the SASS side.
var Banks = map[cuda.SectionType]struct {
	name string
	bank cuda.SectionType
}{
	cuda.SHTMercOptimizer: {".nv.constant.optimizer", 2},
	cuda.SHTMercUser:      {".nv.constant.user", 3},
	cuda.SHTMercPic:       {".nv.constant.pic", 4},
}

// MercBankType returns the Mercury type of a bank.
func MercBankType(t cuda.SectionType) cuda.SectionType {
	for m, b := range Banks {
		if t == cuda.SHTCudaConstant0+b.bank {
			return m
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
	for _, b := range Banks {
		rest, ok := strings.CutPrefix(name, b.name)
		if ok && (rest == "" || rest[0] == '.') {
			return ".nv.constant" + string('0'+rune(b.bank)) + rest, true
		}
	}
	return "", false
}

// view returns the Mercury side as a file.
func (in *Sides) view() (*cubin.File, error) {
	f := in.File
	return f.View(func(i int, s *cubin.Section) {
		if s.Flags&cuda.SHFMercury == 0 {
			in.viewSASS(s)
			return
		}
		name := f.SectionName(s)
		s.Flags &^= cuda.SHFMercury
		if strings.HasPrefix(name, MercPrefix+".") {
			s.NameOff += uint32(len(MercPrefix))
		}
		switch s.Type {
		case cuda.SHTCudaCapmerc:
			if strings.HasPrefix(name, CapmercPrefix) {
				s.NameOff += uint32(len(CapmercPrefix))
			}
			text := f.Section(int(in.Twin[i]))
			s.Type, s.Flags, s.Align = cuda.SHTProgbits, text.Flags, text.Align
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
		if b, ok := Banks[s.Type]; ok {
			s.Type = cuda.SHTCudaConstant0 + b.bank
		}
	})
}

// viewSASS hides what the Mercury side has too, and lets what belongs to code
// belong to its capsule.
func (in *Sides) viewSASS(s *cubin.Section) {
	switch s.Type {
	case cuda.SHTStrtab, cuda.SHTNote, cuda.SHTCudaCompat, cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype,
		cuda.SHTCudaGlobal, cuda.SHTCudaLocal, cuda.SHTCudaShared:
		if owner := s.Owner(); owner != 0 && int64(owner) < int64(len(in.Twin)) {
			s.Info = in.Twin[owner]
		}
		return
	}
	s.Type = cuda.SHTNull
}
