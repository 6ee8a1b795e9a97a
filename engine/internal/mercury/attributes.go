package mercury

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/resched"
)

// principal is which word of a node of several an attribute names: (attribute,
// tag, span) to the number of the word. Those not listed name the first.
// Source: 89,544 offsets in 11,200 functions of ptxas 13.0.88 and 13.5.37.
var principal = map[principalKey]uint32{
	{cuda.AttrExitInstrOffsets, 0x0111000a, 4}:      3,
	{cuda.AttrCoopGroupInstrOffsets, 0x0147540a, 4}: 2,
	{cuda.AttrCoopGroupInstrOffsets, 0x02476406, 6}: 3,
	{cuda.AttrCoopGroupInstrOffsets, 0x02320806, 4}: 1,
	{cuda.AttrCoopGroupInstrOffsets, 0x02320e06, 4}: 1, // redux.sync of floats
	{cuda.AttrCoopGroupInstrOffsets, 0x02321806, 4}: 1,
	{cuda.AttrCoopGroupInstrOffsets, 0x02477c06, 3}: 1,
	{cuda.AttrCoopGroupInstrOffsets, 0x024a0806, 3}: 1,
	{cuda.AttrCoopGroupInstrOffsets, 0x024a1206, 3}: 1,
	{cuda.AttrCoopGroupInstrOffsets, 0x024b1a06, 3}: 1,
	{cuda.AttrCoopGroupInstrOffsets, 0x024c0e06, 3}: 1,
	{cuda.AttrCoopGroupInstrOffsets, 0x0147760a, 2}: 1, // WARPSYNC and a NOP
	{cuda.AttrMbarrierInstrOffsets, 0x021b5e06, 2}:  1,
}

// principalWord returns the word that any attribute names in such a node.
func principalWord(tag uint32, span uint16) uint32 {
	if span < 2 {
		return 0
	}
	for _, attr := range []cuda.InfoAttr{cuda.AttrExitInstrOffsets, cuda.AttrCoopGroupInstrOffsets, cuda.AttrMbarrierInstrOffsets} {
		if p, ok := principal[principalKey{attr, tag, span}]; ok {
			return p
		}
	}
	return 0
}

type principalKey struct {
	attr cuda.InfoAttr
	tag  uint32
	span uint16
}

// wordOf translates the Mercury offset of an instruction that an attribute
// names.
func (fn *code) wordOf(attr cuda.InfoAttr, off uint32) uint32 {
	i := fn.node(uint64(off))
	if i < 0 {
		return uint32(fn.sassOf(uint64(off)))
	}
	n := &fn.words[i]
	if at, ok := fn.behindFence(n); ok {
		return at
	}
	at := n.SASS
	if n.Span > 1 {
		at += capsule.WordSize * principal[principalKey{attr, fn.cap.Tag(n), n.Span}]
	}
	if attr == cuda.AttrIndirectBranchTargets {
		return fn.movedStart(at)
	}
	return fn.moved(at)
}

// behindFence returns where the principal word of a node that begins with a fence is in
// the output.
func (fn *code) behindFence(n *capsule.Node) (at uint32, ok bool) {
	if n.Span < 2 {
		return 0, false
	}
	from := fn.movedStart(n.SASS)
	text, inside := cubin.Window(fn.sass, uint64(from), uint64(fn.movedStart(n.SASS+uint32(n.Span)*capsule.WordSize)-from))
	if !inside {
		return 0, false
	}
	k, ok := resched.AfterFence(text)
	return from + uint32(k)*capsule.WordSize, ok
}

// ownInfoSize is how much the records about SASS alone take.
const ownInfoSize = 40

