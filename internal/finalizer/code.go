package finalizer

// Code is the finalizer's result.
//
// Source: messages of the tools and the documents about them; of those that
// nvlink's command line can reach only success, ISATooNew and the refusals of
// compatibility were seen, all of the latter under one text. Numbers 14, 20 and
// 22 are the least certain.
type Code int

const (
	OK              Code = 0
	OptionConflict  Code = 4
	KindMismatch    Code = 5
	Internal        Code = 6
	BadABI          Code = 7
	OutOfMemory     Code = 11
	NoProfile       Code = 12
	SASSFailed      Code = 14
	SelfCheckText   Code = 17
	SelfCheckDebug  Code = 18
	SelfCheckReloc  Code = 19
	UpliftFailed    Code = 20
	DecodeFailed    Code = 22
	NoCompat        Code = 24
	ISATooNew       Code = 25
	ArchMismatch    Code = 26
	ClassSingle     Code = 27
	ClassRestricted Code = 28
	ClassFamily     Code = 29
	ClassUnknown    Code = 30
)

var codeNames = map[Code]string{
	OK: "ok", OptionConflict: "conflicting options", KindMismatch: "wrong kind of input", Internal: "internal error", BadABI: "bad ABI",
	OutOfMemory: "out of memory", NoProfile: "no profile for the target", SASSFailed: "SASS generation failed",
	SelfCheckText: "self-check: text", SelfCheckDebug: "self-check: debug", SelfCheckReloc: "self-check: relocation",
	UpliftFailed: "mercury uplift failed", DecodeFailed: "decode failed", NoCompat: "no compatibility record", ISATooNew: "ISA version too new",
	ArchMismatch: "incompatible arch", ClassSingle: "class is for one arch", ClassRestricted: "class allows few pairs", ClassFamily: "class is for one family",
	ClassUnknown: "unknown class or level",
}

// String returns the code's name.
func (c Code) String() string {
	if s, ok := codeNames[c]; ok {
		return s
	}
	return "?"
}
