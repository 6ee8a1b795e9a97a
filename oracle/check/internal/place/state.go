package place

import (
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/reach"
)

// Places is a link of which is known where everything lies.
type Places struct {
	*reach.Reach

	Uses      map[*link.Identity]*Use
	LostUses  map[*link.Identity]bool     // objects that code named which lost
	Observed  map[link.ObservedKey]uint64 // places read from fields
	Aligned   map[link.ObservedKey]uint64 // what inputs ask for arrays of unknown length in shared memory
	Hints     map[hintKey]uint64          // the same, for the other side
	Shared    []*link.Identity            // shared variables with a definition
	ObjectsIn *image.Groups[link.PlaceOf, *link.Identity]
	OutByName *image.Groups[string, int] // symbols of the output
	IDsByName *image.Groups[string, *link.Identity]
	byRecords bool         // parts are placed where the output's records name what theirs do
	units     bool         // constants of functions are placed
	banks     []*link.Area // that have some
	slots     map[*link.Area]map[*link.Identity]uint64
	SlotBase  uint64         // offset of the first image slot
	Instance  *link.Identity // -r: stands for arrays of unknown length in shared memory
}
