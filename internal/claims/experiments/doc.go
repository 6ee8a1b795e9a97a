// Package experiments decides claims of the seed documents, one test for each group of claims that one look settles.
//
// A test names the claims it decides, and fails where what it saw doesn't bear out the verdict in the ledger beside it.
// What is looked at is, in this order: a run of NVIDIA's tools of this moment (package witness), what they wrote into
// packages corpus and corpus/relocs, the recipes of package oracle (which the vectors of corpus/relocs bind to the tool), and
// where a document contradicts itself or arithmetic, the document's own words, quoted in the test.
//
// It is all tests. Those that need the tools are skipped without them, and say so.
package experiments
