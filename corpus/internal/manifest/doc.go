// Package manifest reads and writes corpus/testdata/links/manifest.json, which says how every file of the corpus was made.
package manifest
