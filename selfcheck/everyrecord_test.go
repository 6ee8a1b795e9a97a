package selfcheck_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/selfcheck"
)

// recordFields are the places of a record and a change of each.
var recordFields = []struct {
	name   string
	at     uint64
	change uint32
}{{"offset", 0, 16}, {"type", 8, 1}, {"symbol", 12, 1}, {"addend", 16, 16}}

// unasked are the changes of which objects pass all the same: nothing asks for the field, or the other side has no record
// of the place.
var unasked = []string{
	".nv.merc.rela.nv_debug_line_sass type", ".nv.merc.rela.debug_line type", ".nv.merc.rela.debug_line offset", ".nv.merc.rela.debug_line symbol",
	".nv.merc.rela.debug_line addend", ".nv.merc.rela.nv.constant symbol", ".nv.merc.rela.text. offset", ".nv.resolvedrela.text. type",
}

// TestEveryRecord changes each field of the first and the last record of every kind of section, on both sides.
func TestEveryRecord(t *testing.T) {
	tried, passed := map[string]int{}, map[string]int{}
	capsules(t, func(c *corpus.Capsule, data []byte) {
		f, err := cubin.Open(c.Name, data)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < f.NumSections(); i++ {
			s := f.Section(i)
			if s.Type != cuda.SHTRela && s.Type != cuda.SHTMercRela && s.Type != cuda.SHTCudaResolvedRela || s.Size < cubin.RelaSize {
				continue
			}
			for _, field := range recordFields {
				key := sectionKind(f.SectionName(&s)) + " " + field.name
				for _, at := range []uint64{0, s.Size - cubin.RelaSize} {
					if tried[key] == 20 {
						continue
					}
					tried[key]++
					bad := bytes.Clone(data)
					b := bad[s.Off+at+field.at:]
					binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)^field.change)
					if r := selfcheck.Check(c.Name, bad, selfcheck.Options{AllowUnknown: true}); r.Verdict == selfcheck.Pass {
						if passed[key]++; !slices.Contains(unasked, key) {
							t.Errorf("%s: record at %d of section %d: %s changed, and it passes", c.Name, at, i, key)
						}
					}
				}
			}
		}
	})
	for _, key := range slices.Sorted(maps.Keys(tried)) {
		if tried[key] > 1 && tried[key] == passed[key] && key != unasked[0] {
			t.Errorf("%s: none of %d changes is found", key, tried[key])
		}
	}
	if len(tried) < 56 {
		t.Errorf("%d kinds of field", len(tried))
	}
}

// sectionKind is a section's name without the function's.
func sectionKind(name string) string {
	for _, part := range []string{".text.", ".nv.constant"} {
		if k := strings.Index(name, part); k >= 0 {
			return name[:k+len(part)]
		}
	}
	return name
}

// A parameter list of any length is put right: the size that the finalizer adds is that of the Mercury side's parameters.
func TestLargeParameters(t *testing.T) {
	tried := 0
	capsules(t, func(c *corpus.Capsule, data []byte) {
		if tried == 8 {
			return
		}
		f, err := cubin.Open(c.Name, data)
		if err != nil {
			t.Fatal(err)
		}
		d := f.Editor()
		sizes := map[int]uint16{} // of sections of the SASS side
		for i := 1; i < f.NumSections(); i++ {
			list, err := d.Info(i)
			if err != nil {
				continue
			}
			for k := range list {
				switch r := &list[k]; r.Attr {
				case cuda.AttrKparamInfo:
					r.Data = bytes.Clone(r.Data)
					r.Data[7] += 0x12 // the upper half of the offset
				case cuda.AttrCbankParamSize:
					sizes[i] = r.Value
				}
			}
			if err := d.SetInfo(i, list); err != nil {
				t.Fatal(err)
			}
		}
		if len(sizes) == 0 {
			return
		}
		bad, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		_, again, err := selfcheck.Reconstitute(c.Name, bad, selfcheck.Options{AllowUnknown: true})
		if err != nil || again == nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		tried++
		f, err = cubin.Open(c.Name, again)
		if err != nil {
			t.Fatal(err)
		}
		for i, size := range sizes {
			list, err := f.Editor().Info(i)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range list {
				if r.Attr == cuda.AttrCbankParamSize && r.Value != size+0x1200 {
					t.Errorf("%s: %#x bytes of parameters in section %d, want %#x", c.Name, r.Value, i, size+0x1200)
				}
			}
		}
	})
	if tried < 4 {
		t.Errorf("%d objects", tried)
	}
}
