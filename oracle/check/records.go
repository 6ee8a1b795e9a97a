package check

import (
	"github.com/twinlink/twinlink/cuda"
)

// Records of the tables that stand beside the code: relocations, attributes of
// .nv.info, pairs of .nv.callgraph.
//
// Attributes are not aligned to anything but what their sizes give; formats 1
// to 3 are four bytes, format 4 carries a size. Many attributes begin with a
// symbol index and one is a list of them; namesSymbol and listsSymbols tell
// which.
//
// Source: cubins of ptxas 11.8 to 13.0, see package cuda.

type record struct {
	offset uint64
	kind   uint32
	symbol uint32
	addend int64
	rela   bool
}

// readRecords reads a REL or RELA section.
func (f *image) readRecords(s *section, b *budget) ([]record, error) {
	rela := s.kind != cuda.SHTRel
	width := uint64(16)
	if rela {
		width = 24
	}
	count := s.size / width
	if s.size%width != 0 {
		return nil, f.bad(s, s.size)
	}
	if err := b.spend(f.name, count); err != nil {
		return nil, err
	}
	list := make([]record, count)
	for i := range list {
		at := width * uint64(i)
		list[i] = record{
			offset: number(s.body, at, 8), kind: word(s.body, at+8), symbol: word(s.body, at+12), rela: rela,
		}
		if rela {
			list[i].addend = int64(number(s.body, at+16, 8))
		}
	}
	return list, nil
}

func (f *image) bad(s *section, at uint64) error {
	return &Refusal{Kind: BadRecords, File: f.name, Section: s.name, Offset: at, Value: s.size}
}

// attribute is one record of .nv.info or .nv.compat.
type attribute struct {
	format cuda.InfoFormat
	attr   cuda.InfoAttr
	value  []byte // 2 bytes, or what the size says
}

// readAttributes reads a section of attributes.
func (f *image) readAttributes(s *section, b *budget) ([]attribute, error) {
	var list []attribute
	for at := uint64(0); at < uint64(len(s.body)); {
		head, ok := cut(s.body, at, 4)
		if !ok {
			return nil, f.bad(s, at)
		}
		a := attribute{format: cuda.InfoFormat(head[0]), attr: cuda.InfoAttr(head[1]), value: head[2:]}
		at += 4
		if a.format == cuda.FormatSized {
			if a.value, ok = cut(s.body, at, number(head, 2, 2)); !ok {
				return nil, f.bad(s, at)
			}
			at += uint64(len(a.value))
		} else if a.format == 0 || a.format > cuda.FormatSized {
			return nil, f.bad(s, at-4)
		}
		if err := b.spend(f.name, 1); err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// namesSymbol reports whether an attribute's value begins with a symbol index.
func namesSymbol(a cuda.InfoAttr) bool {
	switch a {
	case cuda.AttrImageSlot, cuda.AttrImageOffset, cuda.AttrImageSize, cuda.AttrTextureNormalized, cuda.AttrSamplerInit,
		cuda.AttrParamCbank, cuda.AttrFrameSize, cuda.AttrMinStackSize, cuda.AttrSamplerForceUnnormalized,
		cuda.AttrBindlessImageOffsets, cuda.AttrMaxStackSize, cuda.AttrLoadCacheRequest, cuda.AttrRegcount,
		cuda.AttrSamRegionStackSize, cuda.AttrKparamInfo:
		return true
	}
	return false
}

// listsSymbols reports whether an attribute's value is a list of symbol indices.
func listsSymbols(a cuda.InfoAttr) bool { return a == cuda.AttrExterns }

// pair is one entry of .nv.callgraph or .nv.prototype under its heading.
type pair struct {
	heading uint32 // cuda.CallgraphCalls and so on
	x, y    uint32
}

// readPairs reads .nv.callgraph; a section of type PROTOTYPE has no headings.
func (f *image) readPairs(s *section, b *budget) ([]pair, error) {
	if s.size%8 != 0 {
		return nil, f.bad(s, s.size)
	}
	if err := b.spend(f.name, s.size/8); err != nil {
		return nil, err
	}
	var list []pair
	heading := uint32(0)
	for at := uint64(0); at < s.size; at += 8 {
		x, y := word(s.body, at), word(s.body, at+4)
		if x == 0 && y >= cuda.CallgraphEdges && s.kind == cuda.SHTCudaCallgraph {
			heading = y
			continue
		}
		list = append(list, pair{heading, x, y})
	}
	return list, nil
}
