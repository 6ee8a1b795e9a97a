// Package onerecord asks NVIDIA's linker about one relocation at a time.
//
// It is all tests. A small program is made by ptxas, all of its relocation
// records but one are taken away, and that one is given the type, addend and
// place bytes of the experiment; nvlink links it, and what it did is compared
// with what package oracle says: the patched bytes, the record that was kept
// or was not, the addend that --preserve-relocs writes down, the refusal, the
// crash.
//
// The tools are looked for in $TWINLINK_WITNESS, else in .witness at the root
// of the module, one folder a release (11.8, 12.4, 13.0, 13.5) with ptxas and
// nvlink in it; without them the tests are skipped. A short run is a sample;
// TWINLINK_EXPERIMENTS=N asks for N experiments a release.
package onerecord
