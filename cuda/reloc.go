package cuda

// Relocation numbers of R_CUDA (0..116) and R_MERCURY (0x10000..0x1003f).
//
// What is unusual: R_CUDA numbers are not grouped by kind; a type's name ends
// in the lowest bit it patches and carries the width before it
// (R_CUDA_ABS32_26: 32 bits from bit 26), but not always: CONST_FIELD19_28
// splits nineteen bits over three places, and LO and HI are 32 bits wide and
// take the low and the high word of a 64-bit value.
//
// Source: numbers and names as cuobjdump 11.8, 12.4 and 13.2 print them; the
// resolver class as nvlink 11.8.89, 12.4.131 and 13.0.88 behave in one-record
// links. What a type does to the bits is not said here: the engine and the
// oracle each have a table of their own.

// Resolver says who replaces the place a relocation names by its value.
type Resolver uint8

const (
	ResolverNone      Resolver = iota // nobody: the two sentinels
	ResolverLinker                    // the device linker
	ResolverDriver                    // the driver, when it loads the image
	ResolverFinalizer                 // the Mercury finalizer
	ResolverEither                    // the linker where it knows the address, else the driver
)

// String returns the class as the tables of the field write it.
func (r Resolver) String() string {
	switch r {
	case ResolverNone:
		return "NONE"
	case ResolverLinker:
		return "LINKER"
	case ResolverDriver:
		return "DRIVER"
	case ResolverFinalizer:
		return "FINALIZER"
	case ResolverEither:
		return "EITHER"
	}
	return "?"
}

// RelocInfo is the vocabulary entry of one relocation type.
type RelocInfo struct {
	Name     string
	Resolver Resolver
}

// MercuryBase is added to the index of an R_MERCURY type to give its number.
const MercuryBase = 0x10000

