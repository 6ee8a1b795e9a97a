package cuda

// Attributes of .nv.compat: records of the .nv.info wire format, written from
// 13.0 on for sm_90 and up.
// Source: cubins of ptxas 13.0.88 and 13.5.37 and nvlink's answers to edited
// ones; 12 to 14 only in 13.5.

// CompatAttr is the number of a .nv.compat attribute.
type CompatAttr uint8

const (
	CompatISAClass                        CompatAttr = 2
	CompatInstTensormapV1                 CompatAttr = 3
	CompatInstTcgen05MMADeprecated        CompatAttr = 4
	CompatInstTcgen05MMA                  CompatAttr = 5
	CompatEnableOpportunisticFinalization CompatAttr = 6
	CompatMercuryISAMajorMinor            CompatAttr = 7
	CompatMercuryISAPatch                 CompatAttr = 8
	CompatAcceleratorTarget               CompatAttr = 9
	CompatCanFastpathFinalize             CompatAttr = 11
)

var compatNames = map[CompatAttr]string{
	CompatISAClass:                        "ISA_CLASS",
	CompatInstTensormapV1:                 "INST_TENSORMAP_V1",
	CompatInstTcgen05MMADeprecated:        "INST_TCGEN05_MMA_DEPRECATED",
	CompatInstTcgen05MMA:                  "INST_TCGEN05_MMA",
	CompatEnableOpportunisticFinalization: "ENABLE_OPPORTUNISTIC_FINALIZATION",
	CompatMercuryISAMajorMinor:            "MERCURY_ISA_MAJOR_MINOR",
	CompatMercuryISAPatch:                 "MERCURY_ISA_PATCH",
	CompatAcceleratorTarget:               "CUDA_ACCELERATOR_TARGET",
	CompatCanFastpathFinalize:             "CAN_FASTPATH_FINALIZE",
}

// String returns the attribute's name, or "?".
func (a CompatAttr) String() string {
	if name, ok := compatNames[a]; ok {
		return name
	}
	return "?"
}
