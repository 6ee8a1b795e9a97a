package cuda

import "strconv"

// Section types, flags and names of device ELF files.
//
// Memory spaces have section types of their own in a relocatable file; a
// final image lowers them to PROGBITS and NOBITS. The types 0x70000082 and up
// belong to the Mercury group of sm_100 and later.
// Source: cuobjdump 13.2 -elf on cubins of ptxas 11.8 to 13.5.

// SectionType is sh_type.
type SectionType uint32

const (
	SHTNull        SectionType = 0
	SHTProgbits    SectionType = 1
	SHTSymtab      SectionType = 2
	SHTStrtab      SectionType = 3
	SHTRela        SectionType = 4
	SHTNote        SectionType = 7
	SHTNobits      SectionType = 8
	SHTRel         SectionType = 9
	SHTSymtabShndx SectionType = 18

	SHTCudaInfo           SectionType = 0x70000000 // .nv.info, .nv.info.<f>
	SHTCudaCallgraph      SectionType = 0x70000001 // .nv.callgraph
	SHTCudaPrototype      SectionType = 0x70000002 // .nv.prototype
	SHTCudaResolvedRela   SectionType = 0x70000003 // .nv.resolvedrela.<s>
	SHTCudaMetadata       SectionType = 0x70000004 // .nv.metadata
	SHTCudaPGOInfo        SectionType = 0x70000005
	SHTCudaConstant       SectionType = 0x70000006 // a constant bank, number in the name
	SHTCudaGlobal         SectionType = 0x70000007 // .nv.global, no bits
	SHTCudaGlobalInit     SectionType = 0x70000008 // .nv.global.init
	SHTCudaLocal          SectionType = 0x70000009 // .nv.local.<f>, no bits
	SHTCudaShared         SectionType = 0x7000000a // .nv.shared.<k>, .nv_debug.shared, no bits
	SHTCudaRelocInfo      SectionType = 0x7000000b // .nv.rel.action
	SHTCudaMercury        SectionType = 0x7000000c
	SHTCudaMercuryMap     SectionType = 0x7000000d
	SHTCudaUFT            SectionType = 0x7000000e // .nv.uft
	SHTCudaUFTIndex       SectionType = 0x70000010
	SHTCudaUFTEntry       SectionType = 0x70000011 // .nv.uft.entry
	SHTCudaUDT            SectionType = 0x70000012 // .nv.udt
	SHTCudaUDTEntry       SectionType = 0x70000014 // .nv.udt.entry
	SHTCudaSharedReserved SectionType = 0x70000015 // .nv.shared.reserved.<n>, no bits
	SHTCudaCapmerc        SectionType = 0x70000016 // .nv.capmerc.text.<f>

	SHTCudaConstant0  SectionType = 0x70000064 // .nv.constant0...; bank n is this plus n
	SHTCudaConstant17 SectionType = 0x70000075

	SHTMercEntryParams  SectionType = 0x70000078 // .nv.constant.entry_params
	SHTMercImageHeaders SectionType = 0x70000079 // .nv.constant.entry_image_header_indices
	SHTMercDriver       SectionType = 0x7000007a
	SHTMercOptimizer7b  SectionType = 0x7000007b
	SHTMercUser         SectionType = 0x7000007c // .nv.constant.user
	SHTMercPic          SectionType = 0x7000007d // .nv.constant.pic
	SHTMercToolsData    SectionType = 0x7000007e
	SHTMercRela         SectionType = 0x70000082 // .nv.merc.rela.<s>
	SHTMercInfo         SectionType = 0x70000083 // .nv.merc.nv.info
	SHTMercOptimizer    SectionType = 0x70000084 // .nv.constant.optimizer.<f>
	SHTMercSymtab       SectionType = 0x70000085 // .nv.merc.symtab
	SHTCudaCompat       SectionType = 0x70000086 // .nv.compat
	SHTCudaHost         SectionType = 0x70000087 // .nv.host
	SHTMercResolvedRela SectionType = 0x70000088 // .nv.merc.nv.resolvedrela.<s>
	SHTMercCallgraph    SectionType = 0x7000008a // 13.5
	SHTMercPrototype    SectionType = 0x7000008b // 13.5
)

