// Package nvidiatest lets tests ask for NVIDIA's tools, and keeps a test that
// did without them from looking like one that passed.
//
// A package whose tests call [Need] has
//
//	func TestMain(m *testing.M) { witnesstest.Main(m) }
//
// and prints after its tests, also under "go test ./...", lines such as
//
//	witness: 14 tests of oracle skipped, nvlink 12.4 is not installed (make witness)
//
// With TWINLINK_REQUIRE_WITNESS=1 the absence of a release that "make witness"
// fetches is a failure; "all" asks for every release, and a list such as
// "12.4,13.5" for those.
package nvidiatest