const (
	R_CUDA_NONE                 = 0
	R_CUDA_32                   = 1
	R_CUDA_64                   = 2
	R_CUDA_G32                  = 3
	R_CUDA_G64                  = 4
	R_CUDA_ABS32_26             = 5
	R_CUDA_TEX_HEADER_INDEX     = 6
	R_CUDA_SAMP_HEADER_INDEX    = 7
	R_CUDA_SURF_HW_DESC         = 8
	R_CUDA_SURF_HW_SW_DESC      = 9
	R_CUDA_ABS32_LO_26          = 10
	R_CUDA_ABS32_HI_26          = 11
	R_CUDA_ABS32_23             = 12
	R_CUDA_ABS32_LO_23          = 13
	R_CUDA_ABS32_HI_23          = 14
	R_CUDA_ABS24_26             = 15
	R_CUDA_ABS24_23             = 16
	R_CUDA_ABS16_26             = 17
	R_CUDA_ABS16_23             = 18
	R_CUDA_TEX_SLOT             = 19
	R_CUDA_SAMP_SLOT            = 20
	R_CUDA_SURF_SLOT            = 21
	R_CUDA_TEX_BINDLESSOFF13_32 = 22
	R_CUDA_TEX_BINDLESSOFF13_47 = 23
	R_CUDA_CONST_FIELD19_28     = 24
	R_CUDA_CONST_FIELD19_23     = 25
	R_CUDA_TEX_SLOT9_49         = 26
	R_CUDA_6_31                 = 27
	R_CUDA_2_47                 = 28
	R_CUDA_TEX_BINDLESSOFF13_41 = 29
	R_CUDA_TEX_BINDLESSOFF13_45 = 30
	R_CUDA_FUNC_DESC32_23       = 31
	R_CUDA_FUNC_DESC32_LO_23    = 32
	R_CUDA_FUNC_DESC32_HI_23    = 33
	R_CUDA_FUNC_DESC_32         = 34
	R_CUDA_FUNC_DESC_64         = 35
	R_CUDA_CONST_FIELD21_26     = 36
	R_CUDA_QUERY_DESC21_37      = 37
	R_CUDA_CONST_FIELD19_26     = 38
	R_CUDA_CONST_FIELD21_23     = 39
	R_CUDA_PCREL_IMM24_26       = 40
	R_CUDA_PCREL_IMM24_23       = 41
	R_CUDA_ABS32_20             = 42
	R_CUDA_ABS32_LO_20          = 43
	R_CUDA_ABS32_HI_20          = 44
	R_CUDA_ABS24_20             = 45
	R_CUDA_ABS16_20             = 46
	R_CUDA_FUNC_DESC32_20       = 47
	R_CUDA_FUNC_DESC32_LO_20    = 48
	R_CUDA_FUNC_DESC32_HI_20    = 49
	R_CUDA_CONST_FIELD19_20     = 50
	R_CUDA_BINDLESSOFF13_36     = 51
	R_CUDA_SURF_HEADER_INDEX    = 52
	R_CUDA_INSTRUCTION64        = 53
	R_CUDA_CONST_FIELD21_20     = 54
	R_CUDA_ABS32_32             = 55
	R_CUDA_ABS32_LO_32          = 56
	R_CUDA_ABS32_HI_32          = 57
	R_CUDA_ABS47_34             = 58
	R_CUDA_ABS16_32             = 59
	R_CUDA_ABS24_32             = 60
	R_CUDA_FUNC_DESC32_32       = 61
	R_CUDA_FUNC_DESC32_LO_32    = 62
	R_CUDA_FUNC_DESC32_HI_32    = 63
	R_CUDA_CONST_FIELD19_40     = 64
	R_CUDA_BINDLESSOFF14_40     = 65
	R_CUDA_CONST_FIELD21_38     = 66
	R_CUDA_INSTRUCTION128       = 67
	R_CUDA_YIELD_OPCODE9_0      = 68
	R_CUDA_YIELD_CLEAR_PRED4_87 = 69
	R_CUDA_32_LO                = 70
	R_CUDA_32_HI                = 71
	R_CUDA_UNUSED_CLEAR32       = 72
	R_CUDA_UNUSED_CLEAR64       = 73
	R_CUDA_ABS24_40             = 74
	R_CUDA_ABS55_16_34          = 75
	R_CUDA_8_0                  = 76
	R_CUDA_8_8                  = 77
	R_CUDA_8_16                 = 78
	R_CUDA_8_24                 = 79
	R_CUDA_8_32                 = 80
	R_CUDA_8_40                 = 81
	R_CUDA_8_48                 = 82
	R_CUDA_8_56                 = 83
	R_CUDA_G8_0                 = 84
	R_CUDA_G8_8                 = 85
	R_CUDA_G8_16                = 86
	R_CUDA_G8_24                = 87
	R_CUDA_G8_32                = 88
	R_CUDA_G8_40                = 89
	R_CUDA_G8_48                = 90
	R_CUDA_G8_56                = 91
	R_CUDA_FUNC_DESC_8_0        = 92
	R_CUDA_FUNC_DESC_8_8        = 93
	R_CUDA_FUNC_DESC_8_16       = 94
	R_CUDA_FUNC_DESC_8_24       = 95
	R_CUDA_FUNC_DESC_8_32       = 96
	R_CUDA_FUNC_DESC_8_40       = 97
	R_CUDA_FUNC_DESC_8_48       = 98
	R_CUDA_FUNC_DESC_8_56       = 99
	R_CUDA_ABS20_44             = 100
	R_CUDA_SAMP_HEADER_INDEX_0  = 101
	R_CUDA_UNIFIED              = 102
	R_CUDA_UNIFIED_32           = 103
	R_CUDA_UNIFIED_8_0          = 104
	R_CUDA_UNIFIED_8_8          = 105
	R_CUDA_UNIFIED_8_16         = 106
	R_CUDA_UNIFIED_8_24         = 107
	R_CUDA_UNIFIED_8_32         = 108
	R_CUDA_UNIFIED_8_40         = 109
	R_CUDA_UNIFIED_8_48         = 110
	R_CUDA_UNIFIED_8_56         = 111
	R_CUDA_UNIFIED32_LO_32      = 112
	R_CUDA_UNIFIED32_HI_32      = 113
	R_CUDA_ABS56_16_34          = 114
	R_CUDA_CONST_FIELD22_37     = 115
	R_CUDA_NONE_LAST            = 116
)

