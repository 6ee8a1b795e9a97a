package sass

import mathbits "math/bits"

// Bits 61 to 63 of a word that reads or writes an image: how many registers a place in
// it takes; 0: not seen.
var (
	texturePlace = [8]byte{1, 2, 3, 3, 2, 3, 0, 4} // 1D, 2D, 3D, CUBE, ARRAY_1D, ARRAY_2D, -, ARRAY_CUBE
	surfacePlace = [8]byte{1, 0, 2, 2, 3, 3, 0, 0} // 1D, -, 1D_ARRAY, 2D, 2D_ARRAY, 3D, -, -
	gradients    = [8]byte{0, 4, 0, 0, 2, 4, 0, 0} // of TXD: two for each coordinate
)

// anyTexture is the most that a read of a texture may touch.
var anyTexture = shape{d: 4, more: 4, a: 4, b: 4, rough: true, handle: 2}

// imageForm is a form of a word: bits 76 to 104 and 48 to 60.
type imageForm struct{ op, high, low uint64 }

// textureForms are the forms of reads of textures that were seen, with how many registers
// their third operand takes: level of detail, sample, offsets.
var textureForms = map[imageForm]byte{
	{0xf60, 0x081e0000, 0x0ff}: 0, // TEX
	{0xf60, 0x089e0000, 0x8ff}: 1, // TEX.LL
	{0xf60, 0x089e0000, 0x9ff}: 2, // TEX.LL.AOFFI
	{0xf63, 0x081e0000, 0x0ff}: 0, // TLD4
	{0xf66, 0x081e0000, 0x0ff}: 0, // TLD.LZ
	{0xf66, 0x081e2000, 0x0ff}: 1, // TLD.LZ.MS
	{0xf66, 0x089e1000, 0x0ff}: 1, // TLD.LL.CL
	{0xf6c, 0x081e0000, 0x0ff}: 4, // TXD: see gradients
}

// images sets how many registers the operands of words take that read or write images,
// where the form is known. Bits 72 to 75 of a texture's say which of four results there
// are, and of a formatted store how much it writes; the first two results are in the
// first destination, the others in the second. Of other surfaces bits 73 to 75 are the size.
//
// Source: where ptxas 13.0.88 and 13.5.37 put operands and results of 500 PTX
// instructions (tex, tld4, txq, suld, sust, sured of all kinds, sizes and numbers of
// results), by what nvdisasm 13.5 -plr says that each reads.
func (x *shape) images(op, low, high uint64) {
	form := high & formBits
	n := byte(mathbits.OnesCount64(form >> 8 % 16))
	switch op {
	case 0xf60, 0xf63, 0xf66, 0xf6c:
		third, known := textureForms[imageForm{op, form &^ 0xfff, low >> 48 % (1 << 13)}]
		if op == 0xf6c {
			third = gradients[low>>61]
			known = known && third > 0
		}
		if place := texturePlace[low>>61]; known && n > 0 && place > 0 {
			*x = shape{d: min(n, 2), more: n - min(n, 2), a: place, b: third, handle: 2}
		}
	case 0xf6f:
		if form&^0xfff == 0x08000000 && n > 0 {
			*x = shape{d: min(n, 2), more: n - min(n, 2), a: 1, handle: 2}
		}
	case 0xf99, 0xf9b, 0xf9d, 0xf9f:
		x.surface(op, low, form, n)
	}
}

// surface is images for surfaces.
func (x *shape) surface(op, low, form uint64, components byte) {
	size, place := surfaceSize[form>>9%8], surfacePlace[low>>61]
	if place == 0 || low>>48%256 != 0xff {
		return
	}
	const sizes, components4, operation = uint64(7 << 9), uint64(15 << 8), uint64(15 << 23)
	switch {
	case op == 0xf99 && form&^sizes == 0x081ea100 && size > 0: // SULD
		*x = shape{d: size, a: place, handle: 1}
	case op == 0xf9d && form&^sizes == 0x0810a100 && size > 0: // SUST
		*x = shape{a: place, b: size, handle: 1}
	case op == 0xf9b && form&^components4 == 0x0810a000 && components > 0: // SUST.P
		*x = shape{a: place, b: components, handle: 1}
	case op == 0xf9f && form&^(sizes|operation) == 0x08114100 && form>>9%8 < 3: // SURED: 32 bits, signed, 64
		*x = shape{a: place, b: 1 + byte(form>>9%8/2), handle: 1}
	}
}

// surfaceSize is how many registers the data of a surface takes: U8 S8 U16 S16 32 64 128.
var surfaceSize = [8]byte{1, 1, 1, 1, 1, 2, 4, 0}
