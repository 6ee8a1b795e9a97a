// Package demo is the few links of package corpus that "twinlink demo" shows: calls over modules, data of every
// alignment, C++ with virtual functions, textures, shared memory of several kernels, and a link that must be refused,
// each without options, for several releases and architectures.
//
// They are in an archive of their own, so that the command doesn't carry the whole corpus. The test of this package
// holds the archive against the corpus; with -update it writes it.
package demo

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"

	"github.com/twinlink/twinlink/corpus"
)

//go:embed links.zip
var archive []byte

// programs are the names of what is in the archive.
var programs = []string{"calls", "globals", "cxx_shapes", "textures", "shared_groups", "err_signature"}

// Links returns the programs, in the order of the corpus.
func Links() ([]corpus.Program, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("corpus/demo: %w", err)
	}
	return corpus.Load(z)
}
