package dump

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

func (r *reader) sections() {
	r.each(func(i int, s *cubin.Section, name string) {
		if !r.spend(sectionCost) {
			return
		}
		r.out.Sections = append(r.out.Sections, Section{
			Index: i, Name: name, Type: s.Type.String(), Flags: sectionFlags(s, name),
			Addr: s.Addr, Offset: s.Off, Size: s.Size, Align: s.Align, EntSize: s.EntSize,
			Link: r.link(s), Info: r.sectionInfo(s, name),
		})
	})
}

func sectionFlags(s *cubin.Section, name string) string {
	rest := s.Flags
	var out []string
	for _, b := range [...]struct {
		bit  cuda.SectionFlags
		name string
	}{
		{cuda.SHFWrite, "WRITE"},
		{cuda.SHFAlloc, "ALLOC"},
		{cuda.SHFExec, "EXEC"},
		{cuda.SHFInfoLink, "INFO_LINK"},
		{cuda.SHFMercury, "MERCURY"},
	} {
		if s.Flags&b.bit != 0 {
			out = append(out, b.name)
		}
		rest &^= b.bit
	}
	if s.Type == cuda.SHTNote {
		for _, b := range [...]struct {
			bit  cuda.SectionFlags
			name string
		}{{cuda.SHFCuinfo, "CUINFO"}, {cuda.SHFTkinfo, "TKINFO"}} {
			if s.Flags&b.bit != 0 {
				out = append(out, b.name)
			}
			rest &^= b.bit
		}
	}
	if isText(name) {
		if n := s.Flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift; n != 0 {
			out = append(out, fmt.Sprintf("BARRIERS=%d", n))
		}
		rest &^= cuda.SHFBarrierMask
	}
	if rest != 0 {
		out = append(out, hex(uint64(rest)))
	}
	return strings.Join(out, " ")
}

func isText(name string) bool { return strings.HasPrefix(name, ".text.") || name == ".text" }

// link tells sh_link.
func (r *reader) link(s *cubin.Section) string {
	if s.Link == 0 {
		return ""
	}
	return r.section(s.Link)
}

// sectionInfo tells sh_info: what it is depends on the section.
func (r *reader) sectionInfo(s *cubin.Section, name string) string {
	switch {
	case isText(name) && s.Type == cuda.SHTProgbits:
		return fmt.Sprintf("%s registers=%d", r.symbol(s.Info&0xffffff), s.Info>>24)
	case s.Type == cuda.SHTSymtab || s.Type == cuda.SHTMercSymtab:
		return "locals=" + strconv.Itoa(int(s.Info))
	case s.Type == cuda.SHTRel || s.Type == cuda.SHTRela || s.Type == cuda.SHTCudaResolvedRela ||
		s.Flags&cuda.SHFInfoLink != 0:
		return r.section(s.Info)
	case s.Info == 0:
		return ""
	case s.Owner() != 0 || ofFunction(name):
		return r.section(s.Info)
	}
	return number(s.Info)
}

// ofFunction reports whether a section belongs to a function by its name: an
// image has lowered the types that say so, and releases up to 11.x set no flag.
func ofFunction(name string) bool {
	for _, prefix := range [...]string{".nv.constant", ".nv.shared.", ".nv.local."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func (r *reader) symbols() {
	t := r.f.Symtab()
	if t == nil {
		return
	}
	for i := 1; i < t.Len() && r.spend(symbolCost); i++ {
		s, _ := t.At(i)
		r.out.Symbols = append(r.out.Symbols, Symbol{
			Index: i, Name: r.symbol(uint32(i)), Value: s.Value, Size: s.Size,
			Type: known(s.Type().String(), number(s.Info&0xf)), Binding: known(s.Binding().String(), number(s.Info>>4)),
			Other: symbolOther(s.Other), Section: r.symbolSection(t, i, &s),
		})
	}
}

func symbolOther(other uint8) string {
	var out []string
	if space := cuda.SpaceName(other); space != "" {
		out = append(out, space)
	} else if other&cuda.STOSpace != 0 {
		out = append(out, number(other&cuda.STOSpace))
	}
	for _, b := range [...]struct {
		bit  uint8
		name string
	}{{cuda.STOEntry, "ENTRY"}, {cuda.STOObscure, "OBSCURE"}, {cuda.STOManaged, "MANAGED"}} {
		if other&b.bit != 0 {
			out = append(out, b.name)
		}
	}
	switch other & cuda.STOVisibility {
	case cuda.STOInternal:
		out = append(out, "INTERNAL")
	case 2:
		out = append(out, "HIDDEN")
	case 3:
		out = append(out, "PROTECTED")
	}
	return strings.Join(out, " ")
}

func (r *reader) symbolSection(t *cubin.Symtab, i int, s *cubin.Symbol) string {
	switch s.Shndx {
	case cuda.SHNUndef:
		return "UND"
	case cuda.SHNAbs:
		return "ABS"
	case cuda.SHNCommon:
		return "COMMON"
	}
	return r.section(t.Shndx(i, s))
}
