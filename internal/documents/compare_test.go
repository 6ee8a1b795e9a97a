package documents

import (
	"bytes"
	"math"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

var (
	edgeValues  = []uint64{0, 1, 0x38, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1, 0x0807060504030201, 0xfedcba9876543210}
	edgeAddends = []int64{0, 1, -1, 3, 1 << 31, -1 << 31, 1 << 32, math.MaxInt64, math.MinInt64, 0x0123456789abcdef}
	edgePlaces  = []uint64{0, 16, 1<<31 - 16, 1 << 31, 1 << 40}
	edgeTypes   = []cuda.SectionType{cuda.SHTCudaConstant0, cuda.SHTCudaConstant0 + 3, cuda.SHTCudaConstant0 + 15, cuda.SHTCudaConstant0 + 16,
		cuda.SHTCudaConstant0 + 31, cuda.SHTCudaShared, cuda.SHTProgbits}
	edgeFills = []byte{0x00, 0xff, 0xa5, 0x80, 0x01, 0x7f}
)

// 117 + 64 types times edge values: recipes and descriptors agree, or the
// difference is one of the listed ones, and each of those occurs.
func TestRecipesAgainstDescriptors(t *testing.T) {
	agreed, reasons := 0, map[string]int{}
	for _, r := range oracle.Recipes() {
		for _, rela := range []bool{true, false} {
			addends := edgeAddends
			if !rela {
				addends = addends[:1]
			}
			for i, s := range edgeValues {
				for j, a := range addends {
					for k, fill := range edgeFills {
						in := oracle.Inputs{Rela: rela, S: s, A: a, P: edgePlaces[(i+j+k)%len(edgePlaces)],
							SectionType: edgeTypes[(i+2*j+k)%len(edgeTypes)], Slot: uint32(i * 3)}
						c, err := Compare(r, bytes.Repeat([]byte{fill}, 16), in)
						if err != nil {
							t.Fatalf("%s: %v", r.Name, err)
						}
						switch {
						case c.Agree:
							agreed++
						case c.Why == "":
							t.Fatalf("%s, %+v over %#x: recipe %x implicit %#x, descriptor\n%s", r.Name, in, fill, c.Recipe.Bytes, c.Recipe.Implicit, c.Run)
						case r.Evidence == oracle.Seen:
							t.Fatalf("%s: %s, yet nvlink was seen to patch by it", r.Name, c.Why)
						default:
							reasons[c.Why]++
						}
					}
				}
			}
		}
	}
	for _, why := range []string{WhyNoArm, WhySplit, WhyWide, WhyInt, WhyNoAction} {
		if reasons[why] == 0 {
			t.Errorf("no case shows: %s", why)
		}
	}
	t.Logf("%d cases agree; differences %v", agreed, reasons)
}

// Slots of the descriptors that the documents spell out.
func TestDescriptorsTheDocumentsPrint(t *testing.T) {
	for number, want := range map[uint32][slotCount]Slot{
		cuda.R_CUDA_ABS32_26:         {{26, 32, 1, 0}},
		cuda.R_CUDA_CONST_FIELD19_28: {{28, 14, 9, 0}, {42, 4, 10, 0}, {26, 1, 11, 0}},
		cuda.R_CUDA_ABS55_16_34:      {{16, 8, 9, 0}, {34, 47, 21, 0}},
		cuda.R_CUDA_8_56:             {{0, 8, 29, 0}},
		cuda.R_CUDA_G8_8:             {{0, 8, 31, 0}},
		cuda.R_CUDA_UNIFIED_8_0:      {{0, 8, 47, 0}},
		cuda.R_CUDA_UNIFIED:          {{0, 64, 46, 0}},
		cuda.R_CUDA_UNIFIED32_HI_32:  {{32, 32, 56, 0}},
	} {
		r, err := oracle.RecipeOf(number)
		if err != nil {
			t.Fatal(err)
		}
		d, ok := Describe(r)
		if !ok || d.Slots != want {
			t.Errorf("%s: %+v, want %+v", r.Name, d.Slots, want)
		}
	}
}

// The catalog's actions that are in use, and how many slots its types have.
func TestCatalogCounts(t *testing.T) {
	actions, slots := map[uint32]int{}, map[int]int{}
	for _, r := range oracle.Recipes() {
		d, ok := Describe(r)
		if !ok || r.Number >= cuda.MercuryBase || r.Sentinel {
			continue
		}
		slots[len(r.Steps())]++
		for _, s := range d.Slots {
			actions[s.Action]++
		}
	}
	if slots[3] != 1 || slots[2] != 12 || slots[1] != 102 || slots[0] != 1 {
		t.Errorf("slots in use: %v", slots)
	}
	for a := uint32(0); a <= 56; a++ {
		if actions[a] == 0 {
			t.Errorf("action %d is in no descriptor", a)
		}
	}
}
