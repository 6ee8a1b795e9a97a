// Package check decides whether a device ELF file is a correct link of others,
// without linking them (translation validation).
//
//	v := check.Check([]check.Input{{"a.cubin", a}, {"b.cubin", b}}, output, check.Options{Arch: "sm_80"})
//	if !v.Agrees() {
//		fmt.Print(v)       // one line for each finding
//		if v.Trace != nil {
//			fmt.Print(v.Trace) // the first field that is wrong, step by step
//		}
//	}
//
// [Verdict.Outcome] is one of four: the output is accepted; rejected, and
// [Verdict.Findings] says where and why, gravest first; not judged, and
// [Verdict.Unjudged] says what could not be; or refused, and [Verdict.Refusal] says
// which input could not be read. [Verdict.Functions] has the same for every function.
// What nvlink does another way, and counts for nothing, is in [Verdict.Remarks].
//
// # What is checked
//
//   - Every byte of every section is an input's, a field that a relocation
//     patched, or a table of the linker's own that is as it must be.
//   - Every relocation was applied as its recipe in package oracle says,
//     against the right symbol, or is kept with type, symbol and addend.
//   - Every function that is reached or asked for is there, and every symbol,
//     as its definition has it: size, type, binding, memory space.
//   - Objects lie inside their sections, aligned, and share no bytes unless
//     they are one; shared variables of one kernel share none.
//   - The attributes of .nv.info are the inputs', and for kernels what they owe
//     to the code they reach: registers, stack, barriers.
//   - Above sm_90, where the linker schedules kernels again, no result is used
//     before it is there.
//   - Call graph, prototypes, .nv.compat, section headers, program headers and
//     the ELF header.
//
// Where things are is read from the output: any order will do. Two links in a row,
// stripped files and another linker's are judged by the same rules. The options and
// the inputs decide what is checked, nothing of that is taken from the output; but
// the release whose forms it has is the one its header names, if that is not older
// than the inputs'.
//
// Nothing here knows package engine or cubin. The rules are those that nvlink
// 11.8.89, 12.4.131, 13.0.88 and 13.5.37 were seen to follow; each file names its
// sources.
//
// # Where what is
//
// Package verdict has what is asked and what is answered. Below internal, image reads
// files and sass words of code; then come the phases, each on what the one before found
// out: link (the tables), resolve (which definition a name stands for), reach (what calls
// what), place (where everything lies), apply (what every byte has to be). The comparisons
// are on top and know nothing of each other, but that code asks schedule and capsules.
//
// # Bounds
//
// Files may hold any bytes. The work is bounded by a budget that grows with
// their size, memory by the size of the files and of the sections that a
// correct output would have.
package check
