package cuda

// Attributes of .nv.info and .nv.info.<function> (EIATTR).
//
// Each record is {u8 format, u8 attribute, value}; formats 1 to 3 take four
// bytes in all, format 4 has a u16 size and as many bytes after it:
//
//	byte    0        1          2   3      4 ...
//	      +--------+----------+---+---+
//	NVAL  | 1      | EIATTR   | 0   0 |
//	BVAL  | 2      | EIATTR   | v   0 |
//	HVAL  | 3      | EIATTR   | v v   |
//	SVAL  | 4      | EIATTR   | size  | size bytes
//	      +--------+----------+---+---+
//
// Source: names and numbers as cuobjdump 13.2 prints them, formats from
// cubins of ptxas 11.8, 12.4 and 13.0; those never seen in a cubin have
// format 0. Names of numbers 97 and up: cuobjdump 13.2 prints none.

// InfoFormat is the first byte of an .nv.info record.
type InfoFormat uint8

const (
	FormatUnknown InfoFormat = iota
	FormatNone               // EIFMT_NVAL: no value
	FormatByte               // EIFMT_BVAL: one byte
	FormatHalf               // EIFMT_HVAL: two bytes
	FormatSized              // EIFMT_SVAL: u16 size and so many bytes
)

// String returns the name cuobjdump prints.
func (f InfoFormat) String() string {
	switch f {
	case FormatNone:
		return "EIFMT_NVAL"
	case FormatByte:
		return "EIFMT_BVAL"
	case FormatHalf:
		return "EIFMT_HVAL"
	case FormatSized:
		return "EIFMT_SVAL"
	}
	return "EIFMT_?"
}

// InfoAttr is the number of an .nv.info attribute.
type InfoAttr uint8

const (
	AttrError                      InfoAttr = 0
	AttrPad                        InfoAttr = 1
	AttrImageSlot                  InfoAttr = 2
	AttrJumptableRelocs            InfoAttr = 3
	AttrCtaidzUsed                 InfoAttr = 4
	AttrMaxThreads                 InfoAttr = 5
	AttrImageOffset                InfoAttr = 6
	AttrImageSize                  InfoAttr = 7
	AttrTextureNormalized          InfoAttr = 8
	AttrSamplerInit                InfoAttr = 9
	AttrParamCbank                 InfoAttr = 10
	AttrSmemParamOffsets           InfoAttr = 11
	AttrCbankParamOffsets          InfoAttr = 12
	AttrSyncStack                  InfoAttr = 13
	AttrTexidSampidMap             InfoAttr = 14
	AttrExterns                    InfoAttr = 15
	AttrReqntid                    InfoAttr = 16
	AttrFrameSize                  InfoAttr = 17
	AttrMinStackSize               InfoAttr = 18
	AttrSamplerForceUnnormalized   InfoAttr = 19
	AttrBindlessImageOffsets       InfoAttr = 20
	AttrBindlessTextureBank        InfoAttr = 21
	AttrBindlessSurfaceBank        InfoAttr = 22
	AttrKparamInfo                 InfoAttr = 23
	AttrSmemParamSize              InfoAttr = 24
	AttrCbankParamSize             InfoAttr = 25
	AttrQueryNumattrib             InfoAttr = 26
	AttrMaxregCount                InfoAttr = 27
	AttrExitInstrOffsets           InfoAttr = 28
	AttrS2rctaidInstrOffsets       InfoAttr = 29
	AttrCrsStackSize               InfoAttr = 30
	AttrNeedCnpWrapper             InfoAttr = 31
	AttrNeedCnpPatch               InfoAttr = 32
	AttrExplicitCaching            InfoAttr = 33
	AttrIstypepUsed                InfoAttr = 34
	AttrMaxStackSize               InfoAttr = 35
	AttrSuqUsed                    InfoAttr = 36
	AttrLdCachemodInstrOffsets     InfoAttr = 37
	AttrLoadCacheRequest           InfoAttr = 38
	AttrAtomSysInstrOffsets        InfoAttr = 39
	AttrCoopGroupInstrOffsets      InfoAttr = 40
	AttrCoopGroupMaskRegids        InfoAttr = 41
	AttrSw1850030War               InfoAttr = 42
	AttrWmmaUsed                   InfoAttr = 43
	AttrHasPreV10Object            InfoAttr = 44
	AttrAtomf16EmulInstrOffsets    InfoAttr = 45
	AttrAtom16EmulInstrRegMap      InfoAttr = 46
	AttrRegcount                   InfoAttr = 47
	AttrSw2393858War               InfoAttr = 48
	AttrIntWarpWideInstrOffsets    InfoAttr = 49
	AttrSharedScratch              InfoAttr = 50
	AttrStatistics                 InfoAttr = 51
	AttrIndirectBranchTargets      InfoAttr = 52
	AttrSw2861232War               InfoAttr = 53
	AttrSwWar                      InfoAttr = 54
	AttrCudaApiVersion             InfoAttr = 55
	AttrNumMbarriers               InfoAttr = 56
	AttrMbarrierInstrOffsets       InfoAttr = 57
	AttrCoroutineResumeOffsets     InfoAttr = 58
	AttrSamRegionStackSize         InfoAttr = 59
	AttrPerRegTargetPerfStats      InfoAttr = 60
	AttrCtaPerCluster              InfoAttr = 61
	AttrExplicitCluster            InfoAttr = 62
	AttrMaxClusterRank             InfoAttr = 63
	AttrInstrRegMap                InfoAttr = 64
	AttrReservedSmemUsed           InfoAttr = 65
	AttrReservedSmem0Size          InfoAttr = 66
	AttrUcodeSectionData           InfoAttr = 67
	AttrUnusedLoadByteOffset       InfoAttr = 68
	AttrKparamInfoV2               InfoAttr = 69
	AttrSyscallOffsets             InfoAttr = 70
	AttrSwWarMembarSysInstrOffsets InfoAttr = 71
	AttrGraphicsGlobalCbank        InfoAttr = 72
	AttrShaderType                 InfoAttr = 73
	AttrVrcCtaInitCount            InfoAttr = 74
	AttrToolsPatchFunc             InfoAttr = 75
	AttrNumBarriers                InfoAttr = 76
	AttrTexmodeIndependent         InfoAttr = 77
	AttrPerfStatistics             InfoAttr = 78
	AttrAtEntryFragements          InfoAttr = 79
	AttrSparseMmaMask              InfoAttr = 80
	AttrTcgen051ctaUsed            InfoAttr = 81
	AttrTcgen052ctaUsed            InfoAttr = 82
	AttrGenErrbarAtExit            InfoAttr = 83
	AttrRegReconfig                InfoAttr = 84
	AttrAnnotations                InfoAttr = 85
	AttrUnknown                    InfoAttr = 86
	AttrStackCanaryTrapOffsets     InfoAttr = 87
	AttrStubFunctionKind           InfoAttr = 88
	AttrLocalCtaAsyncStoreOffsets  InfoAttr = 89
	AttrMercuryFinalizerOptions    InfoAttr = 90
	AttrBlocksAreClusters          InfoAttr = 91
	AttrSanitize                   InfoAttr = 92
	AttrSyscallsFallback           InfoAttr = 93
	AttrCudaReq                    InfoAttr = 94
	AttrMercuryIsaVersion          InfoAttr = 95
	AttrErrorLast                  InfoAttr = 96
)

