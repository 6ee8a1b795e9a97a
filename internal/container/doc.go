// Package container reads the files in which device code travels: fatbinaries,
// objects, shared objects and programs of the host, archives of them, and bare
// cubins and PTX.
//
// Open lists every piece of device code in a file, however deep it lies; no
// piece is unpacked before Member.Data asks for it. ReadArchive, ReadObject and
// ReadFatbins are the three readers below it, for a linker, which takes one
// step at a time. Choose picks the piece for a target as nvlink does.
//
// Files are hostile: every extent is checked, and one Budget bounds how many
// pieces an operation visits and how many bytes it unpacks. A fault is an
// *Error that names file, member and offset. Nothing is written anywhere: names
// found in an archive are only names.
//
// Source of the layouts: files written by fatbinary, nvcc and ar of CUDA 11.8,
// 12.4, 13.0 and 13.5. Of the choice: 300 links of fatbinaries with one or two
// members by nvlink 11.8.89, 12.4.131 and 13.0.88.
package container
