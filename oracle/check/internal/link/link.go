package link

import (
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/verdict"
	"github.com/twinlink/twinlink/oracle/internal/capsule"
)

// Link is a link under judgement: the inputs, the output, and what their tables mean.
type Link struct {
	Options      verdict.Options
	Side         image.Side
	Asked        oracle.Release // of Options.Toolkit
	Release      oracle.Release
	SM           int
	Total        int   // bytes of all files
	Sass         *Link // Mercury side: the check of the other
	Budget       *image.Budget
	Verdict      verdict.Book
	Modules      []*Module
	Names        map[string]*Identity
	IDs          []*Identity
	Commons      []*Identity
	Relocatable  bool
	Reserved     uint64 // bytes of shared memory that the system keeps
	Exhausted    error  // the budget ended where no error can be returned
	Areas        []*Area
	ByKey        map[AreaKey]*Area
	toldUnjudged map[string]bool
	Chosen       map[string]*Module // the module whose weak definition of a name the output has
	capsule      *capsule.Capsule   // that of capsuleFor
	capsuleFor   *Body
	capsuleSizes map[*Body]capsuleSize
	Said         map[TwinFact]string
	Out          *Output
}

// New is a link of which nothing is read yet; total is how many bytes its files have.
func New(total int, o verdict.Options) *Link {
	l := &Link{Options: o, Side: image.SassSide, ByKey: map[AreaKey]*Area{}, Total: total, Budget: image.NewBudget(uint64(total))}
	l.Asked, _ = verdict.ReleaseOf(o.Toolkit)
	l.Verdict.Strict = o.Strict
	return l
}
