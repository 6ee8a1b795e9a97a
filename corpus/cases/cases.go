// Package cases is a corpus of links that show one behaviour of nvlink each: small programs as in corpus/links, whose
// README.md describes the form, with what nvlink made of them. A behaviour that a link of real code showed is kept here
// as the smallest program of ours that shows it too.
//
//	go run ./corpus/regen -corpus corpus/cases
package cases

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

// Cases returns all cases of all programs.
func Cases() ([]links.Case, error) {
	programs, err := load()
	if err != nil {
		return nil, err
	}
	var list []links.Case
	for _, p := range programs {
		list = append(list, p.Cases...)
	}
	return list, nil
}
