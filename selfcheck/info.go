package selfcheck

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Attributes. .nv.info.F is .nv.merc.nv.info.F with the offsets of
// instructions translated and without the finalizer's options (90), and ends
// with what the finalizer adds:
//
//	25 CBANK_PARAM_SIZE      kernels with parameters: where the parameters end
//	10 PARAM_CBANK           the same: the bank's section symbol, its start, that size
//	54 SW_WAR                all: 0 or 8
//	107, 109, 103            from 13.3 and 13.5 on: 1, 0 or 1; sm_107: whether there is a UTCQMMA
//	21, 22                   kernels with textures or surfaces: bank 0
//
// .nv.info is .nv.merc.nv.info.

// Attributes that no earlier release has.
const (
	attr103 cuda.InfoAttr = 103
	attr107 cuda.InfoAttr = 107
	attr109 cuda.InfoAttr = 109
)

// attrKparamInfo2 is the form of KPARAM_INFO for parameters of any size.
const attrKparamInfo2 cuda.InfoAttr = 69

// paramBase is where parameters begin in constant bank 0.
const paramBase = 0x380

// infos compares the attributes of the file; functions has compared those of
// functions.
func (c *checker) infos(functions []*checker) {
	c.sameOptions()
	c.join(functions)
	for i := range c.m.Sections {
		if s := &c.m.Sections[i]; s.Type == cuda.SHTCudaInfo && s.Flags&cuda.SHFInfoLink == 0 && c.m.Counterpart(i) != 0 {
			c.fileInfo(i, c.m.Counterpart(i))
		}
	}
}

// record is an attribute and where it is.
type record struct {
	cubin.InfoRecord
	at uint64
}

// usualRecord is the size of a record with a symbol and a number, of which the lists of
// files are made.
const usualRecord = 12

// records decodes a list. room says which is kept: 0 and 1 for the two sides, until
// the next of that side.
func (c *checker) records(section, room int) ([]record, bool) {
	s := &c.m.Sections[section]
	r := c.m.File.Info(&s.Section)
	list := slices.Grow(c.recordsOf[room][:0], len(s.Content)/usualRecord)
	at := uint64(0)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		list = append(list, record{rec, at})
		at += uint64(rec.Len())
	}
	c.recordsOf[room] = list
	if err := r.Err(); err != nil {
		c.fault(err)
		return nil, false
	}
	return list, true
}

// info compares the attributes of a function.
func (c *checker) info(fn *capsule.Func) {
	if fn.Info == 0 || fn.MercInfo == 0 {
		c.add(Text, Count, fn.Text, 0, "attributes of "+fn.Name, "a list on each side", "not both")
		return
	}
	if c.old && c.writer == writerFinalizer {
		c.leave(exOldInfo)
		return
	}
	merc, ok := c.records(fn.MercInfo, 0)
	if !ok {
		return
	}
	sass, ok := c.records(fn.Info, 1)
	if !ok {
		return
	}
	merc = c.withoutOptions(fn, merc)
	n := len(sass)
	for n > 0 && finalizerAdds(sass[n-1].Attr) {
		n--
	}
	c.added(fn, merc, sass[n:])
	n -= c.dated(fn, merc, sass[:n])
	sass = sass[:n]
	for k := range min(len(sass), len(merc)) {
		if sass[k].Attr != merc[k].Attr || sass[k].Format != merc[k].Format {
			c.add(Text, Content, fn.Info, sass[k].at, "attribute", attrName(&merc[k]), attrName(&sass[k]))
			return
		}
		c.attribute(fn, &merc[k], &sass[k])
	}
	if len(sass) != len(merc) {
		c.add(Text, Count, fn.Info, 0, "number of attributes", fmt.Sprint(len(merc)), fmt.Sprint(len(sass)))
	}
}

// dated returns 1 where the finalizer itself put the version of the Mercury ISA before
// what it adds. ptxas of 13.3 and up writes it on both sides, libraries finalized by 13.4 have it on
// this one alone where ptxas was older.
func (c *checker) dated(fn *capsule.Func, merc, sass []record) int {
	if c.writer != writerFinalizer || len(sass) == 0 || sass[len(sass)-1].Attr != cuda.AttrMercuryIsaVersion {
		return 0
	}
	for k := range merc {
		if merc[k].Attr == cuda.AttrMercuryIsaVersion {
			return 0
		}
	}
	r := &sass[len(sass)-1]
	if r.Format != cuda.FormatHalf || r.Value != c.mercuryISA() {
		c.add(Text, Content, fn.Info, r.at, r.Attr.String(), hex(c.mercuryISA()), attrValue(r))
	}
	return 1
}

