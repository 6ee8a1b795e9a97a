// Package check decides whether a device ELF file is a correct link of others,
// without linking them (translation validation).
//
//	v := link.Check([]link.Input{{"a.cubin", a}, {"b.cubin", b}}, output, link.Options{Arch: "sm_80"})
//	if !v.Agrees() {
//		fmt.Print(v)       // one line for each finding
//		if v.Trace != nil {
//			fmt.Print(v.Trace) // the first field that is wrong, step by step
//		}
//	}
//
// A [Verdict] is one of three: the output agrees; it diverges, and
// [Verdict.Findings] says where and why; or no answer is given, and
// [Verdict.Refusal] says which input could not be read. An output that is no
// device ELF file, or one of another program, diverges. What need not be as it
// is, and counts for nothing, is in [Verdict.Remarks].
//
// # What is checked
//
//   - Every byte of every section is an input's, a field that a relocation
//     patched, or a table of the linker's own that is as it must be.
//   - Every relocation was carried out as its recipe in package oracle says,
//     against the right symbol, or is kept with type, symbol and addend.
//   - Every function that is reached or asked for is there, and every symbol,
//     as its definition has it: place, size, type, binding, memory space.
//   - Symbols lie inside their sections, aligned, and share no bytes unless
//     they are one; shared variables of one kernel share none.
//   - The attributes of .nv.info are the inputs', and for kernels what they owe
//     to the code they reach: registers, stack, barriers.
//   - Call graph, prototypes, notes, .nv.compat, section headers, program
//     headers and the ELF header.
//
// The order of records in a table, of sections in the file and of names in a
// string table is not looked at: it carries no meaning.
//
// Nothing here knows package engine or cubin. The rules are those that nvlink
// 11.8.89, 12.4.131 and 13.0.88 were seen to follow; each file names its
// sources. The release and the architecture are taken from the output's header
// where [Options] leaves them open.
//
// # Other images
//
// With [Options.Loose] the output may be the second of two links (-r, then
// final), or have been stripped or edited: places in shared memory are read
// from the code and held against each other, and debug information, notes and
// symbols that nothing names may be missing. That is told in Verdict.Remarks.
//
// # Bounds
//
// Files may hold any bytes. The work is bounded by a budget that grows with
// their size, memory by the size of the files and of the sections that a
// correct output would have.
package check
