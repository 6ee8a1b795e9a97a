package check

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
	base := c.firstSlot()
	c.slotBase = base
	for i, id := range images {
		id.slot = base + 4*uint64(i)
	}
	for _, k := range kernels {
		a := c.slotBank(k)
		if a == nil {
			continue
		}
		a.slots = true
		a.size = base + 4*uint64(len(images))
		for _, id := range images {
			a.keep(kept{offset: id.slot, kind: slotTypes[id.kind()][c.out.side], ref: ref{id: id}})
		}
	}
	return nil
}

// slotTypes are the types of the records that stay for the driver, by side.
var slotTypes = map[cuda.SymbolType][3]uint32{
	cuda.STTCudaTexture: {cuda.R_CUDA_TEX_HEADER_INDEX, cuda.R_CUDA_TEX_HEADER_INDEX, cuda.R_MERCURY_TEX_HEADER_INDEX},
	cuda.STTCudaSampler: {cuda.R_CUDA_SAMP_HEADER_INDEX, cuda.R_CUDA_SAMP_HEADER_INDEX_0, cuda.R_MERCURY_SAMP_HEADER_INDEX},
	cuda.STTCudaSurface: {cuda.R_CUDA_SURF_HEADER_INDEX, cuda.R_CUDA_SURF_HEADER_INDEX, cuda.R_MERCURY_SURF_HEADER_INDEX},
}

// firstSlot is the offset of the first slot: behind the largest parameter bank,
// where the finalizer writes it at a multiple of 16.
func (c *check) firstSlot() uint64 {
	align := uint64(4)
	switch c.out.side {
	case mercurySide:
		return 0
	case sassSide:
		align = 16
	}
	base := uint64(0)
	for _, k := range c.kernels {
		if a := c.byKey[areaKey{".nv.constant0.", k.code}]; a != nil {
			base = max(base, roundUp(a.size, align))
		}
	}
	return base
}

// slotBank is the section with a kernel's slots; the Mercury side has one of
// its own.
func (c *check) slotBank(k *identity) *area {
	if c.out.side != mercurySide {
		return c.byKey[areaKey{".nv.constant0.", k.code}]
	}
	a := c.area(imageBank, imageBank+k.name, k.code)
	a.kind, a.flags, a.align = cuda.SHTMercImageHeaders, cuda.SHFAlloc|cuda.SHFInfoLink, 4
	return a
}

const imageBank = ".nv.constant.entry_image_header_indices."
