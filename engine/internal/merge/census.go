package merge

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// A link makes some hundred thousand small things. Their tables are made at
// the size the inputs ask for, and short lists are cut from larger pieces: a
// table that doubles copies itself and leaves its old half to the collector.

// census counts what the inputs hold, to size the tables.
type census struct {
	sections  int
	symbols   int // but those of sections, which the link makes itself
	functions int // sections of code
	records   int // of .nv.info
	relocs    int // records, at most
	rels      int // sections of REL records
	besides   int // names of REL sections that aren't there, at most: see relBeside
}

func takeCensus(files []*cubin.File) (c census) {
	var heads []cubin.Section
	for _, f := range files {
		heads = f.AppendSections(heads[:0])
		c.symbols += namedSymbols(f.Symtab())
		relocs := uint64(0)
		counted := false // the .nv.info of a sound file is one; overlapping ones must not add up
		for i := 1; i < len(heads); i++ {
			s := &heads[i]
			if cubin.IsRelocs(s.Type) {
				relocs += min(s.Size, uint64(len(f.Data))) / model.RelocSize(s.Type)
			}
			switch {
			case s.Type == cuda.SHTNull:
				continue // of the other side of a Mercury input
			case s.Type == cuda.SHTRel:
				c.rels++
			case s.Type == cuda.SHTRela && s.Size > cubin.RelaSize:
				c.besides++
			case s.Type == cuda.SHTProgbits && s.Flags&cuda.SHFExec != 0:
				c.functions++
			case s.Type == cuda.SHTCudaInfo && s.Owner() == 0 && !counted:
				counted = true
				c.records += int(min(s.Size, uint64(len(f.Data))) / model.InfoLeast)
			}
			c.sections++
		}
		c.relocs += int(min(relocs, uint64(len(f.Data))/cubin.RelSize))
	}
	return c
}

func namedSymbols(t *cubin.Symtab) (n int) {
	for i := range t.Len() {
		if s, _ := t.At(i); s.Type() != cuda.STTSection {
			n++
		}
	}
	return n
}
