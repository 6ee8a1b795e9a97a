package selfcheck

import (
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Slots of textures and surfaces. Mercury has them in a section of each kernel,
// .nv.constant.entry_image_header_indices.K; SASS after the parameters, in
// .nv.constant0.K.

const imageHeaders = ".nv.constant.entry_image_header_indices."

func isImageHeaders(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(name, ".nv.merc"), ".rela"), imageHeaders)
}

func (c *checker) imageHeaders(i int, s *capsule.Section) {
	k := kindOf(s.Name)
	c.number(k, Metadata, i, 0, "sh_addr", 0, s.Addr)
	if strings.HasPrefix(s.Name, ".nv.merc.rela") {
		c.number(k, Metadata, i, 0, "section type", uint64(cuda.SHTMercRela), uint64(s.Type))
		c.number(k, Metadata, i, 0, "section flags", uint64(cuda.SHFMercury|cuda.SHFInfoLink), uint64(s.Flags))
		c.number(k, Metadata, i, 0, "alignment", 8, s.Align)
		c.number(k, Metadata, i, 0, "entry size", 24, s.EntSize)
		c.number(k, Metadata, i, 0, "sh_link", uint64(c.m.Merc.Index), uint64(s.Link))
		return
	}
	c.number(k, Metadata, i, 0, "section type", uint64(cuda.SHTMercImageHeaders), uint64(s.Type))
	c.number(k, Metadata, i, 0, "section flags", uint64(cuda.SHFMercury|ownedConst), uint64(s.Flags))
	c.number(k, Metadata, i, 0, "alignment", 4, s.Align)
	c.number(k, Metadata, i, 0, "entry size", 0, s.EntSize)
	c.number(k, Metadata, i, 0, "sh_link", 0, uint64(s.Link))
	fn := c.m.FuncOf(s.Info)
	if name := s.Name[len(".nv.merc")+len(imageHeaders):]; fn == nil || fn.Capsule != int(s.Info) || !c.named(fn, name) {
		c.add(k, Metadata, i, 0, "sh_info", "the capsule of "+name, c.sectionName(s.Info))
	}
}

// imageTypes is the R_CUDA type of a slot by its R_MERCURY type.
var imageTypes = map[uint32]uint32{
	cuda.R_MERCURY_TEX_HEADER_INDEX:  cuda.R_CUDA_TEX_HEADER_INDEX,
	cuda.R_MERCURY_SAMP_HEADER_INDEX: cuda.R_CUDA_SAMP_HEADER_INDEX_0,
	cuda.R_MERCURY_SURF_HEADER_INDEX: cuda.R_CUDA_SURF_HEADER_INDEX,
}

// imageRelocs compares the relocations of slots: those of SASS are in
// constant bank 0, after the parameters.
func (c *checker) imageRelocs() {
	for i := range c.m.Sections {
		s := &c.m.Sections[i]
		if s.Type != cuda.SHTMercRela || !isImageHeaders(s.Name) || int(s.Info) >= len(c.m.Sections) {
			continue
		}
		slots := &c.m.Sections[s.Info]
		fn := c.m.FuncOf(slots.Info)
		if slots.Type != cuda.SHTMercImageHeaders || fn == nil {
			c.add(Reloc, Metadata, i, 0, "sh_info", "slots of a kernel", slots.Name)
			continue
		}
		bank := c.constant0Of(fn)
		section := c.relaOf[bank]
		if bank == 0 || section == 0 || c.m.Sections[bank].Size < slots.Size {
			c.add(Reloc, Count, i, 0, "relocations of .nv.constant0."+fn.Name, "one list", "none")
			continue
		}
		c.slotRelocs(i, section, c.m.Sections[bank].Size-slots.Size)
	}
}

func (c *checker) slotRelocs(clone, section int, base uint64) {
	merc, ok := c.relocs(clone)
	if !ok {
		return
	}
	sass, ok := c.relocs(section)
	if !ok {
		return
	}
	want := make([]wanted, 0, len(merc))
	for i := range merc {
		r := merc[i]
		at := uint64(i) * cubin.RelaSize
		typ, ok := imageTypes[r.Type]
		if !ok {
			c.add(Reloc, Metadata, clone, at+8, "type of a relocation", "one of a slot", relocName(r.Type))
			continue
		}
		r.Type, r.Off = typ, r.Off+base
		want = append(want, wanted{Reloc: r, at: at})
	}
	c.matchRelocs(section, clone, want, sass, nil)
}
