package link

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Bindless images.
//
// A texture, sampler or surface that code names directly is reached through a
// slot in constant bank 0, behind the kernel's parameters: four bytes for
// each image of the link, whether the kernel uses it or not, in every kernel
// that reaches a use. The driver fills them; a record for each slot stays.
//
// Source: 44 links of texture programs by nvlink 11.8.89 to 13.0.88.

func (c *check) placeSlots() error {
	var images []*identity
	var kernels []*identity
	for _, kind := range [...]cuda.SymbolType{cuda.STTCudaTexture, cuda.STTCudaSampler, cuda.STTCudaSurface} {
		for _, id := range slices.Backward(c.ids) {
			if id.kind() != kind {
				continue
			}
			images = append(images, id)
			for _, k := range c.usersOf(id) {
				if !slices.Contains(kernels, k) {
					kernels = append(kernels, k)
				}
			}
		}
	}
	if len(images) == 0 {
		return nil
	}
	images = sorted(images, func(a, b *identity) bool { return false }, false)
	base := uint64(0)
	for _, k := range c.kernels {
		if a := c.byKey[areaKey{".nv.constant0.", k.code}]; a != nil {
			base = max(base, roundUp(a.size, 4))
		}
	}
	for i, id := range images {
		id.slot = base + 4*uint64(i)
	}
	for _, k := range kernels {
		a := c.byKey[areaKey{".nv.constant0.", k.code}]
		if a == nil {
			continue
		}
		a.size = base + 4*uint64(len(images))
		for _, id := range images {
			kind := uint32(cuda.R_CUDA_TEX_HEADER_INDEX)
			switch id.kind() {
			case cuda.STTCudaSampler:
				kind = cuda.R_CUDA_SAMP_HEADER_INDEX
			case cuda.STTCudaSurface:
				kind = cuda.R_CUDA_SURF_HEADER_INDEX
			}
			a.keep(kept{offset: id.slot, kind: kind, ref: ref{id: id}})
		}
	}
	return nil
}
