package descriptor

import "github.com/twinlink/twinlink/cuda"

// Action is the operation code of a slot. Numbers 0 to 56 appear in
// descriptors; the dispatcher has arms for 31 of the 256 numbers a byte has.
type Action uint32

const (
	End          Action = 0  // nothing; the next slot
	Full         Action = 1  // the running value
	Global       Action = 2  // generic address, the driver's
	Header       Action = 3  // texture or sampler header index, the driver's
	SurfaceHW    Action = 4  // surface descriptor, the driver's
	SurfaceHWSW  Action = 5  // surface descriptor, the driver's
	Low          Action = 6  // low 32 bits
	High         Action = 7  // high 32 bits
	Size         Action = 8  // addend plus Values.Size, which the documents call the symbol's size
	Shift2       Action = 9  // value >> 2
	BankLow      Action = 10 // constant bank number
	BankHigh     Action = 11 // constant bank number >> 4
	FuncDesc     Action = 12 // function descriptor, the driver's
	FuncDescLow  Action = 13
	FuncDescHigh Action = 14
	FuncDescRaw  Action = 15
	PCRel        Action = 16 // value - place
	Instruction  Action = 17 // a whole instruction, the driver's
	YieldOpcode  Action = 18 // same arm as Full
	YieldClear   Action = 19 // zero
	Clear        Action = 20 // zero
	Continued    Action = 21 // the rest of a field begun by Shift2, the driver's
	Lane0        Action = 22 // byte 0 of the value; 23..29 bytes 1..7
	GlobalLane0  Action = 30 // 30..37: bytes of a generic address, the driver's
	FuncLane0    Action = 38 // 38..45: bytes of a function descriptor, the driver's
	Unified      Action = 46 // same arm as Full
	UnifiedLane0 Action = 47 // 47..54: bytes
	UnifiedLow   Action = 55 // same arm as Low
	UnifiedHigh  Action = 56 // same arm as High
)

// lanes is the number of byte lanes of a 64-bit value.
const lanes = 8

// Lane tables. The dispatcher indexes both with action - 22, which gives 0..7
// for 22..29 and 25..32 for 47..54; entries between are never reached. The
// second range repeats the first.
const laneEntries = int(UnifiedLane0-Lane0) + lanes

var (
	laneMask  [laneEntries]uint64
	laneShift [laneEntries]uint
)

func init() {
	for i := 0; i < lanes; i++ {
		mask, shift := uint64(0xff)<<(8*i), uint(8*i)
		for _, first := range []Action{Lane0, UnifiedLane0} {
			at := int(first-Lane0) + i
			laneMask[at], laneShift[at] = mask, shift
		}
	}
}

// AsksFunction reports whether a type stands for a function's descriptor, whole
// or half; its single bytes don't count.
func AsksFunction(typ uint32) bool {
	if typ >= uint32(len(Table)) {
		return typ == cuda.R_MERCURY_FUNC_DESC_64
	}
	a := Table[typ].Slot(0).Action
	return a >= FuncDesc && a <= FuncDescRaw
}

// isLane reports whether a belongs to the masked-shift arm.
func isLane(a Action) bool {
	return a-Lane0 < lanes || a-UnifiedLane0 < lanes
}

// Dispatched reports whether the dispatcher has an arm for a.
func Dispatched(a Action) bool {
	switch a {
	case End, Full, YieldOpcode, Unified, Low, UnifiedLow, High, UnifiedHigh,
		Size, Shift2, BankLow, BankHigh, PCRel, YieldClear, Clear:
		return true
	}
	return isLane(a)
}
