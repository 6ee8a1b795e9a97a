package link

import (
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/verdict"
	"github.com/twinlink/twinlink/oracle/internal/capsule"
)

// Link is a link under judgement: the inputs, the output, and what their tables mean.
type Link struct {
	// What was asked, and what is answered.
	Options verdict.Options
	Asked   oracle.Release // of Options.Toolkit
	Verdict verdict.Book
	Budget  *image.Budget
	Total   int // bytes of all files

	// The two sides of a file are checked one after the other.
	Side image.Side
	Sass *Link                      // Mercury side: the check of the other
	Said map[CounterpartFact]string // what the SASS side says of kernels

	// What the link is for.
	Release     oracle.Release
	SM          int
	Relocatable bool
	DriverReads bool   // the SASS side reads images by calls of the driver that the other side doesn't know
	Reserved    uint64 // bytes of shared memory that the system keeps

	Modules []*Module
	Out     *Output
	Names   map[string]*Identity // those that modules share
	IDs     []*Identity
	Commons []*Identity
	Chosen  map[string]*Module // the module whose weak definition of a name the output has
	Areas   []*Area
	ByKey   map[AreaKey]*Area

	Exhausted        error // the budget ended where no error can be returned
	reportedUnjudged map[string]bool
	capsule          *capsule.Capsule // that of capsuleFor
	capsuleFor       *Body
	capsuleSizes     map[*Body]capsuleSize
}

// New is a link of which nothing is read yet; total is how many bytes its files have.
func New(total int, o verdict.Options) *Link {
	l := &Link{Options: o, Side: image.SassSide, ByKey: map[AreaKey]*Area{}, Total: total, Budget: image.NewBudget(uint64(total))}
	l.Asked, _ = verdict.ReleaseOf(o.Toolkit)
	l.Verdict.Strict = o.Strict
	return l
}
