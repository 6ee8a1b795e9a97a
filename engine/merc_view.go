package engine

import (
	"encoding/binary"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
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

// mercInput is an input with both sides.
type mercInput struct {
	file *cubin.File // the whole file; the link proper reads the view
	twin []uint32    // by section: its counterpart on the other side, 0 for none
	bank []uint32    // by section of code (SASS): its .nv.constant0.<k>, 0 for none
	rela []uint32    // by section (SASS): the RELA section that patches it, 0 for none
	info []uint32    // by section of code (SASS): its .nv.info.<f>, 0 for none

	ends map[uint32]uint64 // by capsule: its Mercury size by symbols, made when first asked for
}

// codeSource is where a function's code was read.
type codeSource struct {
	file    int32
	capsule uint32
}

const (
	mercPrefix    = ".nv.merc"
	capmercPrefix = ".nv.capmerc"
)

// isMercury reports whether an input brings a Mercury side.
func isMercury(f *cubin.File) bool {
	kind := f.Header.Flags & 7
	return f.Header.New() && f.Header.SM() >= cuda.MercuryMin && (kind == cuda.EFKindCapmerc || kind == cuda.EFKindCapmerc|1)
}

// openMercury turns the inputs of a link for sm_100 and up into views, if all
// of them bring a Mercury side.
func (l *linker) openMercury() error {
	if l.arch.sm < cuda.MercuryMin || !l.prof.notes {
		return nil
	}
	for _, f := range l.files {
		if !isMercury(f) {
			return nil
		}
	}
	l.dialect = &mercuryDialect
	for i, f := range l.files {
		in := mercInput{file: f}
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
		l.sides = append(l.sides, in)
		l.files[i] = view
	}
	return nil
}

// pair finds the counterpart of every section: of a capsule by its first word,
// of what belongs to a section by its owner, of the rest by name.
func (in *mercInput) pair() error {
	f := in.file
	n := f.NumSections()
	in.twin, in.bank, in.rela, in.info = make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]uint32, n)
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
			if text == 0 || t.NoBits() || t.Flags&cuda.SHFMercury != 0 || in.twin[text] != 0 {
				return &cubin.Error{Kind: cubin.BadIndex, File: f.Name, Section: f.SectionName(&s), Value: uint64(text), Detail: "the capsule's first word names no text of its own"}
			}
			in.twin[i], in.twin[text] = text, uint32(i)
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
			in.info[owner] = uint32(i)
		case s.Type == cuda.SHTRela:
			in.rela[owner] = uint32(i)
		case s.Type == cuda.SHTCudaConstant0:
			in.bank[owner] = uint32(i)
		case s.Type == cuda.SHTCudaConstant0+2:
			optim[owner] = uint32(i)
		}
	}
	match := func(i int, list []uint32, owner uint32) {
		if owner < uint32(n) && in.twin[owner] != 0 {
			if k := list[in.twin[owner]]; k != 0 {
				in.twin[i], in.twin[k] = k, uint32(i)
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
				match(i, in.rela, s.Info)
				if s.Info < uint32(n) {
					in.rela[s.Info] = uint32(i)
				}
			case s.Type == cuda.SHTMercInfo && s.Flags&cuda.SHFInfoLink != 0:
				match(i, in.info, s.Info)
			case s.Type == cuda.SHTMercOptimizer:
				match(i, optim, s.Info)
			default:
				rest, _ := strings.CutPrefix(f.SectionName(&s), mercPrefix)
				if sass, ok := sassBankName(rest); ok {
					rest = sass
				}
				if k := byName[rest]; k != 0 && in.twin[k] == 0 {
					in.twin[i], in.twin[k] = k, uint32(i)
				}
			}
		}
	}
	return nil
}

// mercBanks are the banks of constants by their Mercury type: name without the
// function and number on the SASS side.
var mercBanks = map[cuda.SectionType]struct {
	name string
	bank cuda.SectionType
}{
	cuda.SHTMercOptimizer: {".nv.constant.optimizer", 2},
	cuda.SHTMercUser:      {".nv.constant.user", 3},
	cuda.SHTMercPic:       {".nv.constant.pic", 4},
}

// mercBankType returns the Mercury type of a bank.
func mercBankType(t cuda.SectionType) cuda.SectionType {
	for m, b := range mercBanks {
		if t == cuda.SHTCudaConstant0+b.bank {
			return m
		}
	}
	return t
}

// sassBankName returns the name on the SASS side of a bank of constants.
func sassBankName(name string) (string, bool) {
	const headers = ".nv.constant.entry_image_header_indices."
	if k, ok := strings.CutPrefix(name, headers); ok {
		return ".nv.constant0." + k, true
	}
	for _, b := range mercBanks {
		rest, ok := strings.CutPrefix(name, b.name)
		if ok && (rest == "" || rest[0] == '.') {
			return ".nv.constant" + string('0'+rune(b.bank)) + rest, true
		}
	}
	return "", false
}

// view returns the Mercury side as a file.
func (in *mercInput) view() (*cubin.File, error) {
	f := in.file
	return f.View(func(i int, s *cubin.Section) {
		if s.Flags&cuda.SHFMercury == 0 {
			in.viewSASS(s)
			return
		}
		name := f.SectionName(s)
		s.Flags &^= cuda.SHFMercury
		if strings.HasPrefix(name, mercPrefix+".") {
			s.NameOff += uint32(len(mercPrefix))
		}
		switch s.Type {
		case cuda.SHTCudaCapmerc:
			if strings.HasPrefix(name, capmercPrefix) {
				s.NameOff += uint32(len(capmercPrefix))
			}
			text := f.Section(int(in.twin[i]))
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
		if b, ok := mercBanks[s.Type]; ok {
			s.Type = cuda.SHTCudaConstant0 + b.bank
		}
	})
}

// viewSASS hides what the Mercury side has too, and lets what belongs to code
// belong to its capsule.
func (in *mercInput) viewSASS(s *cubin.Section) {
	switch s.Type {
	case cuda.SHTStrtab, cuda.SHTNote, cuda.SHTCudaCompat, cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype,
		cuda.SHTCudaGlobal, cuda.SHTCudaLocal, cuda.SHTCudaShared:
		if owner := s.Owner(); owner != 0 && int64(owner) < int64(len(in.twin)) {
			s.Info = in.twin[owner]
		}
		return
	}
	s.Type = cuda.SHTNull
}
