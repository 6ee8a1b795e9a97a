package selfcheck

// What the Mercury side can't tell about the SASS side, or tells otherwise in
// files that NVIDIA's tools made. Everything else has to agree.
//
// Source: 4,400 objects and images of ptxas 13.0.88 and 13.5.37, 2,900 links of
// nvlink 13.0.88 and 13.5.37, libraries of NVIDIA's built with 12.9 to 13.4.

// exception is the reason for leaving something alone, as it is counted in
// Report.Unchecked.
type exception string

const (
	// The finalizer decides these, for want of a Mercury record.
	exScheduling   exception = "scheduling bits of stored nodes"
	exSoftwareWAR  exception = "value of EIATTR_SW_WAR: 0 or 8"
	exSASSOnlyInfo exception = "attributes 103, 107 and 109 of releases 13.3 and up"
	exYield        exception = "R_CUDA_YIELD records"

	exMacroFrame exception = "frame instructions inside macros"

	// Both sides have it and may differ.
	exInlinedFile     exception = "files of lines that others are inlined at"
	exLostLine        exception = "lines of instructions that sm_110 writes otherwise"
	exMacroRegisters  exception = "register ranges in functions with macros that take registers"
	exZeroedRegisters exception = "register ranges of functions that a link removed"
	exStaleDebug      exception = "debug data of weak functions that a link replaced"
	exUntranslated    exception = "debug data of functions with an alias that a link left in Mercury form"
	exInnerFrame      exception = "FRAME_SIZE of a function inside a kernel"
	exPrincipal       exception = "which word of a node an attribute means"
	exReservedSmem    exception = "value of a reserved shared symbol"
	exShortFrame      exception = "the only instruction of a frame, of a short function inside a kernel or what the CIE says already"
	exStaleLink       exception = "sh_link of the Mercury side, one behind where NVIDIA's finalizer put .nv.merc.nv.callgraph in front"
	exFinalizerLayout exception = "program headers of a file that NVIDIA's finalizer wrote"
	exAlias           exception = "size of an alias"
	exRegisterCount   exception = "functions whose number of registers is not fixed or not told"
	exCopied          exception = "code that was made for another SM of its family and copied, as attribute 11 allows"
	exUniformStub     exception = "size of a unified function's stub"
	exLostTable       exception = "words of jump tables of definitions that lost, which links of 12.8 and 12.9 leave zero"

	// This package doesn't know enough.
	exUnsized   exception = "functions with a PLAIN opcode of unknown Mercury size"
	exPlain     exception = "PLAIN instructions of a form that is not known"
	exMiniWord  exception = "words of tag-only nodes of a form that is not known"
	exMiniTag   exception = "minis of a tag that is not known"
	exRelocForm exception = "code relocations of a form that is not known"
	exSection   exception = "sections of a name that is not known"
	exRecord    exception = "records of a form or a value that is not known"
	exCompat    exception = ".nv.compat of a release that is not known"
	exNamed     exception = "attributes of an instruction of a kind that none was seen to name"
	exCIE       exception = "CIEs that say what none was seen to say"
	exCallgraph exception = "call graphs that lack in programs with textures, of which a question may have gone"
	exOldInfo   exception = "attributes of objects before 12.8 that were finalized again"
	exSystem    exception = "what calls of the driver for textures and surfaces of sm_107 change"
)

// unknown reports whether the reason is one that knowing more would take away.
func (e exception) unknown() bool {
	switch e {
	case exUnsized, exPlain, exMiniWord, exMiniTag, exRelocForm, exSection, exRecord, exCompat, exNamed, exCIE, exCallgraph, exOldInfo, exSystem:
		return true
	}
	return false
}
