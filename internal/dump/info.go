package dump

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

func (r *reader) info() {
	r.each(func(_ int, s *cubin.Section, name string) {
		if s.Type != cuda.SHTCudaInfo && s.Type != cuda.SHTMercInfo {
			return
		}
		t := r.infoTable(s, name)
		if _, owner, ok := strings.Cut(name, ".nv.info."); ok {
			t.Owner = owner
		}
		r.out.Info = append(r.out.Info, t)
	})
}

func (r *reader) compat() {
	r.each(func(_ int, s *cubin.Section, name string) {
		if s.Type != cuda.SHTCudaCompat || r.out.Compat != nil {
			return
		}
		t := r.infoTable(s, name)
		for i := range t.Records {
			rec := &t.Records[i]
			rec.Attribute = known(cuda.CompatAttr(rec.Number).String(), number(rec.Number))
		}
		r.out.Compat = &t
	})
}

func (r *reader) infoTable(s *cubin.Section, name string) InfoTable {
	out := InfoTable{Section: name}
	info := r.f.Info(s)
	for rec, ok := info.Next(); ok && r.spend(recordCost+len(rec.Data)/4*valueCost); rec, ok = info.Next() {
		out.Records = append(out.Records, r.infoRecord(&rec))
	}
	out.Fault = faultOf(info.Err())
	return out
}

func (r *reader) infoRecord(rec *cubin.InfoRecord) InfoRecord {
	out := InfoRecord{
		Attribute: known(strings.TrimPrefix(rec.Attr.String(), "EIATTR_"), number(rec.Attr)),
		Number:    uint8(rec.Attr), Format: strings.TrimPrefix(rec.Format.String(), "EIFMT_"),
	}
	switch rec.Format {
	case cuda.FormatByte:
		out.Values = []Value{{"", number(rec.Value & 0xff)}}
		return out
	case cuda.FormatHalf:
		out.Values = []Value{{"", number(rec.Value)}}
		if rec.Attr == cuda.AttrMercuryIsaVersion {
			out.Values[0].Text = fmt.Sprintf("%d.%d", rec.Value>>8, rec.Value&0xff)
		}
		return out
	case cuda.FormatNone:
		return out
	}
	if !r.payload(&out, rec) {
		out.Values = words(rec.Data)
	}
	return out
}

// payload decodes what is known of a payload, false where it doesn't have the
// shape it should.
func (r *reader) payload(out *InfoRecord, rec *cubin.InfoRecord) bool {
	d := rec.Data
	switch rec.Attr {
	case cuda.AttrFrameSize, cuda.AttrMinStackSize, cuda.AttrMaxStackSize, cuda.AttrRegcount:
		if len(d) != 8 {
			return false
		}
		out.Subject = r.symbol(word(d, 0))
		out.Values = []Value{{"", fmt.Sprint(int32(word(d, 1)))}}
	case cuda.AttrExterns:
		if len(d)%4 != 0 {
			return false
		}
		for i := range len(d) / 4 {
			out.Values = append(out.Values, Value{"", r.symbol(word(d, i))})
		}
	case cuda.AttrParamCbank:
		if len(d) != 8 {
			return false
		}
		w := word(d, 1)
		out.Values = []Value{{"bank", r.symbol(word(d, 0))}, {"offset", number(uint16(w))}, {"size", number(uint16(w >> 16))}}
	case cuda.AttrKparamInfo:
		if len(d) != 12 {
			return false
		}
		out.Values = parameter(d)
	case cuda.AttrMaxThreads, cuda.AttrReqntid, cuda.AttrCtaPerCluster:
		if len(d) != 12 {
			return false
		}
		out.Values = []Value{{"x", fmt.Sprint(word(d, 0))}, {"y", fmt.Sprint(word(d, 1))}, {"z", fmt.Sprint(word(d, 2))}}
	case cuda.AttrCudaApiVersion:
		if len(d) != 4 {
			return false
		}
		out.Values = []Value{{"", release(word(d, 0))}}
	case cuda.AttrCrsStackSize, cuda.AttrMaxClusterRank:
		if len(d) != 4 {
			return false
		}
		out.Values = []Value{{"", fmt.Sprint(word(d, 0))}}
	default:
		return false
	}
	return true
}

// parameter decodes EIATTR_KPARAM_INFO: u32 index, u16 ordinal, u16 offset and
// a word of bit fields.
func parameter(d []byte) []Value {
	w, packed := word(d, 1), word(d, 2)
	return []Value{
		{"index", fmt.Sprint(word(d, 0))},
		{"ordinal", fmt.Sprint(w & 0xffff)},
		{"offset", number(uint16(w >> 16))},
		{"size", number(packed >> 18)},
		{"align", fmt.Sprint(packed & 0xff)},
		{"space", fmt.Sprint(packed >> 8 & 0xf)},
		{"cbank", number(packed >> 12 & 0x1f)},
		{"shared", fmt.Sprint(packed >> 17 & 1)},
	}
}

func word(d []byte, i int) uint32 { return binary.LittleEndian.Uint32(d[4*i:]) }

// words tells a payload of unknown shape: offsets mostly.
func words(d []byte) []Value {
	var out []Value
	for ; len(d) >= 4; d = d[4:] {
		out = append(out, Value{"", number(word(d, 0))})
	}
	if len(d) > 0 {
		out = append(out, Value{"bytes", fmt.Sprintf("%x", d)})
	}
	return out
}
