// Package nvidia finds and runs NVIDIA's own device tools as a third opinion
// beside the engine and the oracle.
//
// The tools are black boxes: files go in, files and text come out. They are
// also programs that die. Of cubins with a few random bytes changed, nvlink
// 11.8 dies of a signal on 23 % and hangs on 1 %; on a truncated one it reads
// beyond the file and may write hundreds of megabytes. So each run has a
// scratch folder and a process group of its own, limits on time, memory, file
// size and captured text, and ends in one of five outcomes instead of a panic.
//
// Exit status 0 proves nothing: nvlink passes over a file whose extension it
// does not know, and over many a truncated one, and writes an output all the
// same. See [Result.Linked].
//
// # Where a tool comes from
//
// In this order, the first that has the wanted release wins:
//
//  1. a path in [Options] (a command line's -nvlink);
//  2. TWINLINK_NVLINK, TWINLINK_PTXAS, TWINLINK_CUOBJDUMP, TWINLINK_NVDISASM;
//  3. the folder TWINLINK_WITNESS, or else .witness beside the go.mod found by
//     walking up from the working directory, with one folder a release
//     ("11.8", "12.4", …), as "make witness" fills it;
//  4. PATH.
//
// A release is what the tool's --version says, never what a folder is called.
package nvidia