const (
	R_MERCURY_NONE              = 0x10000
	R_MERCURY_G64               = 0x10001
	R_MERCURY_ABS64             = 0x10002
	R_MERCURY_ABS32             = 0x10003
	R_MERCURY_ABS16             = 0x10004
	R_MERCURY_ABS32_LO          = 0x10005
	R_MERCURY_ABS32_HI          = 0x10006
	R_MERCURY_PROG_REL64        = 0x10007
	R_MERCURY_PROG_REL32        = 0x10008
	R_MERCURY_PROG_REL32_LO     = 0x10009
	R_MERCURY_PROG_REL32_HI     = 0x1000a
	R_MERCURY_TEX_HEADER_INDEX  = 0x1000b
	R_MERCURY_SAMP_HEADER_INDEX = 0x1000c
	R_MERCURY_SURF_HEADER_INDEX = 0x1000d
	R_MERCURY_UNUSED_CLEAR64    = 0x1000e
	R_MERCURY_FUNC_DESC_64      = 0x1000f
	R_MERCURY_8_0               = 0x10010
	R_MERCURY_8_8               = 0x10011
	R_MERCURY_8_16              = 0x10012
	R_MERCURY_8_24              = 0x10013
	R_MERCURY_8_32              = 0x10014
	R_MERCURY_8_40              = 0x10015
	R_MERCURY_8_48              = 0x10016
	R_MERCURY_8_56              = 0x10017
	R_MERCURY_G8_0              = 0x10018
	R_MERCURY_G8_8              = 0x10019
	R_MERCURY_G8_16             = 0x1001a
	R_MERCURY_G8_24             = 0x1001b
	R_MERCURY_G8_32             = 0x1001c
	R_MERCURY_G8_40             = 0x1001d
	R_MERCURY_G8_48             = 0x1001e
	R_MERCURY_G8_56             = 0x1001f
	R_MERCURY_FUNC_DESC_8_0     = 0x10020
	R_MERCURY_FUNC_DESC_8_8     = 0x10021
	R_MERCURY_FUNC_DESC_8_16    = 0x10022
	R_MERCURY_FUNC_DESC_8_24    = 0x10023
	R_MERCURY_FUNC_DESC_8_32    = 0x10024
	R_MERCURY_FUNC_DESC_8_40    = 0x10025
	R_MERCURY_FUNC_DESC_8_48    = 0x10026
	R_MERCURY_FUNC_DESC_8_56    = 0x10027
	R_MERCURY_ABS_PROG_REL32_LO = 0x10028
	R_MERCURY_ABS_PROG_REL32_HI = 0x10029
	R_MERCURY_PROG_REL8_0       = 0x1002a
	R_MERCURY_PROG_REL8_8       = 0x1002b
	R_MERCURY_PROG_REL8_16      = 0x1002c
	R_MERCURY_PROG_REL8_24      = 0x1002d
	R_MERCURY_PROG_REL8_32      = 0x1002e
	R_MERCURY_PROG_REL8_40      = 0x1002f
	R_MERCURY_PROG_REL8_48      = 0x10030
	R_MERCURY_PROG_REL8_56      = 0x10031
	R_MERCURY_UNIFIED           = 0x10032
	R_MERCURY_UNIFIED_32        = 0x10033
	R_MERCURY_UNIFIED_8_0       = 0x10034
	R_MERCURY_UNIFIED_8_8       = 0x10035
	R_MERCURY_UNIFIED_8_16      = 0x10036
	R_MERCURY_UNIFIED_8_24      = 0x10037
	R_MERCURY_UNIFIED_8_32      = 0x10038
	R_MERCURY_UNIFIED_8_40      = 0x10039
	R_MERCURY_UNIFIED_8_48      = 0x1003a
	R_MERCURY_UNIFIED_8_56      = 0x1003b
	R_MERCURY_ABS_PROG_REL32    = 0x1003c
	R_MERCURY_ABS_PROG_REL64    = 0x1003d
	R_MERCURY_UNIFIED32_LO      = 0x1003e
	R_MERCURY_UNIFIED32_HI      = 0x1003f
)

// RelocCount is the number of R_CUDA types; the last is the sentinel.
const RelocCount = 117

// MercuryRelocCount is the number of R_MERCURY types.
const MercuryRelocCount = 64

