// Package lto compiles what a link finds uncompiled, with NVIDIA's compilers
// where the user has them: LTO IR with nvJitLink, asked through a process of its
// own, and PTX with ptxas. twinlink links what they make.
//
//	tools, err := lto.Find(lto.Places{With: "auto", Release: "13.0"})
//	defer tools.Close()
//	ptx, err := tools.Optimize(ctx, program) // LTO IR of all modules to one PTX
//	cubin, said, err := tools.Assemble(ctx, job)
//
// nvlink does the same with libnvvm and a ptxas inside it: of 13.0 and 12.4 the
// PTX is equal byte for byte where all inputs are LTO IR, and of 13.0 where some
// are not; what ptxas of the release makes of it equals what nvlink makes of it.
// nvJitLink before 13.0 can't be told to leave names to other modules visible,
// which mixed inputs need.
package lto
