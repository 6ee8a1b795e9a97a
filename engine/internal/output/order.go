package output

import (
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// NumberSections gives sections their index and name.
func (l *Planner) NumberSections(img *Plan) {
	img.NameOff = make([]uint32, len(img.Order))
	for i, id := range img.Order {
		l.Secs[id].Index = uint32(i + 1)
		img.NameOff[i] = img.Shstr.Add(l.Secs[id].Name)
	}
}

// Bucket is a section's place in the file: sections are sorted by it, and by
// creation inside one.
func (l *Planner) Bucket(id model.SecID) int {
	s := &l.Secs[id]
	switch {
	case s.Type == cuda.SHTStrtab || s.Type == cuda.SHTSymtab || s.Type == cuda.SHTSymtabShndx:
		return 0
	case s.Type == cuda.SHTRel || s.Type == cuda.SHTRela || s.Type == cuda.SHTCudaResolvedRela:
		return 4
	case s.Type == cuda.SHTNote && l.Release.Notes:
		return 2
	case s.Flags&cuda.SHFAlloc == 0 && s.Type == cuda.SHTProgbits:
		return 1
	case s.Flags&cuda.SHFAlloc == 0:
		return 3
	case s.Flags&cuda.SHFExec != 0:
		return 6
	case s.Flags&cuda.SHFWrite == 0:
		return 5
	case cubin.NoBitsSpace(s.Type) || s.Type == cuda.SHTNobits:
		return 8
	}
	return 7
}

// maxBucket is the last of the buckets.
const maxBucket = 8

func (l *Planner) OrderSections(img *Plan) {
	var buckets [maxBucket + 1][]model.SecID
	n := 0
	for i := range l.Secs {
		if id := model.SecID(i); l.isPresent(id) {
			b := l.Bucket(id)
			buckets[b] = append(buckets[b], id)
			n++
		}
	}
	l.countLeft(n)
	img.Order = slices.Grow(img.Order, n)
	for _, list := range buckets {
		img.Order = append(img.Order, list...)
	}
}

// countLeft counts the sections that were made and aren't among the n of the image. A final link has one
// that is never there: see package sass, madeAs.
func (l *Planner) countLeft(n int) {
	l.left = len(l.Secs) + l.Besides + l.Spare - n
	if !l.IsRelocatable() {
		l.left++
	}
}
