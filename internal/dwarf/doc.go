// Package dwarf reads and writes the debug sections of device objects that name
// places in code: line programs (.debug_line, .nv_debug_line_sass), call frames
// (.debug_frame) and NVIDIA's register tables (.nv_debug_info_reg_sass).
//
// They are DWARF 2 and 3 with habits of their own, which each file tells. A
// section is decoded into operations, so that it can be encoded again byte for
// byte, and run into rows, so that two sections can be compared by what they
// say. debug/dwarf gives rows only, and stops at the operations that are
// NVIDIA's.
//
// Offsets in faults count from the section's start.
package dwarf
