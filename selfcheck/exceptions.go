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
	exLostLine        exception = "lines of instructions that sm_110 encodes differently"
	exMacroRegisters  exception = "register ranges in functions with macros that take registers"
	exZeroedRegisters exception = "register ranges of functions that a link removed"
	exStaleDebug      exception = "debug data of weak functions that a link replaced"
	exUntranslated    exception = "debug data of functions with an alias that a link left in Mercury form"
	exInnerFrame      exception = "FRAME_SIZE of a function inside a kernel"
	exPrincipal       exception = "which word of a node an attribute means"
	exReservedSmem    exception = "value of a reserved shared symbol"
	exShortFrame      exception = "the only instruction of a frame, of a short function inside a kernel or one that repeats the CIE"
	exStaleLink       exception = "sh_link of the Mercury side, off by one where NVIDIA's finalizer inserted .nv.merc.nv.callgraph before it"
	exFinalizerLayout exception = "program headers of a file that NVIDIA's finalizer wrote"
	exAlias           exception = "size of an alias"
	exRegisterCount   exception = "functions whose number of registers is not fixed or not stated"
	exCopied          exception = "code that was made for another SM of its family and copied, as attribute 11 allows"
	exUniformStub     exception = "size of a unified function's stub"
	exLostTable       exception = "words of jump tables of discarded definitions, which links of 12.8 and 12.9 leave zero"

	// This package doesn't know enough.
	exUnsized   exception = "functions with a PLAIN opcode of unknown Mercury size"
	exPlain     exception = "PLAIN instructions of an unknown form"
	exMiniWord  exception = "words of tag-only nodes of an unknown form"
	exMiniTag   exception = "tag-only nodes with an unknown tag"
	exRelocForm exception = "code relocations of an unknown form"
	exSection   exception = "sections with an unknown name"
	exRecord    exception = "records with an unknown form or value"
	exCompat    exception = ".nv.compat of an unknown release"
	exNamed     exception = "attributes that refer to an unusual kind of instruction"
	exCIE       exception = "CIEs with unknown contents"
	exCallgraph exception = "missing call graphs in programs with textures, from which a query may have been removed"
	exOldInfo   exception = "attributes of objects before 12.8 that were finalized again"
	exSystem    exception = "changes by driver calls for textures and surfaces of sm_107"
)

// unknown reports whether the reason is one that knowing more would take away.
func (e exception) unknown() bool {
	switch e {
	case exUnsized, exPlain, exMiniWord, exMiniTag, exRelocForm, exSection, exRecord, exCompat, exNamed, exCIE, exCallgraph, exOldInfo, exSystem:
		return true
	}
	return false
}