// sassInfo is .nv.info.<f> of the SASS side: the Mercury records but for the
// finalizer's options, with offsets of the SASS code, and then those that are
// about SASS alone.
func (f *filler) sassInfo(text model.SecID, merc []byte) ([]byte, error) {
	fn := f.opened(text)
	out, named := f.bytes.List(len(merc)+ownInfoSize), false
	for pos := 0; pos+4 <= len(merc); {
		attr := cuda.InfoAttr(merc[pos+1])
		n := 4
		if cuda.InfoFormat(merc[pos]) == cuda.FormatSized {
			n += int(binary.LittleEndian.Uint16(merc[pos+2:]))
		}
		size := min((n+3)&^3, len(merc)-pos)
		rec := merc[pos : pos+size]
		pos += size
		if attr == cuda.AttrMercuryFinalizerOptions {
			continue
		}
		if attr == cuda.AttrExterns && n > 4 && fn != nil {
			externs := f.byName(f.calledExterns(cubin.InfoRecord{Format: cuda.FormatSized, Attr: attr, Data: rec[4:min(n, len(rec))]}, fn))
			out, named = externs.Append(out), true
			continue
		}
		at := len(out)
		out = append(out, rec...)
		if n == 4 || fn == nil || !capsule.HasOffsets(attr) {
			continue
		}
		data := out[at+4 : at+n]
		fault := capsule.VisitOffsets(attr, data, func(k int) {
			if w := binary.LittleEndian.Uint32(data[k:]); w != capsule.NoOffset {
				binary.LittleEndian.PutUint32(data[k:], fn.wordOf(attr, w))
			}
		})
		if fault != nil {
			return nil, fault.In(fn.input.File.Name, f.Names.Str(f.Secs[text].Name))
		}
	}
	if fn == nil {
		return out, nil
	}
	out, err := f.appendCallInfo(out, fn, named)
	if err != nil {
		return nil, err
	}
	return f.appendOwnInfo(f.img, out, fn)
}

// Attributes without a name that is known, and what they say in every link seen.
var (
	mark6B = cubin.InfoRecord{Format: cuda.FormatHalf, Attr: input.FinalizerMark, Value: 1}
	mark67 = cubin.InfoRecord{Format: cuda.FormatByte, Attr: 0x67} // sm_107, final links
)

// appendOwnInfo appends the records about SASS alone, which are the input's: the
// size and the bank of the parameters, and a mark of a workaround.
func (l *Backend) appendOwnInfo(img *plan, out []byte, fn *code) ([]byte, error) {
	k := fn.input.Info[fn.sassidx]
	if k == 0 {
		return out, nil
	}
	s := fn.input.File.Section(int(k))
	var own [3]cubin.InfoRecord
	var have [3]bool
	r := fn.input.File.Info(&s)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		switch rec.Attr {
		case cuda.AttrCbankParamSize:
			own[0], have[0] = rec, true
		case cuda.AttrParamCbank:
			own[1], have[1] = rec, true
		case cuda.AttrSwWar:
			own[2], have[2] = rec, true
		}
	}
	for i := range own {
		if !have[i] {
			continue
		}
		rec := &own[i]
		at := len(out)
		out = rec.Append(out)
		if rec.Attr == cuda.AttrParamCbank && len(rec.Data) >= 4 {
			binary.LittleEndian.PutUint32(out[at+4:], l.bankSymbol(img, fn.text))
		}
	}
	if l.Release.Marks6B {
		out = mark6B.Append(out)
	}
	if l.Release.Marks6D {
		rec := l.mark6D(fn.text)
		out = rec.Append(out)
	}
	if _, ok := l.Headers[fn.text]; ok {
		for _, attr := range []cuda.InfoAttr{cuda.AttrBindlessTextureBank, cuda.AttrBindlessSurfaceBank} {
			rec := cubin.InfoRecord{Format: cuda.FormatByte, Attr: attr}
			out = rec.Append(out)
		}
	}
	if l.Arch.SM == 107 && !l.IsRelocatable() {
		out = mark67.Append(out)
	}
	return out, r.Err()
}

// bankSymbol returns the index of the section symbol of a kernel's parameters.
func (l *Backend) bankSymbol(img *plan, text model.SecID) uint32 {
	if id, ok := l.Headers[text]; ok {
		return l.Syms[l.Secs[id].Sym].Index
	}
	return img.bankOf[text]
}
