package cuda

// Notes of 13.0 and later. Both have the owner "NVIDIA Corp\0".
// Source: cubins of ptxas and nvlink 13.0.88.

const (
	NoteOwner      = "NVIDIA Corp\x00"
	NoteTypeCuinfo = 1000 // u16 version, u16 SM, u32 CUDA API
	NoteTypeTkinfo = 2000 // u32 version, five u32 string offsets, strings

	NoteCuinfoVersion = 2
	NoteTkinfoVersion = 2
)
