package cuda

// Symbols: st_info and st_other.
//
// st_other holds more than the visibility of the ELF standard:
//
//	bit   7 6 5 | 4     | 3       | 2       | 1 0
//	      space | entry | obscure | managed | visibility
//
// Source: cuobjdump 13.2 -elf and readelf on cubins of ptxas 11.8 to 13.0.

// SymbolType is the low nibble of st_info.
type SymbolType uint8

const (
	STTNotype      SymbolType = 0
	STTObject      SymbolType = 1
	STTFunc        SymbolType = 2
	STTSection     SymbolType = 3
	STTFile        SymbolType = 4
	STTCudaTexture SymbolType = 10
	STTCudaSampler SymbolType = 11
	STTCudaSurface SymbolType = 12
	STTCudaObject  SymbolType = 13 // an OBJECT whose memory space is in st_other
)

// String returns the type's name.
func (t SymbolType) String() string {
	switch t {
	case STTNotype:
		return "NOTYPE"
	case STTObject:
		return "OBJECT"
	case STTFunc:
		return "FUNC"
	case STTSection:
		return "SECTION"
	case STTFile:
		return "FILE"
	case STTCudaTexture:
		return "CUDA_TEXTURE"
	case STTCudaSampler:
		return "CUDA_SAMPLER"
	case STTCudaSurface:
		return "CUDA_SURFACE"
	case STTCudaObject:
		return "CUDA_OBJECT"
	}
	return "?"
}

// Binding is the high nibble of st_info.
type Binding uint8

const (
	STBLocal  Binding = 0
	STBGlobal Binding = 1
	STBWeak   Binding = 2
)

// String returns the binding's name.
func (b Binding) String() string {
	switch b {
	case STBLocal:
		return "LOCAL"
	case STBGlobal:
		return "GLOBAL"
	case STBWeak:
		return "WEAK"
	}
	return "?"
}

// st_other.
const (
	STOVisibility = 0x03 // 0 default, 1 internal, 2 hidden, 3 protected
	STOInternal   = 0x01
	STOManaged    = 0x04
	STOObscure    = 0x08
	STOEntry      = 0x10 // a kernel
	STOSpace      = 0xe0

	STOGlobal         = 0x20
	STOShared         = 0x40
	STOLocal          = 0x60
	STOConstant       = 0x80
	STOReservedShared = 0xa0
)

// SpaceName returns the memory space of st_other, "" for none.
func SpaceName(other uint8) string {
	switch other & STOSpace {
	case STOGlobal:
		return "GLOBAL"
	case STOShared:
		return "SHARED"
	case STOLocal:
		return "LOCAL"
	case STOConstant:
		return "CONSTANT"
	case STOReservedShared:
		return "RESERVED_SHARED"
	}
	return ""
}
