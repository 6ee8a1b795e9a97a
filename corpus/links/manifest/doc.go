// Package manifest reads and writes corpus/links/manifest.json, which says how every file of the corpus was made.
package manifest
