package cubin

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cuda"
)

// Section is a section header with every field as it is in the file.
type Section struct {
	NameOff uint32
	Type    cuda.SectionType
	Flags   cuda.SectionFlags
	Addr    uint64
	Off     uint64
	Size    uint64
	Link    uint32
	Info    uint32
	Align   uint64
	EntSize uint64
}

func decodeSection(b *[SectionSize]byte) Section {
	le := binary.LittleEndian
	return Section{
		NameOff: le.Uint32(b[0:]),
		Type:    cuda.SectionType(le.Uint32(b[4:])),
		Flags:   cuda.SectionFlags(le.Uint64(b[8:])),
		Addr:    le.Uint64(b[16:]),
		Off:     le.Uint64(b[24:]),
		Size:    le.Uint64(b[32:]),
		Link:    le.Uint32(b[40:]),
		Info:    le.Uint32(b[44:]),
		Align:   le.Uint64(b[48:]),
		EntSize: le.Uint64(b[56:]),
	}
}

// Put writes the section header to b.
func (s *Section) Put(b *[SectionSize]byte) {
	le := binary.LittleEndian
	le.PutUint32(b[0:], s.NameOff)
	le.PutUint32(b[4:], uint32(s.Type))
	le.PutUint64(b[8:], uint64(s.Flags))
	le.PutUint64(b[16:], s.Addr)
	le.PutUint64(b[24:], s.Off)
	le.PutUint64(b[32:], s.Size)
	le.PutUint32(b[40:], s.Link)
	le.PutUint32(b[44:], s.Info)
	le.PutUint64(b[48:], s.Align)
	le.PutUint64(b[56:], s.EntSize)
}

// NoBits reports whether the section's bytes are not in the file. The clones
// of shared memory in the Mercury group are: they keep the type of their
// SASS counterpart but do have bytes.
func (s *Section) NoBits() bool {
	if s.Type == cuda.SHTNobits || s.Type == cuda.SHTNull {
		return true
	}
	if s.Flags&cuda.SHFMercury != 0 {
		return false
	}
	return NoBitsSpace(s.Type)
}

// NoBitsSpace reports whether t is a memory space that is only reserved, never
// initialised, in a relocatable file.
func NoBitsSpace(t cuda.SectionType) bool {
	switch t {
	case cuda.SHTCudaGlobal, cuda.SHTCudaLocal, cuda.SHTCudaShared, cuda.SHTCudaSharedReserved:
		return true
	}
	return false
}

// ConstantBank returns the bank number of a section type of constant memory.
func ConstantBank(t cuda.SectionType) (int, bool) {
	if t >= cuda.SHTCudaConstant0 && t <= cuda.SHTCudaConstant17 {
		return int(t - cuda.SHTCudaConstant0), true
	}
	return 0, false
}

// Owner returns the index of the .text section that a per-function section
// belongs to, 0 where it has none. Toolkits up to 11.x don't set
// SHF_INFO_LINK, so that sh_info of the types that can have an owner counts
// there.
func (s *Section) Owner() uint32 {
	if s.Flags&cuda.SHFInfoLink != 0 {
		return s.Info
	}
	if _, ok := ConstantBank(s.Type); ok {
		return s.Info
	}
	switch s.Type {
	case cuda.SHTCudaShared, cuda.SHTCudaLocal, cuda.SHTCudaInfo:
		return s.Info
	}
	return 0
}
