package cubin

import "github.com/twinlink/twinlink/cuda"

// Where numbers of sections and symbols stand, besides sh_link, st_shndx and
// relocation records:
//
//	e_flags, bits 31..24        .note.nv.cuinfo, OSABI 0x41 (0xff: 255 or more)
//	sh_info of REL, RELA, and   a section: what is relocated, the function's code,
//	  with SHF_INFO_LINK          cuinfo's .nv.compat
//	sh_info without it          up to 11.8: the function's code, where it is one
//	sh_info of code             bits 23..0 a symbol; 31..24 registers, up to sm_8x
//	sh_info of a capsule        a symbol
//	sh_info of symbol tables    the first symbol that is not LOCAL
//	first word of a capsule     the section of the SASS code
//	.nv.info                    first word of the payload, see namesSymbol; all words
//	                              of EXTERNS
//	.nv.callgraph, .nv.prototype  callgraph.go
//	.nv.uft.entry, .nv.udt.entry  first word of each 32-byte entry is a symbol
//
// Symbol numbers are those of the table that sh_link names.
//
// Source: as callgraph.go; the unified tables from ptxas 12.4 and 13.0.

// namesSymbol lists the attributes whose payload begins with a symbol.
var namesSymbol = []cuda.InfoAttr{
	cuda.AttrImageSlot, cuda.AttrImageOffset, cuda.AttrImageSize, cuda.AttrTextureNormalized,
	cuda.AttrSamplerInit, cuda.AttrParamCbank, cuda.AttrFrameSize, cuda.AttrMinStackSize,
	cuda.AttrSamplerForceUnnormalized, cuda.AttrBindlessImageOffsets, cuda.AttrKparamInfo,
	cuda.AttrMaxStackSize, cuda.AttrLoadCacheRequest, cuda.AttrRegcount, cuda.AttrSamRegionStackSize,
	cuda.AttrKparamInfoV2,
}

// infoKind says what sh_info of a section is.
type infoKind uint8

const (
	infoPlain   infoKind = iota // nothing that has a number
	infoSection                 // a section
	infoSymbol                  // a symbol of the table in sh_link
	infoCode                    // the same in bits 23..0
	infoLocals                  // number of LOCAL symbols
)

const codeSymbolMask = 0x00ffffff

func (d *Editor) infoKind(i int) infoKind {
	p := &d.parts[i]
	switch {
	case IsSymbols(p.Type):
		return infoLocals
	case p.Info == 0:
		return infoPlain
	case IsRelocs(p.Type) || p.Flags&cuda.SHFInfoLink != 0:
		return infoSection
	case p.Type == cuda.SHTCudaCapmerc:
		return infoSymbol
	case p.Flags&cuda.SHFExec != 0:
		return infoCode
	case int64(p.Info) < int64(len(d.parts)) && d.parts[p.Info].Flags&cuda.SHFExec != 0:
		return infoSection
	}
	return infoPlain
}

// capsuleCode returns the section in the first word of a capsule.
func (d *Editor) capsuleCode(i int) (uint32, bool) {
	if d.parts[i].Type != cuda.SHTCudaCapmerc {
		return 0, false
	}
	b, ok := record(d.Data(i), 0, 4)
	if !ok {
		return 0, false
	}
	return word(b, 0), true
}

// cuinfoEscape is in e_flags for a number that eight bits can't hold.
const cuinfoEscape = 0xff

// cuinfoIndex returns the section that e_flags names, 0 where it names none.
func (d *Editor) cuinfoIndex() int {
	if !d.Header.New() {
		return 0
	}
	for i := 1; i < len(d.parts); i++ {
		if p := &d.parts[i]; p.Type == cuda.SHTNote && p.Flags&cuda.SHFCuinfo != 0 {
			if uint32(min(i, cuinfoEscape)) == d.Header.Flags>>cuda.EFCuinfoShift {
				return i
			}
		}
	}
	return 0
}

// unifiedEntrySize is the size of an entry of .nv.uft.entry and .nv.udt.entry.
const unifiedEntrySize = 32

func isUnifiedEntries(t cuda.SectionType) bool {
	return t == cuda.SHTCudaUFTEntry || t == cuda.SHTCudaUDTEntry
}
