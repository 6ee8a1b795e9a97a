// Package reach closes the call graph and finds what lives: what a kernel
// reaches, or whose address is taken. The rest is marked as deleted.
package reach

import "github.com/twinlink/twinlink/engine/internal/model"

// Graph is the program with its call graph, in which only what lives is left.
type Graph struct {
	*model.Program

	Calls      *graph
	kernelList []model.FunID
	stamps     []int32
	stamp      int32
	queue      []int32
	steps      int

	members, callers components // made when first asked for

	Broken      string // an internal error of the tool that comes behind what is undefined
	BrokenAtEnd string // one that comes behind registers too
	Nested      bool   // a kernel that lives has a function inside its code, as -ewp compiles it
}

// Find closes the call graph and removes what is dead.
func Find(p *model.Program) *Graph {
	l := &Graph{Program: p}
	l.closeGraph()
	l.markLive()
	l.removeDead()
	l.judgeLostTables()
	return l
}