// Relocs describes R_CUDA types by number.
var Relocs = [RelocCount]RelocInfo{
	R_CUDA_NONE:                 {"R_CUDA_NONE", ResolverNone},
	R_CUDA_32:                   {"R_CUDA_32", ResolverEither},
	R_CUDA_64:                   {"R_CUDA_64", ResolverEither},
	R_CUDA_G32:                  {"R_CUDA_G32", ResolverDriver},
	R_CUDA_G64:                  {"R_CUDA_G64", ResolverDriver},
	R_CUDA_ABS32_26:             {"R_CUDA_ABS32_26", ResolverEither},
	R_CUDA_TEX_HEADER_INDEX:     {"R_CUDA_TEX_HEADER_INDEX", ResolverDriver},
	R_CUDA_SAMP_HEADER_INDEX:    {"R_CUDA_SAMP_HEADER_INDEX", ResolverDriver},
	R_CUDA_SURF_HW_DESC:         {"R_CUDA_SURF_HW_DESC", ResolverDriver},
	R_CUDA_SURF_HW_SW_DESC:      {"R_CUDA_SURF_HW_SW_DESC", ResolverDriver},
	R_CUDA_ABS32_LO_26:          {"R_CUDA_ABS32_LO_26", ResolverEither},
	R_CUDA_ABS32_HI_26:          {"R_CUDA_ABS32_HI_26", ResolverEither},
	R_CUDA_ABS32_23:             {"R_CUDA_ABS32_23", ResolverEither},
	R_CUDA_ABS32_LO_23:          {"R_CUDA_ABS32_LO_23", ResolverEither},
	R_CUDA_ABS32_HI_23:          {"R_CUDA_ABS32_HI_23", ResolverEither},
	R_CUDA_ABS24_26:             {"R_CUDA_ABS24_26", ResolverLinker},
	R_CUDA_ABS24_23:             {"R_CUDA_ABS24_23", ResolverLinker},
	R_CUDA_ABS16_26:             {"R_CUDA_ABS16_26", ResolverLinker},
	R_CUDA_ABS16_23:             {"R_CUDA_ABS16_23", ResolverLinker},
	R_CUDA_TEX_SLOT:             {"R_CUDA_TEX_SLOT", ResolverLinker},
	R_CUDA_SAMP_SLOT:            {"R_CUDA_SAMP_SLOT", ResolverLinker},
	R_CUDA_SURF_SLOT:            {"R_CUDA_SURF_SLOT", ResolverLinker},
	R_CUDA_TEX_BINDLESSOFF13_32: {"R_CUDA_TEX_BINDLESSOFF13_32", ResolverLinker},
	R_CUDA_TEX_BINDLESSOFF13_47: {"R_CUDA_TEX_BINDLESSOFF13_47", ResolverLinker},
	R_CUDA_CONST_FIELD19_28:     {"R_CUDA_CONST_FIELD19_28", ResolverLinker},
	R_CUDA_CONST_FIELD19_23:     {"R_CUDA_CONST_FIELD19_23", ResolverLinker},
	R_CUDA_TEX_SLOT9_49:         {"R_CUDA_TEX_SLOT9_49", ResolverLinker},
	R_CUDA_6_31:                 {"R_CUDA_6_31", ResolverLinker},
	R_CUDA_2_47:                 {"R_CUDA_2_47", ResolverLinker},
	R_CUDA_TEX_BINDLESSOFF13_41: {"R_CUDA_TEX_BINDLESSOFF13_41", ResolverLinker},
	R_CUDA_TEX_BINDLESSOFF13_45: {"R_CUDA_TEX_BINDLESSOFF13_45", ResolverLinker},
	R_CUDA_FUNC_DESC32_23:       {"R_CUDA_FUNC_DESC32_23", ResolverDriver},
	R_CUDA_FUNC_DESC32_LO_23:    {"R_CUDA_FUNC_DESC32_LO_23", ResolverDriver},
	R_CUDA_FUNC_DESC32_HI_23:    {"R_CUDA_FUNC_DESC32_HI_23", ResolverDriver},
	R_CUDA_FUNC_DESC_32:         {"R_CUDA_FUNC_DESC_32", ResolverDriver},
	R_CUDA_FUNC_DESC_64:         {"R_CUDA_FUNC_DESC_64", ResolverDriver},
	R_CUDA_CONST_FIELD21_26:     {"R_CUDA_CONST_FIELD21_26", ResolverLinker},
	R_CUDA_QUERY_DESC21_37:      {"R_CUDA_QUERY_DESC21_37", ResolverLinker},
	R_CUDA_CONST_FIELD19_26:     {"R_CUDA_CONST_FIELD19_26", ResolverLinker},
	R_CUDA_CONST_FIELD21_23:     {"R_CUDA_CONST_FIELD21_23", ResolverLinker},
	R_CUDA_PCREL_IMM24_26:       {"R_CUDA_PCREL_IMM24_26", ResolverLinker},
	R_CUDA_PCREL_IMM24_23:       {"R_CUDA_PCREL_IMM24_23", ResolverLinker},
	R_CUDA_ABS32_20:             {"R_CUDA_ABS32_20", ResolverEither},
	R_CUDA_ABS32_LO_20:          {"R_CUDA_ABS32_LO_20", ResolverEither},
	R_CUDA_ABS32_HI_20:          {"R_CUDA_ABS32_HI_20", ResolverEither},
	R_CUDA_ABS24_20:             {"R_CUDA_ABS24_20", ResolverLinker},
	R_CUDA_ABS16_20:             {"R_CUDA_ABS16_20", ResolverLinker},
	R_CUDA_FUNC_DESC32_20:       {"R_CUDA_FUNC_DESC32_20", ResolverDriver},
	R_CUDA_FUNC_DESC32_LO_20:    {"R_CUDA_FUNC_DESC32_LO_20", ResolverDriver},
	R_CUDA_FUNC_DESC32_HI_20:    {"R_CUDA_FUNC_DESC32_HI_20", ResolverDriver},
	R_CUDA_CONST_FIELD19_20:     {"R_CUDA_CONST_FIELD19_20", ResolverLinker},
	R_CUDA_BINDLESSOFF13_36:     {"R_CUDA_BINDLESSOFF13_36", ResolverLinker},
	R_CUDA_SURF_HEADER_INDEX:    {"R_CUDA_SURF_HEADER_INDEX", ResolverDriver},
	R_CUDA_INSTRUCTION64:        {"R_CUDA_INSTRUCTION64", ResolverDriver},
	R_CUDA_CONST_FIELD21_20:     {"R_CUDA_CONST_FIELD21_20", ResolverLinker},
	R_CUDA_ABS32_32:             {"R_CUDA_ABS32_32", ResolverEither},
	R_CUDA_ABS32_LO_32:          {"R_CUDA_ABS32_LO_32", ResolverEither},
	R_CUDA_ABS32_HI_32:          {"R_CUDA_ABS32_HI_32", ResolverEither},
	R_CUDA_ABS47_34:             {"R_CUDA_ABS47_34", ResolverDriver},
	R_CUDA_ABS16_32:             {"R_CUDA_ABS16_32", ResolverLinker},
	R_CUDA_ABS24_32:             {"R_CUDA_ABS24_32", ResolverLinker},
	R_CUDA_FUNC_DESC32_32:       {"R_CUDA_FUNC_DESC32_32", ResolverDriver},
	R_CUDA_FUNC_DESC32_LO_32:    {"R_CUDA_FUNC_DESC32_LO_32", ResolverDriver},
	R_CUDA_FUNC_DESC32_HI_32:    {"R_CUDA_FUNC_DESC32_HI_32", ResolverDriver},
	R_CUDA_CONST_FIELD19_40:     {"R_CUDA_CONST_FIELD19_40", ResolverLinker},
	R_CUDA_BINDLESSOFF14_40:     {"R_CUDA_BINDLESSOFF14_40", ResolverLinker},
	R_CUDA_CONST_FIELD21_38:     {"R_CUDA_CONST_FIELD21_38", ResolverLinker},
	R_CUDA_INSTRUCTION128:       {"R_CUDA_INSTRUCTION128", ResolverDriver},
	R_CUDA_YIELD_OPCODE9_0:      {"R_CUDA_YIELD_OPCODE9_0", ResolverLinker},
	R_CUDA_YIELD_CLEAR_PRED4_87: {"R_CUDA_YIELD_CLEAR_PRED4_87", ResolverLinker},
	R_CUDA_32_LO:                {"R_CUDA_32_LO", ResolverEither},
	R_CUDA_32_HI:                {"R_CUDA_32_HI", ResolverEither},
	R_CUDA_UNUSED_CLEAR32:       {"R_CUDA_UNUSED_CLEAR32", ResolverLinker},
	R_CUDA_UNUSED_CLEAR64:       {"R_CUDA_UNUSED_CLEAR64", ResolverLinker},
	R_CUDA_ABS24_40:             {"R_CUDA_ABS24_40", ResolverLinker},
	R_CUDA_ABS55_16_34:          {"R_CUDA_ABS55_16_34", ResolverDriver},
	R_CUDA_8_0:                  {"R_CUDA_8_0", ResolverEither},
	R_CUDA_8_8:                  {"R_CUDA_8_8", ResolverEither},
	R_CUDA_8_16:                 {"R_CUDA_8_16", ResolverEither},
	R_CUDA_8_24:                 {"R_CUDA_8_24", ResolverEither},
	R_CUDA_8_32:                 {"R_CUDA_8_32", ResolverEither},
	R_CUDA_8_40:                 {"R_CUDA_8_40", ResolverEither},
	R_CUDA_8_48:                 {"R_CUDA_8_48", ResolverEither},
	R_CUDA_8_56:                 {"R_CUDA_8_56", ResolverEither},
	R_CUDA_G8_0:                 {"R_CUDA_G8_0", ResolverDriver},
	R_CUDA_G8_8:                 {"R_CUDA_G8_8", ResolverDriver},
	R_CUDA_G8_16:                {"R_CUDA_G8_16", ResolverDriver},
	R_CUDA_G8_24:                {"R_CUDA_G8_24", ResolverDriver},
	R_CUDA_G8_32:                {"R_CUDA_G8_32", ResolverDriver},
	R_CUDA_G8_40:                {"R_CUDA_G8_40", ResolverDriver},
	R_CUDA_G8_48:                {"R_CUDA_G8_48", ResolverDriver},
	R_CUDA_G8_56:                {"R_CUDA_G8_56", ResolverDriver},
	R_CUDA_FUNC_DESC_8_0:        {"R_CUDA_FUNC_DESC_8_0", ResolverDriver},
	R_CUDA_FUNC_DESC_8_8:        {"R_CUDA_FUNC_DESC_8_8", ResolverDriver},
	R_CUDA_FUNC_DESC_8_16:       {"R_CUDA_FUNC_DESC_8_16", ResolverDriver},
	R_CUDA_FUNC_DESC_8_24:       {"R_CUDA_FUNC_DESC_8_24", ResolverDriver},
	R_CUDA_FUNC_DESC_8_32:       {"R_CUDA_FUNC_DESC_8_32", ResolverDriver},
	R_CUDA_FUNC_DESC_8_40:       {"R_CUDA_FUNC_DESC_8_40", ResolverDriver},
	R_CUDA_FUNC_DESC_8_48:       {"R_CUDA_FUNC_DESC_8_48", ResolverDriver},
	R_CUDA_FUNC_DESC_8_56:       {"R_CUDA_FUNC_DESC_8_56", ResolverDriver},
	R_CUDA_ABS20_44:             {"R_CUDA_ABS20_44", ResolverLinker},
	R_CUDA_SAMP_HEADER_INDEX_0:  {"R_CUDA_SAMP_HEADER_INDEX_0", ResolverDriver},
	R_CUDA_UNIFIED:              {"R_CUDA_UNIFIED", ResolverDriver},
	R_CUDA_UNIFIED_32:           {"R_CUDA_UNIFIED_32", ResolverDriver},
	R_CUDA_UNIFIED_8_0:          {"R_CUDA_UNIFIED_8_0", ResolverDriver},
	R_CUDA_UNIFIED_8_8:          {"R_CUDA_UNIFIED_8_8", ResolverDriver},
	R_CUDA_UNIFIED_8_16:         {"R_CUDA_UNIFIED_8_16", ResolverDriver},
	R_CUDA_UNIFIED_8_24:         {"R_CUDA_UNIFIED_8_24", ResolverDriver},
	R_CUDA_UNIFIED_8_32:         {"R_CUDA_UNIFIED_8_32", ResolverDriver},
	R_CUDA_UNIFIED_8_40:         {"R_CUDA_UNIFIED_8_40", ResolverDriver},
	R_CUDA_UNIFIED_8_48:         {"R_CUDA_UNIFIED_8_48", ResolverDriver},
	R_CUDA_UNIFIED_8_56:         {"R_CUDA_UNIFIED_8_56", ResolverDriver},
	R_CUDA_UNIFIED32_LO_32:      {"R_CUDA_UNIFIED32_LO_32", ResolverDriver},
	R_CUDA_UNIFIED32_HI_32:      {"R_CUDA_UNIFIED32_HI_32", ResolverDriver},
	R_CUDA_ABS56_16_34:          {"R_CUDA_ABS56_16_34", ResolverDriver},
	R_CUDA_CONST_FIELD22_37:     {"R_CUDA_CONST_FIELD22_37", ResolverLinker},
	R_CUDA_NONE_LAST:            {"R_CUDA_NONE_LAST", ResolverNone},
}

