package reach

import (
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/resolve"
)

// Reach is a link of which is known what calls what.
type Reach struct {
	*resolve.Resolved

	hostNamed    int                         // kernels that the host refers to, and one more; 0: not counted
	Takers       map[string][]*link.Identity // functions whose address is taken, by prototype
	AlsoNamed    map[*link.Identity][]string // other prototypes of functions that nothing defines: toolkits name them otherwise
	Kernels      []*link.Identity            // those that are asked for
	Graph        *graph
	needs        []Need                     // by component of the graph
	AllNeed      Need                       // of everything that is there
	MostBarriers uint64                     // that any code of an input says, whatever became of it
	MostRegister uint64                     // the same of registers
	UsersOfGroup map[int32][]*link.Identity // kernels, by component of the call graph
}
