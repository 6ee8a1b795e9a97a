package release

import "github.com/twinlink/twinlink/cuda"

// plainShared is how much shared memory a kernel may use where nothing else is said.
const plainShared = 0xc000

// mostShared is what 12.4 to 12.6 let kernels use: what a multiprocessor has.
var mostShared = map[cuda.SM]int32{
	50: 0x10000, 52: 0x18000, 53: 0x10000, 60: 0x10000, 61: 0x18000, 62: 0x10000, 70: 0x18000, 72: 0x10000, 75: 0x10000,
	80: 0x29000, 86: 0x19000, 87: 0x29000, 89: 0x29000, 90: 0x29000,
}

// MostShared returns how many bytes of shared memory a kernel may use without dynamic
// ones. Seen for each target with nvlink 11.8 (but sm_35 and sm_37), 12.4, 13.0 and 13.5, and with nvJitLink of 12.x.
func (r *Release) MostShared(t Target) int32 {
	switch {
	case r.SharedByTarget && mostShared[t.SM] != 0:
		return mostShared[t.SM]
	case !t.Accelerated || !r.Notes:
		return plainShared
	case t.SM >= 120:
		return 0x18c00
	}
	return 0x38c00
}
