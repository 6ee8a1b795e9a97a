package image

import "github.com/twinlink/twinlink/oracle/check/verdict"

// Budget bounds the work of one check. One step is about one table entry, one
// edge of the call graph or sixteen bytes compared. Real links need a few steps
// for every hundred bytes of their files; the bound is far above that and grows
// with the files, so only input made for it ever meets it.
type Budget struct {
	left uint64
}

const (
	stepsAtLeast = 1 << 22
	stepsPerByte = 32
)

func NewBudget(size uint64) *Budget {
	return &Budget{left: stepsAtLeast + stepsPerByte*size}
}

// Spend takes n steps. The error is a *Refusal of kind [TooMuch].
func (b *Budget) Spend(file string, n uint64) error {
	if n > b.left {
		b.left = 0
		return &verdict.Refusal{Kind: verdict.TooMuch, File: file, Value: n}
	}
	b.left -= n
	return nil
}
