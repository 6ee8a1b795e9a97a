package link

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// Recorded reports whether a record names a symbol.
func (o *Output) Recorded(symbol uint32) bool {
	return slices.ContainsFunc(o.Lists, func(l Relocs) bool {
		return slices.ContainsFunc(l.List, func(r image.Record) bool { return r.Symbol == symbol })
	})
}

// TableOf is the section of a type, whichever side it is of; nil: none.
func (f *Output) TableOf(kind cuda.SectionType) *image.Section {
	for i := range f.All {
		if f.All[i].Kind == kind {
			return &f.All[i]
		}
	}
	return nil
}

// Lookup is the first section of a name, nil for none.
func (o *Output) Lookup(name string) *image.Section {
	for i := range o.Sections {
		if o.Sections[i].Name == name {
			return &o.Sections[i]
		}
	}
	return nil
}

// SymbolOf is the symbol of an identity in the output, nil for none.
func (c *Link) SymbolOf(id *Identity) *image.Symbol {
	if id.Out == 0 {
		return nil
	}
	return &c.Out.Symbols[id.Out]
}

// AttributesOf are the records of .nv.info for a section of code.
func (o *Output) AttributesOf(code int) []image.Attribute {
	if o.infoOf == nil {
		o.infoOf = map[int][]image.Attribute{}
		for i, list := range o.Infos {
			if n := int(o.Sections[i].Info); n != 0 {
				o.infoOf[n] = append(o.infoOf[n], list...)
			}
		}
	}
	return o.infoOf[code]
}

// IsRelName reports whether a relocation section is named after its target.
func (c *Link) IsRelName(prefix string, s *image.Section) bool {
	if s.Name == prefix+c.Out.Sections[s.Info].Name {
		return true
	}
	code := c.Out.Bodies[s.Info]
	return code != nil && code.Formerly != "" && strings.TrimPrefix(s.Name, prefix) == code.Formerly
}