// SectionFlags is sh_flags.
type SectionFlags uint64

const (
	SHFWrite    SectionFlags = 0x1
	SHFAlloc    SectionFlags = 0x2
	SHFExec     SectionFlags = 0x4
	SHFInfoLink SectionFlags = 0x40 // sh_info is a section: the owner, or a relocation section's target

	SHFCuinfo  SectionFlags = 0x01000000 // .note.nv.cuinfo
	SHFTkinfo  SectionFlags = 0x02000000 // .note.nv.tkinfo
	SHFMercury SectionFlags = 0x10000000 // belongs to the Mercury group

	// Barriers a function uses, in .text.<f> up to 12.x.
	SHFBarrierMask SectionFlags = 0x07f00000

	SHFBarrierShift = 20
)

var sectionTypeNames = map[SectionType]string{
	SHTNull:               "NULL",
	SHTProgbits:           "PROGBITS",
	SHTSymtab:             "SYMTAB",
	SHTStrtab:             "STRTAB",
	SHTRela:               "RELA",
	SHTNote:               "NOTE",
	SHTNobits:             "NOBITS",
	SHTRel:                "REL",
	SHTSymtabShndx:        "SYMTAB_SHNDX",
	SHTCudaInfo:           "CUDA_INFO",
	SHTCudaCallgraph:      "CUDA_CALLGRAPH",
	SHTCudaPrototype:      "CUDA_PROTOTYPE",
	SHTCudaResolvedRela:   "CUDA_RESOLVED_RELA",
	SHTCudaMetadata:       "CUDA_METADATA",
	SHTCudaPGOInfo:        "CUDA_PGO_INFO",
	SHTCudaConstant:       "CUDA_CONSTANT",
	SHTCudaGlobal:         "CUDA_GLOBAL",
	SHTCudaGlobalInit:     "CUDA_GLOBAL_INIT",
	SHTCudaLocal:          "CUDA_LOCAL",
	SHTCudaShared:         "CUDA_SHARED",
	SHTCudaRelocInfo:      "CUDA_RELOCINFO",
	SHTCudaMercury:        "CUDA_MERCURY",
	SHTCudaMercuryMap:     "CUDA_MERCURY_SASS_MAP",
	SHTCudaUFT:            "CUDA_UFT",
	SHTCudaUFTIndex:       "CUDA_UFT_INDEX",
	SHTCudaUFTEntry:       "CUDA_UFT_ENTRY",
	SHTCudaUDT:            "CUDA_UDT",
	SHTCudaUDTEntry:       "CUDA_UDT_ENTRY",
	SHTCudaSharedReserved: "CUDA_SHARED_RESERVED",
	SHTCudaCapmerc:        "CUDA_CAPMERC",
	SHTMercEntryParams:    "MERC_ENTRY_PARAMS",
	SHTMercImageHeaders:   "MERC_ENTRY_IMAGE_HEADER_INDICES",
	SHTMercDriver:         "MERC_DRIVER",
	SHTMercOptimizer7b:    "MERC_OPTIMIZER_7B",
	SHTMercUser:           "MERC_USER",
	SHTMercPic:            "MERC_PIC",
	SHTMercToolsData:      "MERC_TOOLS_DATA",
	SHTMercRela:           "MERC_RELA",
	SHTMercInfo:           "MERC_INFO",
	SHTMercOptimizer:      "MERC_OPTIMIZER",
	SHTMercSymtab:         "MERC_SYMTAB",
	SHTCudaCompat:         "CUDA_COMPAT",
	SHTCudaHost:           "CUDA_HOST",
	SHTMercResolvedRela:   "MERC_RESOLVED_RELA",
	SHTMercCallgraph:      "MERC_CALLGRAPH",
	SHTMercPrototype:      "MERC_PROTOTYPE",
}

// String returns the type's name, CUDA_CONSTANT_<n> for bank n, or the number.
func (t SectionType) String() string {
	if t >= SHTCudaConstant0 && t <= SHTCudaConstant17 {
		return "CUDA_CONSTANT_" + strconv.Itoa(int(t-SHTCudaConstant0))
	}
	if name, ok := sectionTypeNames[t]; ok {
		return name
	}
	return "0x" + strconv.FormatUint(uint64(t), 16)
}
