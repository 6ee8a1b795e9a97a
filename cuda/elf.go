package cuda

// The ELF header of a device object.
//
// Two generations exist. Toolkits up to 12.x write EI_OSABI 0x33 and
// EI_ABIVERSION 7, put the toolkit (118, 124) into e_version and the SM number
// into the low byte of e_flags. From 13.0 on it is 0x41 and 8, e_version is 1,
// and e_flags is laid out again:
//
//	bit      31      24 23      16 15       8 7        0
//	0x33/7  |          | virtual SM| mode bits| SM       |
//	0x41/8  | cuinfo # |  SM (16 bits)        | kind     |
//
// where cuinfo # is the section index of .note.nv.cuinfo.
// Source: cubins of ptxas 11.8.89, 12.4.131, 13.0.88; nvlink of the same.

const (
	EMCuda = 190 // e_machine

	OSABILegacy = 0x33 // EI_OSABI up to 12.x
	OSABICuda13 = 0x41 // EI_OSABI from 13.0

	ABIVersionLegacy = 7
	ABIVersionCuda13 = 8

	ETRel  = 1
	ETExec = 2
	ETDyn  = 3
	ETEwp  = 0xff00 // relocatable, compiled with -ewp
)

// e_flags, OSABI 0x33.
const (
	EFLegacySM          = 0x000000ff
	EFLegacyTexUnified  = 0x00000100
	EFLegacyTexIndep    = 0x00000200
	EFLegacy64Bit       = 0x00000400
	EFLegacyAccelerator = 0x00000800 // the "a" of sm_90a
	EFLegacyVirtualSM   = 0x00ff0000
)

// e_flags, OSABI 0x41.
const (
	EFKind        = 0x000000ff
	EFKindCapmerc = 0x02 // SASS and Mercury capsule
	EFKindSASS    = 0x04 // SASS alone
	EFAccelerator = 0x08
	EFSMMask      = 0x00ffff00
	EFSMShift     = 8
	EFCuinfoShift = 24
)

// Section indices with a meaning of their own.
const (
	SHNUndef     = 0
	SHNLoReserve = 0xff00
	SHNAbs       = 0xfff1
	SHNCommon    = 0xfff2
	SHNXindex    = 0xffff
)
