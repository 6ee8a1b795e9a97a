// Package nvjitlink asks NVIDIA's nvJitLink, the linker as a shared library, as
// a further opinion beside nvlink.
//
// A library of release R links as nvlink R does, at about a twelfth of the cost
// of a process, and there is one for every release from 12.0 on. What it makes
// equals nvlink's image but for .note.nv.tkinfo, which names the tool: [Same]
// compares so.
//
// It is code of others in a process, and it was seen to corrupt its heap (13.0,
// after duplicate definitions), so it runs in a worker: a process of our own
// that is started again when it dies. A library that crashes, hangs, prints
// without end, answers nonsense or is of another release than its folder says
// costs one question: each of these is an [Outcome] and never an error.
//
//	libs := nvjitlink.Find(nvjitlink.Options{})
//	l := nvjitlink.New(libs[0], nvjitlink.Options{})
//	defer l.Close()
//	res, err := l.Ask(ctx, []nvjitlink.Question{{
//		Options: []string{"-arch=sm_90"},
//		Inputs:  []nvjitlink.Input{{Kind: nvjitlink.Cubin, Name: "a.cubin", Data: a}},
//	}})
//
// A command line of nvlink becomes a question with [FromNvlink], which says what
// can't be asked. A [Linker] is one process and uses one core; for more, make
// more of them.
//
// # Where the libraries and the worker come from
//
// Libraries: TWINLINK_NVJITLINK names one; else each folder "nvjitlink-RELEASE"
// of the folder TWINLINK_WITNESS, or else of .witness beside the go.mod found by
// walking up from the working directory, as "make witness-all" fills it.
//
// The worker is the program twinlink-nvjitlink (cmd/twinlink-nvjitlink), apart
// from twinlink because loading a library makes a program depend on the C
// library of the system. It is named by TWINLINK_NVJITLINK_WORKER, or lies
// beside the running program, or in the witness folder, or on PATH. A program
// that calls worker.Main, as tests do, is its own worker: [Options].Self.
package nvjitlink
