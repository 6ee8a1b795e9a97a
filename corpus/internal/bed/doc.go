// Command bed links real code at random, with twinlink and with every linker of
// NVIDIA's at hand, and sorts what differs by its cause.
//
//	go run ./corpus/internal/bed -n 1000 -seed 1 -cache CACHE -out OUT \
//		-wheel nvidia-nccl-cu13==2.32.3 -deb libfoo-cuda -list sources.txt LIBRARY...
//
// Objects come from files and folders (cubins, PTX, CUDA sources, libraries and
// host objects with device code inside), from Python wheels and distribution
// packages that it downloads, from -generated programs of internal/ptxgen (of which one in
// three, with -launching all, launch kernels or hold their addresses; -library libcudadevrt.a
// has what they call), and from lists of sources: a line
//
//	NAME: FLAGS... FILE.cu FILE.ptx ...
//
// compiles the files of one program with nvcc or ptxas, relative to the list's
// folder. Each PTX or source is compiled for a few drawn releases and
// architectures, PTX with an option of ptxas or two, and with a lower version where
// the release knows no newer one. What was made stays in the cache, under the hash of what it was
// made from; nothing of others gets into the repository.
//
// A link is drawn from its number alone: release of the linker, architecture,
// one to six objects of one program (in half of the links with what they leave
// undefined), order, options. One in -pairs takes objects of two programs. In one in
// -parts some inputs are linked with -r first, by an nvlink of the release or an
// older one, and all linkers read what that made. twinlink's command line is asked, the nvlink of
// the release, and the nvJitLink of the release as far as it can be asked. With
// the same cache, seed and releases the same links are drawn.
//
// OUT gets report.txt (sums by release and kind of architecture, then the
// buckets), report.json, and for each bucket a folder with its smallest link:
// inputs, command, both outputs, what each said.
package main
