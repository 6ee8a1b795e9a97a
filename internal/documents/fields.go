package documents

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// Fields of the documents' own.
//
// The catalog gives some types a width and a bit position in columns. They are in
// fields.tsv as the document has them, right or wrong, with the line.

//go:embed fields.tsv
var fieldsText string

// CatalogField is what the catalog's columns say of the field of a type.
type CatalogField struct {
	Width, Bit uint32
	Line       int // of the document
}

// CatalogFields are the catalog's fields by the name of the type.
var CatalogFields = sync.OnceValue(func() map[string]CatalogField {
	table := map[string]CatalogField{}
	for line := range strings.Lines(fieldsText) {
		var name string
		var f CatalogField
		if n, _ := fmt.Sscan(line, &name, &f.Width, &f.Bit, &f.Line); n == 4 && !strings.HasPrefix(line, "#") {
			table[name] = f
		}
	}
	return table
})
