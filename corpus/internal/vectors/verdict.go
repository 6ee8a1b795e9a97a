package main

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
)

// workers is how many links run at a time.
const workers = 2

// verdict says what is asked of other linkers. Where nvlink died, and where it
// took for a type what is after its table, there is nothing to agree with.
func verdict(v *relocs.Vector, got relocs.Result) relocs.Verdict {
	switch {
	case got.Did == relocs.Refused:
		return relocs.Invalid
	case got.Did != relocs.Linked, slices.ContainsFunc(v.Records, func(r relocs.Record) bool { return noType(v, r.Type) && !holds(got.Kept, r) }):
		return relocs.Acceptable
	}
	return relocs.Valid
}

// noType tells the numbers that are after the table that holds for a place.
// After that of R_MERCURY lies that of R_CUDA.
func noType(v *relocs.Vector, number uint32) bool {
	if strings.HasPrefix(v.Place, ".nv.merc") || strings.HasPrefix(v.Place, ".nv.capmerc") {
		return number > cuda.MercuryBase+63+uint32(cuda.R_CUDA_NONE_LAST)
	}
	return number > uint32(cuda.R_CUDA_NONE_LAST)
}

func holds(list []relocs.Record, r relocs.Record) bool {
	return slices.ContainsFunc(list, func(k relocs.Record) bool { return k.Type == r.Type && k.Addend == r.Addend })
}