// MercuryRelocs describes R_MERCURY types by number minus MercuryBase.
var MercuryRelocs = [MercuryRelocCount]RelocInfo{
	R_MERCURY_NONE - MercuryBase:              {"R_MERCURY_NONE", ResolverNone},
	R_MERCURY_G64 - MercuryBase:               {"R_MERCURY_G64", ResolverDriver},
	R_MERCURY_ABS64 - MercuryBase:             {"R_MERCURY_ABS64", ResolverEither},
	R_MERCURY_ABS32 - MercuryBase:             {"R_MERCURY_ABS32", ResolverEither},
	R_MERCURY_ABS16 - MercuryBase:             {"R_MERCURY_ABS16", ResolverEither},
	R_MERCURY_ABS32_LO - MercuryBase:          {"R_MERCURY_ABS32_LO", ResolverDriver},
	R_MERCURY_ABS32_HI - MercuryBase:          {"R_MERCURY_ABS32_HI", ResolverDriver},
	R_MERCURY_PROG_REL64 - MercuryBase:        {"R_MERCURY_PROG_REL64", ResolverFinalizer},
	R_MERCURY_PROG_REL32 - MercuryBase:        {"R_MERCURY_PROG_REL32", ResolverFinalizer},
	R_MERCURY_PROG_REL32_LO - MercuryBase:     {"R_MERCURY_PROG_REL32_LO", ResolverFinalizer},
	R_MERCURY_PROG_REL32_HI - MercuryBase:     {"R_MERCURY_PROG_REL32_HI", ResolverFinalizer},
	R_MERCURY_TEX_HEADER_INDEX - MercuryBase:  {"R_MERCURY_TEX_HEADER_INDEX", ResolverDriver},
	R_MERCURY_SAMP_HEADER_INDEX - MercuryBase: {"R_MERCURY_SAMP_HEADER_INDEX", ResolverDriver},
	R_MERCURY_SURF_HEADER_INDEX - MercuryBase: {"R_MERCURY_SURF_HEADER_INDEX", ResolverDriver},
	R_MERCURY_UNUSED_CLEAR64 - MercuryBase:    {"R_MERCURY_UNUSED_CLEAR64", ResolverLinker},
	R_MERCURY_FUNC_DESC_64 - MercuryBase:      {"R_MERCURY_FUNC_DESC_64", ResolverDriver},
	R_MERCURY_8_0 - MercuryBase:               {"R_MERCURY_8_0", ResolverEither},
	R_MERCURY_8_8 - MercuryBase:               {"R_MERCURY_8_8", ResolverEither},
	R_MERCURY_8_16 - MercuryBase:              {"R_MERCURY_8_16", ResolverEither},
	R_MERCURY_8_24 - MercuryBase:              {"R_MERCURY_8_24", ResolverEither},
	R_MERCURY_8_32 - MercuryBase:              {"R_MERCURY_8_32", ResolverEither},
	R_MERCURY_8_40 - MercuryBase:              {"R_MERCURY_8_40", ResolverEither},
	R_MERCURY_8_48 - MercuryBase:              {"R_MERCURY_8_48", ResolverEither},
	R_MERCURY_8_56 - MercuryBase:              {"R_MERCURY_8_56", ResolverEither},
	R_MERCURY_G8_0 - MercuryBase:              {"R_MERCURY_G8_0", ResolverDriver},
	R_MERCURY_G8_8 - MercuryBase:              {"R_MERCURY_G8_8", ResolverDriver},
	R_MERCURY_G8_16 - MercuryBase:             {"R_MERCURY_G8_16", ResolverDriver},
	R_MERCURY_G8_24 - MercuryBase:             {"R_MERCURY_G8_24", ResolverDriver},
	R_MERCURY_G8_32 - MercuryBase:             {"R_MERCURY_G8_32", ResolverDriver},
	R_MERCURY_G8_40 - MercuryBase:             {"R_MERCURY_G8_40", ResolverDriver},
	R_MERCURY_G8_48 - MercuryBase:             {"R_MERCURY_G8_48", ResolverDriver},
	R_MERCURY_G8_56 - MercuryBase:             {"R_MERCURY_G8_56", ResolverDriver},
	R_MERCURY_FUNC_DESC_8_0 - MercuryBase:     {"R_MERCURY_FUNC_DESC_8_0", ResolverDriver},
	R_MERCURY_FUNC_DESC_8_8 - MercuryBase:     {"R_MERCURY_FUNC_DESC_8_8", ResolverDriver},
	R_MERCURY_FUNC_DESC_8_16 - MercuryBase:    {"R_MERCURY_FUNC_DESC_8_16", ResolverDriver},
	R_MERCURY_FUNC_DESC_8_24 - MercuryBase:    {"R_MERCURY_FUNC_DESC_8_24", ResolverDriver},
	R_MERCURY_FUNC_DESC_8_32 - MercuryBase:    {"R_MERCURY_FUNC_DESC_8_32", ResolverDriver},
	R_MERCURY_FUNC_DESC_8_40 - MercuryBase:    {"R_MERCURY_FUNC_DESC_8_40", ResolverDriver},
	R_MERCURY_FUNC_DESC_8_48 - MercuryBase:    {"R_MERCURY_FUNC_DESC_8_48", ResolverDriver},
	R_MERCURY_FUNC_DESC_8_56 - MercuryBase:    {"R_MERCURY_FUNC_DESC_8_56", ResolverDriver},
	R_MERCURY_ABS_PROG_REL32_LO - MercuryBase: {"R_MERCURY_ABS_PROG_REL32_LO", ResolverDriver},
	R_MERCURY_ABS_PROG_REL32_HI - MercuryBase: {"R_MERCURY_ABS_PROG_REL32_HI", ResolverDriver},
	R_MERCURY_PROG_REL8_0 - MercuryBase:       {"R_MERCURY_PROG_REL8_0", ResolverFinalizer},
	R_MERCURY_PROG_REL8_8 - MercuryBase:       {"R_MERCURY_PROG_REL8_8", ResolverFinalizer},
	R_MERCURY_PROG_REL8_16 - MercuryBase:      {"R_MERCURY_PROG_REL8_16", ResolverFinalizer},
	R_MERCURY_PROG_REL8_24 - MercuryBase:      {"R_MERCURY_PROG_REL8_24", ResolverFinalizer},
	R_MERCURY_PROG_REL8_32 - MercuryBase:      {"R_MERCURY_PROG_REL8_32", ResolverFinalizer},
	R_MERCURY_PROG_REL8_40 - MercuryBase:      {"R_MERCURY_PROG_REL8_40", ResolverFinalizer},
	R_MERCURY_PROG_REL8_48 - MercuryBase:      {"R_MERCURY_PROG_REL8_48", ResolverFinalizer},
	R_MERCURY_PROG_REL8_56 - MercuryBase:      {"R_MERCURY_PROG_REL8_56", ResolverFinalizer},
	R_MERCURY_UNIFIED - MercuryBase:           {"R_MERCURY_UNIFIED", ResolverDriver},
	R_MERCURY_UNIFIED_32 - MercuryBase:        {"R_MERCURY_UNIFIED_32", ResolverDriver},
	R_MERCURY_UNIFIED_8_0 - MercuryBase:       {"R_MERCURY_UNIFIED_8_0", ResolverDriver},
	R_MERCURY_UNIFIED_8_8 - MercuryBase:       {"R_MERCURY_UNIFIED_8_8", ResolverDriver},
	R_MERCURY_UNIFIED_8_16 - MercuryBase:      {"R_MERCURY_UNIFIED_8_16", ResolverDriver},
	R_MERCURY_UNIFIED_8_24 - MercuryBase:      {"R_MERCURY_UNIFIED_8_24", ResolverDriver},
	R_MERCURY_UNIFIED_8_32 - MercuryBase:      {"R_MERCURY_UNIFIED_8_32", ResolverDriver},
	R_MERCURY_UNIFIED_8_40 - MercuryBase:      {"R_MERCURY_UNIFIED_8_40", ResolverDriver},
	R_MERCURY_UNIFIED_8_48 - MercuryBase:      {"R_MERCURY_UNIFIED_8_48", ResolverDriver},
	R_MERCURY_UNIFIED_8_56 - MercuryBase:      {"R_MERCURY_UNIFIED_8_56", ResolverDriver},
	R_MERCURY_ABS_PROG_REL32 - MercuryBase:    {"R_MERCURY_ABS_PROG_REL32", ResolverDriver},
	R_MERCURY_ABS_PROG_REL64 - MercuryBase:    {"R_MERCURY_ABS_PROG_REL64", ResolverDriver},
	R_MERCURY_UNIFIED32_LO - MercuryBase:      {"R_MERCURY_UNIFIED32_LO", ResolverDriver},
	R_MERCURY_UNIFIED32_HI - MercuryBase:      {"R_MERCURY_UNIFIED32_HI", ResolverDriver},
}

// LookupReloc returns the entry of a relocation number of either table.
func LookupReloc(number uint32) (RelocInfo, bool) {
	switch {
	case number < RelocCount:
		return Relocs[number], true
	case number-MercuryBase < MercuryRelocCount: // of a smaller number the difference is huge
		return MercuryRelocs[number-MercuryBase], true
	}
	return RelocInfo{}, false
}
