package relocs

// Flags says what the flags of groups and vectors mean. README.md repeats it.
var Flags = map[string]string{
	"Bits":      "six patterns that give every bit of the value a code of its own, over zeros and over ones: which bit of the value goes where, and what is left alone",
	"OldBits":   "the same patterns as old content of a REL field",
	"Carry":     "sums that carry through the field, over its end, or below zero",
	"Kinds":     "every type against one kind of symbol",
	"Places":    "a kind of section that is patched",
	"Banks":     "the number of a constant bank in the field, up to numbers that it has no room for",
	"Offsets":   "records at odd offsets, and at the end of the section and behind it",
	"Numbers":   "type numbers behind the table, and of the other table",
	"Several":   "records that share bytes",
	"Undefined": "symbols that nothing defines",
	"Weak":      "definitions that lost against one in an object before",
	"Textures":  "textures, samplers and surfaces",
	"Preserve":  "--preserve-relocs: what the linker writes down of records that it carried out",
	"Mercury":   "R_MERCURY types in data of sm_100 and up",
	"Capsule":   "R_MERCURY types in code: in the capsule, and in the text that the finalizer makes of it",
	"Debug":     "sections that only a debugger reads",
	"Sample":    "drawn by lot",
}
