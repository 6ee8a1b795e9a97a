package apply

import (
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/place"
	"github.com/twinlink/twinlink/oracle/check/internal/reach"
	"github.com/twinlink/twinlink/oracle/check/internal/resolve"
)

// Applied is a link of which is known what every byte has to be.
type Applied struct {
	*place.Places

	Lines         map[*link.Area]*lineTable
	reportedEarly map[*link.Identity]bool // -r: shared variables that have a place already
	ConstantBytes uint64                  // see measureConstants
}

// New is a link of which no phase has found out anything yet.
func New(l *link.Link) *Applied {
	return &Applied{Places: &place.Places{Reach: &reach.Reach{Resolved: &resolve.Resolved{Link: l}}}}
}
