package check

import mathbits "math/bits"

// Bits 61 to 63 of a word that reads or writes an image: how many registers a place in
// it takes; 0: not seen.
var (
	texturePlace = [8]byte{1, 2, 3, 3, 2, 3, 0, 4} // 1D, 2D, 3D, CUBE, ARRAY_1D, ARRAY_2D, -, ARRAY_CUBE
	surfacePlace = [8]byte{1, 0, 2, 2, 3, 3, 0, 0} // 1D, -, 1D_ARRAY, 2D, 2D_ARRAY, 3D, -, -
)

// images sets how many registers the operands of TEX, SULD and SUST take, where the word
// is of a form that is known: TEX with a level of detail and nothing else, surfaces by
// bytes. Bits 72 to 75 of TEX say which of four results there are; the first two stand
// in the first destination, the others in the second. Of surfaces bits 73 to 75 are the
// size.
//
// Source: where ptxas 13.5.37 puts operands and results of 50 PTX instructions (tex of
// all kinds with one, three and four results; suld.b and sust.b of all kinds and sizes),
// listed by nvdisasm 13.5.
func (x *shape) images(op, low, high uint64) {
	const formBits = 1<<(controlFirst-64) - 1
	form := high & formBits
	switch op {
	case 0xf60:
		n := byte(mathbits.OnesCount64(high >> 8 % 16))
		if place := texturePlace[low>>61]; form&^0xfff == 0x089e0000 && low>>48%(1<<13) == 0x08ff && n > 0 && place > 0 {
			*x = shape{d: min(n, 2), more: n - min(n, 2), a: place, b: 1, handle: true}
		}
	case 0xf99, 0xf9d:
		size, place := surfaceSize[high>>9%8], surfacePlace[low>>61]
		if want := map[uint64]uint64{0xf99: 0x081ea100, 0xf9d: 0x0810a100}[op]; form&^(7<<9) != want || size == 0 || place == 0 || low>>48%256 != 0xff {
			return
		}
		if *x = (shape{d: size, a: place, handle: true}); op == 0xf9d {
			*x = shape{a: place, b: size, handle: true}
		}
	}
}

// surfaceSize is how many registers the data of a surface takes: U8 S8 U16 S16 32 64 128.
var surfaceSize = [8]byte{1, 1, 1, 1, 1, 2, 4, 0}
