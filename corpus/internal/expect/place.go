package expect

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// placeKind is what a section means to its records.
type placeKind uint8

const (
	placeData    placeKind = iota // data, constants, debug sections
	placeCode                     // code that reaches the image
	placeDead                     // code that does not
	placeRefused                  // "unexpected reloc section"
	placeFatal                    // nvlink dies
	placeLost                     // code of which another definition wins
)

func (c *link) placeKind() placeKind {
	switch c.facts.PlaceType {
	case cuda.SHTCudaInfo, cuda.SHTCudaGlobal, cuda.SHTCudaShared, cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype:
		return placeRefused
	}
	name := c.v.Place
	switch {
	case c.facts.PlaceLost:
		return placeLost
	case strings.HasSuffix(name, ".text.deadfun"):
		if c.revived("deadfun") {
			return placeCode
		}
		return placeDead
	case strings.Contains(name, ".text."):
		return placeCode
	}
	return placeData
}

// revived reports whether a record takes the address of a function that nothing
// calls. It does so wherever it stands, even in that very function.
func (c *link) revived(name string) bool {
	if c.preserve {
		return true // no code is taken away
	}
	for _, r := range c.v.Records {
		disposition, err := oracle.DispositionOf(r.Type, oracle.Dead, c.release, c.sm)
		if err == nil && r.Symbol == name && disposition.Action == oracle.Keeps {
			return true
		}
	}
	return false
}

// textureSlot returns the offset of a symbol's bindless slot. After the
// parameters of a kernel stand the slots of all textures of the link. nvlink
// sorts them by something that they have in common, and its sort is not stable:
// the last of three comes first.
func (c *link) textureSlot(name string) uint64 {
	const slot = 4
	order := slices.Clone(c.facts.Textures)
	if n := len(order); n == 3 {
		order = []string{order[2], order[0], order[1]}
	}
	end := uint64(len(relocs.Section(c.inputs, ".nv.constant0.k")))
	if c.mercury() {
		end = 0 // a section of their own
	}
	return (end+slot-1)/slot*slot + slot*uint64(slices.Index(order, name))
}
