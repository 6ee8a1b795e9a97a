package objects_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/fuzz/objects"
)

// The header of an object is that of ptxas's for the release and the architecture.
func TestHeader(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	// Left out are the tables' places and numbers, and the size of a segment's entry: there are no segments, and ptxas has
	// that size below sm_90, the generator before 13.0.
	header := func(b []byte) string {
		b = bytes.Clone(b[:64])
		for _, at := range [][2]int{{32, 48}, {54, 56}, {60, 64}} {
			clear(b[at[0]:at[1]])
		}
		return string(b)
	}
	met, same := map[int]int{}, map[int]int{}
	for target, known := range objects.Targets {
		l := objects.Link{Target: uint8(target), Functions: []objects.FunctionName{{}}, Variables: []objects.VariableName{{}}, Modules: []objects.Module{{}}}
		own := header(l.Objects()[0].Data)
		for i := range cases {
			c := &cases[i]
			if c.Release != known.Release || c.Arch != "sm_"+strconv.Itoa(known.SM) || !c.Linked() || !c.Complete() {
				continue
			}
			for _, in := range c.Inputs {
				if !strings.HasSuffix(in.Name, ".cubin") || binary.LittleEndian.Uint16(in.Data[16:]) != 1 || in.Data[48] != own[48] || in.Data[50] != own[50] && own[50] > 0 {
					continue // of another architecture, real or virtual
				}
				if met[target]++; header(in.Data) == own {
					same[target]++
				}
			}
		}
		// The rest have lines.
		if 2*same[target] < met[target] {
			t.Errorf("%s sm_%d: %d of %d headers are as ours", known.Release, known.SM, same[target], met[target])
		}
	}
	if len(met) < 6 {
		t.Errorf("met targets %v alone", met)
	}
}

// What a function says of itself is in its text, its constants and its attributes.
func TestBuilt(t *testing.T) {
	for target, known := range objects.Targets {
		l := objects.Link{
			Target: uint8(target), Features: objects.Barriers,
			Functions: []objects.FunctionName{{Kernel: true}, {}, {}}, Variables: []objects.VariableName{{}},
			Modules: []objects.Module{{Functions: []objects.Function{
				{Name: 0, Registers: 40, Frame: 3, Length: 3, Params: 5, MaxReg: 33, Marks: 7, Bank2: 3, Barriers: 9, Calls: []objects.Call{{Function: 1}, {Function: 2}}},
				{Name: 1, Registers: 4, Frame: 2, Role: objects.Weak},
			}}, {Functions: []objects.Function{{Name: 2}}}},
		}
		data := l.Objects()[0].Data
		name := known.Release + " sm_" + strconv.Itoa(known.SM)
		f, err := elf.NewFile(bytes.NewReader(slices.Concat(data[:20], []byte{1, 0, 0, 0}, data[24:]))) // which asks for that version
		if err != nil {
			t.Fatal(err)
		}
		legacy := known.Release < "13"
		symbols := map[string]uint32{}
		list, err := f.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range list {
			symbols[s.Name] = uint32(i + 1)
		}
		base := map[bool]uint64{true: 0x140, false: 0x160}[known.SM < 70]
		if known.SM >= 90 {
			base = 0x210
		}
		for section, size := range map[string]uint64{".text.k0": 512, ".text.f1": 128, ".nv.constant0.k0": base + 20, ".nv.constant2.k0": 24, ".nv.callgraph": 0} {
			if s := f.Section(section); s == nil || s.Size != size && size > 0 {
				t.Errorf("%s: %s is %+v, want %d bytes", name, section, s, size)
			}
		}
		if f.Section(".nv.constant0.f1") != nil || f.Section(".nv.constant2.f1") != nil || f.Section(".text.f2") != nil {
			t.Errorf("%s: sections of what isn't there", name)
		}
		text := f.Section(".text.k0")
		wantInfo, barriers := symbols["k0"], uint64(0)
		if legacy {
			wantInfo, barriers = wantInfo|40<<24, 9
		}
		if text.Info != wantInfo || uint64(text.Flags)>>cuda.SHFBarrierShift&0x7f != barriers {
			t.Errorf("%s: info %x and flags %x of the text", name, text.Info, text.Flags)
		}
		d, err := cubin.Decode("m0.cubin", data)
		if err != nil {
			t.Fatal(err)
		}
		attributes := func(section string) map[cuda.InfoAttr][][]uint32 {
			got := map[cuda.InfoAttr][][]uint32{}
			for i := 1; i < d.NumSections(); i++ {
				if d.SectionName(i) != section {
					continue
				}
				records, err := d.Info(i)
				if err != nil {
					t.Fatal(err)
				}
				for k := range records {
					var words []uint32
					for n := 0; ; n++ {
						w, ok := records[k].Word(n)
						if !ok {
							break
						}
						words = append(words, w)
					}
					got[records[k].Attr] = append(got[records[k].Attr], words)
				}
			}
			return got
		}
		k0, f1 := symbols["k0"], symbols["f1"]
		want := map[cuda.InfoAttr][][]uint32{
			cuda.AttrRegcount: {{k0, 40}, {f1, 8}}, cuda.AttrFrameSize: {{k0, 24}, {f1, 16}}, cuda.AttrMinStackSize: {{k0, 24}, {f1, 16}},
		}
		if got := attributes(".nv.info"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		own := attributes(".nv.info.k0")
		for attr, want := range map[cuda.InfoAttr][][]uint32{
			cuda.AttrParamCbank: {{symbols[".nv.constant0.k0"], uint32(base) | 20<<16}}, cuda.AttrMaxThreads: {{256, 1, 1}}, cuda.AttrExterns: {{symbols["f2"]}},
			cuda.AttrKparamInfo: {{0, 4 | 16<<16, 0x11f000}, {0, 3 | 12<<16, 0x11f000}, {0, 2 | 8<<16, 0x11f000}, {0, 1 | 4<<16, 0x11f000}, {0, 0, 0x11f000}},
		} {
			if !reflect.DeepEqual(own[attr], want) {
				t.Errorf("%s: attribute %x is %x, want %x", name, attr, own[attr], want)
			}
		}
		for attr, want := range map[cuda.InfoAttr]bool{cuda.AttrNumBarriers: !legacy, cuda.AttrCrsStackSize: known.SM < 70, cuda.AttrSparseMmaMask: known.SM >= 90 && known.Release > "12", cuda.AttrCtaidzUsed: true} {
			if _, ok := own[attr]; ok != want {
				t.Errorf("%s: attribute %x stands there: %v", name, attr, ok)
			}
		}
		if other := attributes(".nv.info.f1"); other[cuda.AttrParamCbank] != nil || other[cuda.AttrExterns] != nil || other[cuda.AttrMaxregCount] != nil || other[cuda.AttrMaxThreads] != nil {
			t.Errorf("%s: f1 has a kernel's attributes: %v", name, other)
		}
		if s := list[f1-1]; elf.ST_BIND(s.Info) != elf.STB_WEAK || s.Size != 128 || s.Section == elf.SHN_UNDEF {
			t.Errorf("%s: f1 is %+v", name, s)
		}
		if s := list[symbols["f2"]-1]; elf.ST_BIND(s.Info) != elf.STB_GLOBAL || elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section != elf.SHN_UNDEF {
			t.Errorf("%s: f2 is %+v", name, s)
		}
	}
}
