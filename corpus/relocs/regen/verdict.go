package main

import "github.com/twinlink/twinlink/corpus/relocs"

// workers is how many links run at a time.
const workers = 2

// verdict says what is asked of other linkers. Where nvlink died there is
// nothing to agree with.
func verdict(got relocs.Result) relocs.Verdict {
	switch got.Did {
	case relocs.Linked:
		return relocs.Valid
	case relocs.Refused:
		return relocs.Invalid
	}
	return relocs.Acceptable
}
