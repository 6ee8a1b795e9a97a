package image

import "github.com/twinlink/twinlink/cuda"

// SassOf is the SASS of a capsule.
func (f *Image) SassOf(s *Section) []byte {
	index := uint64(Word(s.Body, 0))
	if index >= uint64(len(f.All)) || f.All[index].Kind != cuda.SHTProgbits && f.All[index].Kind != cuda.SHTCudaUFT {
		return nil
	}
	return f.All[index].Body
}
