// Package merge reads the inputs in order and merges them into one program.
package merge

import (
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// merger is a merge under way.
type merger struct {
	*model.Program

	keepsMore    bool // see more
	mixesRelocs  bool // some input has REL records
	relocsToCome int  // records that room may yet be made for in advance
	longEdges    map[edge]bool
	sanitizedBy  uint32 // toolkit of the first sanitized code, 0 for none

	chunkLists  model.Arena[model.Chunk]
	relocLists  model.Arena[model.Reloc]
	recordLists model.Arena[model.Attribute]
	symbolLists model.Arena[model.SymID]
	callLists   model.Arena[model.FunID]

	scratch module            // of the last input, whose tables the next one takes
	records []model.Attribute // of the last section of attributes, as scratch
}

// Merge merges the inputs of a set.
func Merge(set *input.Set) (*model.Program, error) {
	l := &merger{Program: &model.Program{Set: set}}
	l.begin()
	if err := l.mergeAll(); err != nil {
		return nil, err
	}
	return l.Program, nil
}
