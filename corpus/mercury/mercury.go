// Package mercury is the corpus of links for sm_100 and up: programs as in corpus/links, whose README.md describes the
// form, with what nvlink 13.0 made of them. They stand apart because an object of these architectures holds two sides.
//
//	go run ./corpus/regen -corpus corpus/mercury
package mercury

import (
	"embed"
	"sync"

	"github.com/twinlink/twinlink/corpus/links"
)

//go:embed manifest.json */*.ptx */*/*
var files embed.FS

var load = sync.OnceValues(func() ([]links.Program, error) { return links.Load(files) })

// Programs returns the corpus in the manifest's order. The bytes are shared: callers must not change them.
func Programs() ([]links.Program, error) { return load() }
