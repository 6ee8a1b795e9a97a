// Package diff says how two cubins differ, each difference under a dotted
// key:
//
//	header.flags
//	section.nv.info.offset            section.order
//	symbol.kernel.value               symbol.order
//	reloc.text.kernel.0x40.R_CUDA_ABS32_LO_32.symbol
//	info.kernel.REGCOUNT              info.kernel.order
//	callgraph.call.kernel->callee     note.tkinfo.0.options
//	text.kernel.0x30                  data.nv.global.init.0x10
//	strtab                            program.1.filesz
//
// Things are matched by name, not by index, so that one symbol more doesn't
// make every index after it a difference; a name's second appearance has #2
// after it. Code is compared by instruction, without the bits that a
// relocation kept in both files will overwrite. Orders are compared among what
// both files have.
//
// Where nothing of this differs but the bytes do (padding, say), file.bytes
// tells the first.
package diff
