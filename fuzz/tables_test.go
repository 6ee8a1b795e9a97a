package fuzz

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/internal/documents"
	"github.com/twinlink/twinlink/oracle"
)

// bits is one field of a place.
type bits struct{ first, width uint32 }

// oracleBits are the fields of the oracle's recipe, ascending.
func oracleBits(t *testing.T, number uint32) (name string, list []bits) {
	r, err := oracle.RecipeOf(number)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Steps() {
		list = append(list, bits{uint32(s.Field.Start), uint32(s.Field.Width)})
	}
	slices.SortFunc(list, func(a, b bits) int { return cmp.Compare(a.first, b.first) })
	return r.Name, list
}

// engineBits are the fields of the engine's descriptor, ascending.
func engineBits(number uint32) (list []bits) {
	for i := range descriptor.Slots {
		if s := descriptor.Table[number].Slot(i); s.Action != 0 {
			list = append(list, bits{s.First, s.Width})
		}
	}
	slices.SortFunc(list, func(a, b bits) int { return cmp.Compare(a.first, b.first) })
	return list
}

// contradicts says what a table's fields lack of what the catalog's columns say; "":
// they agree.
func contradicts(list []bits, f documents.CatalogField) string {
	width, at := uint32(0), false
	for _, b := range list {
		width += b.width
		at = at || b.first == f.Bit
	}
	if width != f.Width || !at {
		return fmt.Sprintf("%v, the catalog has %d bits at %d (line %d)", list, f.Width, f.Bit, f.Line)
	}
	return ""
}

// catalogIsWrong lists the types of which the catalog's width is not what nvlink
// writes, by one-record links of nvlink 11.8.89 to 13.0.88 (oracle/recipes.txt, "seen").
var catalogIsWrong = map[string]string{
	"R_CUDA_ABS32_LO_20": "32 bits, of which the value fills what the instruction has", "R_CUDA_ABS32_LO_23": "32 bits", "R_CUDA_ABS32_LO_26": "32 bits", "R_CUDA_ABS32_LO_32": "32 bits",
	"R_CUDA_ABS32_HI_20": "32 bits", "R_CUDA_ABS32_HI_23": "32 bits", "R_CUDA_ABS32_HI_26": "32 bits", "R_CUDA_ABS32_HI_32": "32 bits",
}

// Three tables of fields, made apart, say the same: the engine's descriptors, the
// oracle's recipes, and what the catalog document has in columns.
func TestThreeTables(t *testing.T) {
	stated := 0
	for number := range uint32(cuda.RelocCount) - 1 {
		name, want := oracleBits(t, number)
		if got := engineBits(number); !slices.Equal(got, want) {
			t.Errorf("%s: the engine has %v, the oracle %v", name, got, want)
		}
		f, ok := documents.CatalogFields()[name]
		if !ok {
			continue
		}
		stated++
		if _, wrong := catalogIsWrong[name]; (contradicts(want, f) != "") != wrong {
			t.Errorf("%s: %s; known to be wrong: %t", name, contradicts(want, f), wrong)
		}
	}
	if stated < 40 {
		t.Errorf("the catalog states only %d fields", stated)
	}
}

// A field that is wider, or elsewhere, in one table is noticed.
func TestThreeTablesNotice(t *testing.T) {
	for _, number := range []uint32{cuda.R_CUDA_TEX_HEADER_INDEX, cuda.R_CUDA_ABS32_20, cuda.R_CUDA_CONST_FIELD21_38} {
		name, want := oracleBits(t, number)
		wider := slices.Clone(want)
		wider[0].width++
		if slices.Equal(wider, engineBits(number)) {
			t.Errorf("%s: a wider field of the oracle's passes", name)
		}
		if f, ok := documents.CatalogFields()[name]; ok && contradicts(wider, f) == "" {
			t.Errorf("%s: a wider field agrees with the catalog", name)
		}
	}
}
