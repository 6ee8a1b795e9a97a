package check

import "github.com/twinlink/twinlink/cuda"

// mercuryAttributes are the attributes of a function's Mercury side: of definitions whose
// code is the same, what they were compiled with may show nowhere else.
func (f *image) mercuryAttributes(code int, b *budget) []attribute {
	if f.mercuryInfo == nil {
		f.mercuryInfo = map[int]int{}
		for i := range f.all {
			if s := &f.all[i]; s.kind == cuda.SHTMercInfo && s.info != 0 {
				f.mercuryInfo[int(s.info)] = i
			}
		}
	}
	capsule := f.capsuleFor(code)
	if capsule == nil {
		return nil
	}
	i, ok := f.mercuryInfo[capsule.index]
	if !ok {
		return nil
	}
	list, err := f.readAttributes(&f.all[i], b)
	if err != nil {
		return nil // told where that side is judged
	}
	return list
}