func attrName(r *record) string {
	return fmt.Sprintf("%s (%d) of format %d", r.Attr, uint8(r.Attr), uint8(r.Format))
}

func finalizerAdds(a cuda.InfoAttr) bool {
	switch a {
	case cuda.AttrCbankParamSize, cuda.AttrParamCbank, cuda.AttrSwWar, attr103, attr107, attr109, cuda.AttrBindlessTextureBank, cuda.AttrBindlessSurfaceBank:
		return true
	}
	return false
}

// withoutOptions checks the finalizer's options, which stand next to
// CUDA_API_VERSION, and returns the list without them.
func (c *checker) withoutOptions(fn *capsule.Func, list []record) []record {
	out := c.recordsOf[2][:0]
	options, beside := 0, false
	for k := range list {
		if list[k].Attr != cuda.AttrMercuryFinalizerOptions {
			out = append(out, list[k])
			continue
		}
		options++
		if list[k].Format != cuda.FormatSized || len(list[k].Data) == 0 || len(list[k].Data)%4 != 0 {
			c.add(Text, Content, fn.MercInfo, list[k].at, "finalizer options", "words", attrName(&list[k]))
		}
		beside = beside || k > 0 && list[k-1].Attr == cuda.AttrCudaApiVersion ||
			k+1 < len(list) && list[k+1].Attr == cuda.AttrCudaApiVersion
	}
	want := 1
	if c.stub(fn) {
		want = 0
	}
	c.recordsOf[2] = out
	if options != want {
		c.add(Text, Count, fn.MercInfo, 0, "attribute MERCURY_FINALIZER_OPTIONS", fmt.Sprint(want), fmt.Sprint(options))
	} else if want != 0 && !beside {
		c.add(Text, Content, fn.MercInfo, 0, "position of MERCURY_FINALIZER_OPTIONS", "beside CUDA_API_VERSION", "elsewhere")
	}
	return out
}

// sameOptions checks that all functions of an object have the finalizer's options
// of one run of ptxas.
func (c *checker) sameOptions() {
	if c.writer != "ptxas" {
		return
	}
	var first []byte
	for i := range c.m.Funcs {
		if c.m.Funcs[i].MercInfo == 0 {
			continue
		}
		s := &c.m.Sections[c.m.Funcs[i].MercInfo]
		at := uint64(0)
		r := c.m.File.Info(&s.Section)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			if rec.Attr == cuda.AttrMercuryFinalizerOptions {
				if first == nil {
					first = rec.Data
				}
				if !bytes.Equal(first, rec.Data) {
					c.add(Text, Content, c.m.Funcs[i].MercInfo, at+4, rec.Attr.String(), fmt.Sprintf("%x", first), fmt.Sprintf("%x", rec.Data))
				}
			}
			at += uint64(rec.Len())
		}
	}
}

