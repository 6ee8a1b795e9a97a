package corpus

import (
	"embed"
	"io/fs"
)

//go:embed testdata/relocs/data testdata/relocs/templates
var relocFiles embed.FS

// Relocs returns testdata/relocs: data holds the vectors, templates what they are made of. Package corpus/relocs reads
// both.
func Relocs() (fs.FS, error) { return fs.Sub(relocFiles, "testdata/relocs") }
