package finalizer

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// WorkItem is what the finalizer keeps of one function. In memory it has 328
// bytes, most of them pointers, and no file holds it: the document takes it for
// a descriptor on disk and the records it is filled from for a stream of
// "markers". Those are the attributes of .nv.merc.nv.info.F; each field's
// comment gives its offset in the document and the attribute it comes from.
type WorkItem struct {
	MaxRegCount   uint16  // 0x000 "desc_version": 1b MAXREG_COUNT
	RegCount      uint32  // 0x002 "instr_format_version": 2f REGCOUNT
	TextSection   uint32  // 0x004 section of the code
	Symbol        uint32  // 0x008 symbol of the function
	CodeSize      uint64  // 0x020 bytes of the code
	Name          string  // 0x028
	VRCInit       uint8   // 0x070 "sampling_mode": 4a VRC_CTA_INIT_COUNT
	ParamsEnd     uint32  // 0x0a8 "max_register_count": 17, 45 KPARAM_INFO
	HasParamBank  bool    // 0x0b0 "has_global_refs": 0a PARAM_CBANK
	HasParamSize  bool    // 0x0b1 "has_shared_refs": 19 CBANK_PARAM_SIZE
	TextureBank   bool    // 0x0b2 "has_exit": 15 BINDLESS_TEXTURE_BANK
	SurfaceBank   bool    // 0x0b3 "has_crs": 16 BINDLESS_SURFACE_BANK
	StubKind      [3]bool // 0x0b4 "uses_atomics|shared|global": 58 STUB_FUNCTION_KIND
	Workaround    bool    // 0x0b7 "has_texture_refs": 36 SW_WAR
	GraphicsBank  bool    // 0x0d0 "knobs_section": 48 GRAPHICS_GLOBAL_CBANK
	ShaderType    uint16  // 0x0d8 "stack_frame_size": 49 SHADER_TYPE
	SharedScratch uint32  // 0x0e0 "register_count": 32 SHARED_SCRATCH
	Microcode     []byte  // 0x0e8 "barrier_info": 43 UCODE_SECTION_DATA
	Capsule       []byte  // 0x100 "const_bank_offset": the capsule's bytes
	Settings      []byte  // 0x130 "KNOBS": 5a MERCURY_FINALIZER_OPTIONS
	ISAVersion    uint16  // 0x140 "min_sm_version", 256 unless given: 5f MERCURY_ISA_VERSION
	HasISAVersion bool    // 0x142 "has_crs_depth"

	// Places of instructions that move with the code: 0x060 "reloc_index_set".
	Offsets []uint32
	// Targets of indirect branches by branch: 0x078 "reloc_payload_map".
	Branches map[uint32][]uint32
}

// offsetWords is the number of words per entry of the attributes that list
// places of instructions in their first word.
var offsetWords = map[cuda.InfoAttr]int{
	cuda.AttrExitInstrOffsets: 1, cuda.AttrCoopGroupInstrOffsets: 1, cuda.AttrIntWarpWideInstrOffsets: 1, cuda.AttrSyscallOffsets: 1,
	cuda.AttrSwWarMembarSysInstrOffsets: 1, cuda.AttrStackCanaryTrapOffsets: 1,
	cuda.AttrAtom16EmulInstrRegMap: 2, cuda.AttrUnusedLoadByteOffset: 2, cuda.AttrInstrRegMap: 3, cuda.AttrMbarrierInstrOffsets: 4,
}

// Walk fills the item from the records of a function's attributes.
func (w *WorkItem) Walk(r *cubin.InfoReader) error {
	if w.ISAVersion == 0 {
		w.ISAVersion = 0x100
	}
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		w.add(&rec)
	}
	return r.Err()
}

func (w *WorkItem) add(rec *cubin.InfoRecord) {
	first, _ := rec.Word(0)
	switch rec.Attr {
	case cuda.AttrMaxregCount:
		w.MaxRegCount = rec.Value
	case cuda.AttrRegcount:
		w.RegCount = first
	case cuda.AttrVrcCtaInitCount:
		w.VRCInit = uint8(rec.Value)
	case cuda.AttrKparamInfo, cuda.AttrKparamInfoV2:
		// {u32 symbol, u16 ordinal, u16 offset, u32 whose bits 18 up are the size}
		if b, ok := cubin.Window(rec.Data, 6, 6); ok {
			end := uint32(binary.LittleEndian.Uint16(b)) + binary.LittleEndian.Uint32(b[2:])>>18
			w.ParamsEnd = max(w.ParamsEnd, end)
		}
	case cuda.AttrParamCbank:
		w.HasParamBank = true
	case cuda.AttrCbankParamSize:
		w.HasParamSize = true
	case cuda.AttrBindlessTextureBank:
		w.TextureBank = true
	case cuda.AttrBindlessSurfaceBank:
		w.SurfaceBank = true
	case cuda.AttrStubFunctionKind:
		if int(rec.Value) < len(w.StubKind) {
			w.StubKind[rec.Value] = true
		}
	case cuda.AttrSwWar:
		w.Workaround = true
	case cuda.AttrGraphicsGlobalCbank:
		w.GraphicsBank = true
	case cuda.AttrShaderType:
		w.ShaderType = rec.Value
	case cuda.AttrSharedScratch:
		w.SharedScratch = first
	case cuda.AttrUcodeSectionData:
		w.Microcode = rec.Data
	case cuda.AttrMercuryFinalizerOptions:
		w.Settings = rec.Data
	case cuda.AttrMercuryIsaVersion:
		w.ISAVersion, w.HasISAVersion = rec.Value, true
	case cuda.AttrIndirectBranchTargets:
		w.branches(rec)
	}
	if n := offsetWords[rec.Attr]; n > 0 {
		for i := 0; i+n <= len(rec.Data)/4; i += n {
			at, _ := rec.Word(i)
			w.Offsets = append(w.Offsets, at)
		}
	}
}

// branches reads {u32 branch, u32 0, u32 n, n × u32 target}….
func (w *WorkItem) branches(rec *cubin.InfoRecord) {
	for i := 0; ; {
		branch, ok := rec.Word(i)
		n, more := rec.Word(i + 2)
		if !ok || !more || uint64(n) > uint64(len(rec.Data)/4) {
			return
		}
		if w.Branches == nil {
			w.Branches = make(map[uint32][]uint32)
		}
		w.Offsets = append(w.Offsets, branch)
		for k := range int(n) {
			if t, ok := rec.Word(i + 3 + k); ok {
				w.Branches[branch] = append(w.Branches[branch], t)
				w.Offsets = append(w.Offsets, t)
			}
		}
		i += 3 + int(n)
	}
}