// attribute compares one pair.
func (c *checker) attribute(fn *capsule.Func, m, s *record) {
	c.possible(fn, m)
	if m.Value != s.Value || len(m.Data) != len(s.Data) {
		c.add(Text, Content, fn.Info, s.at, m.Attr.String(), hex(m.Value), hex(s.Value))
		return
	}
	if !capsule.HasOffsets(m.Attr) {
		if !bytes.Equal(m.Data, s.Data) {
			k := firstDifference(m.Data, s.Data)
			c.add(Text, Content, fn.Info, s.at+4+uint64(k), m.Attr.String(), fmt.Sprintf("%x", m.Data[k:min(k+8, len(m.Data))]), fmt.Sprintf("%x", s.Data[k:min(k+8, len(s.Data))]))
			c.repair(fn.Info, s.at+4, m.Data)
		}
		return
	}
	if len(fn.Unsized) > 0 || fn.Cap == nil {
		c.leave(exUnsized)
		return
	}
	next := 0
	compare := func(end int) {
		if k := firstDifference(m.Data[next:end], s.Data[next:end]); k < end-next {
			c.add(Text, Content, fn.Info, s.at+4+uint64(next+k), m.Attr.String(), hex(m.Data[next+k]), hex(s.Data[next+k]))
			c.repair(fn.Info, s.at+4+uint64(next), m.Data[next:end])
		}
	}
	f := capsule.VisitOffsets(m.Attr, m.Data, func(at int) {
		compare(at)
		next = at + 4
		c.offset(fn, m, s, at)
	})
	if f != nil {
		f.Offset += m.at + 4
		c.fault(f.In(c.m.File.Name, c.m.Sections[fn.MercInfo].Name))
		return
	}
	compare(len(m.Data))
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// offset compares one offset word of a pair.
func (c *checker) offset(fn *capsule.Func, m, s *record, at int) {
	merc := binary.LittleEndian.Uint32(m.Data[at:])
	sass := binary.LittleEndian.Uint32(s.Data[at:])
	where := s.at + 4 + uint64(at)
	if merc == capsule.NoOffset {
		c.field(Text, Content, fn.Info, where, 4, m.Attr.String(), capsule.NoOffset, uint64(sass))
		return
	}
	if m.Attr == cuda.AttrIndirectBranchTargets && nopBefore(fn.Cap, fn.Cap.AtMerc(merc), uint64(merc), uint64(sass)) {
		return
	}
	n, ok := fn.Cap.HoldingMerc(merc)
	if !ok || n.Merc != merc {
		c.add(Text, Content, fn.MercInfo, m.at+4+uint64(at), m.Attr.String(), "the start of a node", hex(merc))
		return
	}
	if want, ok := principal(c.sm, fn, &n, m.Attr); ok && (sass != n.SASS || !slices.Contains(twofold[:], fn.Cap.Tag(&n))) {
		if c.field(Text, Content, fn.Info, where, 4, m.Attr.String(), uint64(want), uint64(sass)); sass == want {
			c.ofKind(fn, m.Attr, where, sass)
		}
		return
	}
	c.leave(exPrincipal)
	if sass < n.SASS || sass >= n.SASS+uint32(n.Span)*capsule.WordSize || sass%capsule.WordSize != 0 {
		c.add(Text, Content, fn.Info, where, m.Attr.String(), fmt.Sprintf("a word of the node at 0x%x", n.SASS), hex(sass))
	}
}

// fileInfo compares .nv.info with its clone.
func (c *checker) fileInfo(section, clone int) {
	merc, ok := c.records(clone, 0)
	if !ok {
		return
	}
	sass, ok := c.records(section, 1)
	if !ok {
		return
	}
	c.numbersOf(section, sass)
	for k := range min(len(sass), len(merc)) {
		m, s := &merc[k], &sass[k]
		c.registerCount(section, s)
		if s.Attr != m.Attr || s.Format != m.Format || s.Value != m.Value || len(s.Data) != len(m.Data) {
			c.add(Text, Content, section, s.at, "attribute", attrName(m), attrName(s))
			return
		}
		d := firstDifference(m.Data, s.Data)
		if d == len(m.Data) {
			continue
		}
		// The smallest stack of one is its frame there.
		if d >= 4 && (m.Attr == cuda.AttrFrameSize || m.Attr == cuda.AttrMinStackSize && isFrame(sass, s.Data)) && c.inner(m.Data) {
			c.leave(exInnerFrame)
			continue
		}
		c.add(Text, Content, section, s.at+4+uint64(d), m.Attr.String(), fmt.Sprintf("%x", m.Data), fmt.Sprintf("%x", s.Data))
		c.repair(section, s.at+4, m.Data)
	}
	if len(sass) != len(merc) {
		c.add(Text, Count, section, 0, "number of attributes", fmt.Sprint(len(merc)), fmt.Sprint(len(sass)))
	}
}

// inner reports whether an attribute is about a function inside a kernel's text.
func (c *checker) inner(data []byte) bool {
	if len(data) < 4 || c.m.File.Header.Type == cuda.ETRel {
		return false
	}
	s := c.m.SASS.At(binary.LittleEndian.Uint32(data))
	return s != nil && s.Type() == cuda.STTFunc && s.Value != 0
}

// isFrame reports whether a list says of a function that its frame has so many bytes.
func isFrame(list []record, data []byte) bool {
	return slices.ContainsFunc(list, func(r record) bool { return r.Attr == cuda.AttrFrameSize && bytes.Equal(r.Data, data) })
}