// InfoAttrInfo is the vocabulary entry of one attribute. Format is the one
// ptxas emits, or FormatUnknown where no cubin was seen to carry it.
type InfoAttrInfo struct {
	Name   string
	Format InfoFormat
}

// InfoAttrs describes attributes by number.
var InfoAttrs = [...]InfoAttrInfo{
	AttrError:                      {"EIATTR_ERROR", FormatUnknown},
	AttrPad:                        {"EIATTR_PAD", FormatNone},
	AttrImageSlot:                  {"EIATTR_IMAGE_SLOT", FormatSized},
	AttrJumptableRelocs:            {"EIATTR_JUMPTABLE_RELOCS", FormatSized},
	AttrCtaidzUsed:                 {"EIATTR_CTAIDZ_USED", FormatNone},
	AttrMaxThreads:                 {"EIATTR_MAX_THREADS", FormatSized},
	AttrImageOffset:                {"EIATTR_IMAGE_OFFSET", FormatSized},
	AttrImageSize:                  {"EIATTR_IMAGE_SIZE", FormatSized},
	AttrTextureNormalized:          {"EIATTR_TEXTURE_NORMALIZED", FormatSized},
	AttrSamplerInit:                {"EIATTR_SAMPLER_INIT", FormatSized},
	AttrParamCbank:                 {"EIATTR_PARAM_CBANK", FormatSized},
	AttrSmemParamOffsets:           {"EIATTR_SMEM_PARAM_OFFSETS", FormatSized},
	AttrCbankParamOffsets:          {"EIATTR_CBANK_PARAM_OFFSETS", FormatSized},
	AttrSyncStack:                  {"EIATTR_SYNC_STACK", FormatSized},
	AttrTexidSampidMap:             {"EIATTR_TEXID_SAMPID_MAP", FormatSized},
	AttrExterns:                    {"EIATTR_EXTERNS", FormatSized},
	AttrReqntid:                    {"EIATTR_REQNTID", FormatSized},
	AttrFrameSize:                  {"EIATTR_FRAME_SIZE", FormatSized},
	AttrMinStackSize:               {"EIATTR_MIN_STACK_SIZE", FormatSized},
	AttrSamplerForceUnnormalized:   {"EIATTR_SAMPLER_FORCE_UNNORMALIZED", FormatSized},
	AttrBindlessImageOffsets:       {"EIATTR_BINDLESS_IMAGE_OFFSETS", FormatSized},
	AttrBindlessTextureBank:        {"EIATTR_BINDLESS_TEXTURE_BANK", FormatByte},
	AttrBindlessSurfaceBank:        {"EIATTR_BINDLESS_SURFACE_BANK", FormatByte},
	AttrKparamInfo:                 {"EIATTR_KPARAM_INFO", FormatSized},
	AttrSmemParamSize:              {"EIATTR_SMEM_PARAM_SIZE", FormatHalf},
	AttrCbankParamSize:             {"EIATTR_CBANK_PARAM_SIZE", FormatHalf},
	AttrQueryNumattrib:             {"EIATTR_QUERY_NUMATTRIB", FormatUnknown},
	AttrMaxregCount:                {"EIATTR_MAXREG_COUNT", FormatHalf},
	AttrExitInstrOffsets:           {"EIATTR_EXIT_INSTR_OFFSETS", FormatSized},
	AttrS2rctaidInstrOffsets:       {"EIATTR_S2RCTAID_INSTR_OFFSETS", FormatSized},
	AttrCrsStackSize:               {"EIATTR_CRS_STACK_SIZE", FormatSized},
	AttrNeedCnpWrapper:             {"EIATTR_NEED_CNP_WRAPPER", FormatNone},
	AttrNeedCnpPatch:               {"EIATTR_NEED_CNP_PATCH", FormatNone},
	AttrExplicitCaching:            {"EIATTR_EXPLICIT_CACHING", FormatNone},
	AttrIstypepUsed:                {"EIATTR_ISTYPEP_USED", FormatNone},
	AttrMaxStackSize:               {"EIATTR_MAX_STACK_SIZE", FormatSized},
	AttrSuqUsed:                    {"EIATTR_SUQ_USED", FormatNone},
	AttrLdCachemodInstrOffsets:     {"EIATTR_LD_CACHEMOD_INSTR_OFFSETS", FormatSized},
	AttrLoadCacheRequest:           {"EIATTR_LOAD_CACHE_REQUEST", FormatSized},
	AttrAtomSysInstrOffsets:        {"EIATTR_ATOM_SYS_INSTR_OFFSETS", FormatSized},
	AttrCoopGroupInstrOffsets:      {"EIATTR_COOP_GROUP_INSTR_OFFSETS", FormatSized},
	AttrCoopGroupMaskRegids:        {"EIATTR_COOP_GROUP_MASK_REGIDS", FormatSized},
	AttrSw1850030War:               {"EIATTR_SW1850030_WAR", FormatNone},
	AttrWmmaUsed:                   {"EIATTR_WMMA_USED", FormatNone},
	AttrHasPreV10Object:            {"EIATTR_HAS_PRE_V10_OBJECT", FormatNone},
	AttrAtomf16EmulInstrOffsets:    {"EIATTR_ATOMF16_EMUL_INSTR_OFFSETS", FormatSized},
	AttrAtom16EmulInstrRegMap:      {"EIATTR_ATOM16_EMUL_INSTR_REG_MAP", FormatSized},
	AttrRegcount:                   {"EIATTR_REGCOUNT", FormatSized},
	AttrSw2393858War:               {"EIATTR_SW2393858_WAR", FormatSized},
	AttrIntWarpWideInstrOffsets:    {"EIATTR_INT_WARP_WIDE_INSTR_OFFSETS", FormatSized},
	AttrSharedScratch:              {"EIATTR_SHARED_SCRATCH", FormatSized},
	AttrStatistics:                 {"EIATTR_STATISTICS", FormatSized},
	AttrIndirectBranchTargets:      {"EIATTR_INDIRECT_BRANCH_TARGETS", FormatSized},
	AttrSw2861232War:               {"EIATTR_SW2861232_WAR", FormatNone},
	AttrSwWar:                      {"EIATTR_SW_WAR", FormatSized},
	AttrCudaApiVersion:             {"EIATTR_CUDA_API_VERSION", FormatSized},
	AttrNumMbarriers:               {"EIATTR_NUM_MBARRIERS", FormatSized},
	AttrMbarrierInstrOffsets:       {"EIATTR_MBARRIER_INSTR_OFFSETS", FormatSized},
	AttrCoroutineResumeOffsets:     {"EIATTR_COROUTINE_RESUME_OFFSETS", FormatSized},
	AttrSamRegionStackSize:         {"EIATTR_SAM_REGION_STACK_SIZE", FormatSized},
	AttrPerRegTargetPerfStats:      {"EIATTR_PER_REG_TARGET_PERF_STATS", FormatSized},
	AttrCtaPerCluster:              {"EIATTR_CTA_PER_CLUSTER", FormatSized},
	AttrExplicitCluster:            {"EIATTR_EXPLICIT_CLUSTER", FormatNone},
	AttrMaxClusterRank:             {"EIATTR_MAX_CLUSTER_RANK", FormatSized},
	AttrInstrRegMap:                {"EIATTR_INSTR_REG_MAP", FormatSized},
	AttrReservedSmemUsed:           {"EIATTR_RESERVED_SMEM_USED", FormatNone},
	AttrReservedSmem0Size:          {"EIATTR_RESERVED_SMEM_0_SIZE", FormatSized},
	AttrUcodeSectionData:           {"EIATTR_UCODE_SECTION_DATA", FormatSized},
	AttrUnusedLoadByteOffset:       {"EIATTR_UNUSED_LOAD_BYTE_OFFSET", FormatSized},
	AttrKparamInfoV2:               {"EIATTR_KPARAM_INFO_V2", FormatSized},
	AttrSyscallOffsets:             {"EIATTR_SYSCALL_OFFSETS", FormatSized},
	AttrSwWarMembarSysInstrOffsets: {"EIATTR_SW_WAR_MEMBAR_SYS_INSTR_OFFSETS", FormatSized},
	AttrGraphicsGlobalCbank:        {"EIATTR_GRAPHICS_GLOBAL_CBANK", FormatSized},
	AttrShaderType:                 {"EIATTR_SHADER_TYPE", FormatByte},
	AttrVrcCtaInitCount:            {"EIATTR_VRC_CTA_INIT_COUNT", FormatByte},
	AttrToolsPatchFunc:             {"EIATTR_TOOLS_PATCH_FUNC", FormatSized},
	AttrNumBarriers:                {"EIATTR_NUM_BARRIERS", FormatByte},
	AttrTexmodeIndependent:         {"EIATTR_TEXMODE_INDEPENDENT", FormatNone},
	AttrPerfStatistics:             {"EIATTR_PERF_STATISTICS", FormatSized},
	AttrAtEntryFragements:          {"EIATTR_AT_ENTRY_FRAGEMENTS", FormatSized},
	AttrSparseMmaMask:              {"EIATTR_SPARSE_MMA_MASK", FormatHalf},
	AttrTcgen051ctaUsed:            {"EIATTR_TCGEN05_1CTA_USED", FormatNone},
	AttrTcgen052ctaUsed:            {"EIATTR_TCGEN05_2CTA_USED", FormatNone},
	AttrGenErrbarAtExit:            {"EIATTR_GEN_ERRBAR_AT_EXIT", FormatNone},
	AttrRegReconfig:                {"EIATTR_REG_RECONFIG", FormatNone},
	AttrAnnotations:                {"EIATTR_ANNOTATIONS", FormatSized},
	AttrUnknown:                    {"EIATTR_UNKNOWN", FormatUnknown},
	AttrStackCanaryTrapOffsets:     {"EIATTR_STACK_CANARY_TRAP_OFFSETS", FormatSized},
	AttrStubFunctionKind:           {"EIATTR_STUB_FUNCTION_KIND", FormatSized},
	AttrLocalCtaAsyncStoreOffsets:  {"EIATTR_LOCAL_CTA_ASYNC_STORE_OFFSETS", FormatSized},
	AttrMercuryFinalizerOptions:    {"EIATTR_MERCURY_FINALIZER_OPTIONS", FormatSized},
	AttrBlocksAreClusters:          {"EIATTR_BLOCKS_ARE_CLUSTERS", FormatNone},
	AttrSanitize:                   {"EIATTR_SANITIZE", FormatUnknown},
	AttrSyscallsFallback:           {"EIATTR_SYSCALLS_FALLBACK", FormatUnknown},
	AttrCudaReq:                    {"EIATTR_CUDA_REQ", FormatUnknown},
	AttrMercuryIsaVersion:          {"EIATTR_MERCURY_ISA_VERSION", FormatHalf},
	AttrErrorLast:                  {"EIATTR_ERROR_LAST", FormatUnknown},
}

// String returns the attribute's name as cuobjdump prints it.
func (a InfoAttr) String() string {
	if int(a) < len(InfoAttrs) {
		return InfoAttrs[a].Name
	}
	return "EIATTR_?"
}
