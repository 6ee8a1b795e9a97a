package check

import (
	"errors"

	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/internal/capsule"
)

// check is one run of [Check].
type check struct {
	hostNamed int // kernels that the host refers to, and one more; 0: not counted
	options   Options
	side      side
	asked     oracle.Release // of Options.Toolkit
	release   oracle.Release
	sm        int
	total     int    // bytes of all files
	sass      *check // Mercury side: the check of the other
	budget    *budget
	verdict   Verdict

	modules []*module
	names   map[string]*identity
	ids     []*identity
	block   []identity // for the next ones
	commons []*identity
	moment  int

	takers    map[string][]*identity // functions whose address is taken, by prototype
	alsoNamed map[*identity][]string // other prototypes of functions that nobody defines: toolkits name them otherwise
	kernels   []*identity            // those that are asked for
	graph     *graph
	needs     []need // by component of the graph
	allNeed   need   // of everything that is there

	relocatable bool
	reserved    uint64 // bytes of shared memory that the system keeps

	nameless int // symbols without a name that 12.x makes for undefined functions

	uses         map[*identity]*use
	lostUses     map[*identity]bool    // objects that code named which lost
	usersOfGroup map[int32][]*identity // kernels, by component of the call graph
	exhausted    error                 // the budget ended where no error can be returned

	told         map[toldKey]uint64 // places read from fields
	aligned      map[toldKey]uint64 // what inputs ask for arrays of unknown length in shared memory
	hints        map[hintKey]uint64 // the same, for the other side
	shared       []*identity        // shared variables with a definition
	arrays       *externArrays      // nil: none
	overlapsTold map[*joined]bool   // sets whose overlaps were told
	objectsIn    *groups[placeOf, *identity]
	outByName    *groups[string, int] // symbols of the output
	idsByName    *groups[string, *identity]
	areas        []*area
	lines        map[*area]*lineTable
	byKey        map[areaKey]*area
	byRecords    bool // parts are placed where the output's records name what theirs do

	toldUnjudged map[string]bool
	chosen       map[string]*module // the module whose weak definition of a name the output has
	constants    map[string]bool    // see constantNames
	homes        *homes             // of the inputs' data, told by records
	earlyTold    map[*identity]bool // -r: shared variables that have a place already
	units        bool               // constants of functions are placed
	banks        []*area            // that have some
	slots        map[*area]map[*identity]uint64
	slotBase     uint64           // offset of the first image slot
	capsule      *capsule.Capsule // that of capsuleFor
	capsuleFor   *body
	capsuleSizes map[*body]capsuleSize
	pairs        map[uint32]*area // Mercury side: capsules by section of the SASS
	said         map[twinFact]string

	constantBytes uint64 // see measureConstants

	instance *identity // -r: stands for arrays of unknown length in shared memory

	out *output
}

// Check decides whether output is a correct link of the inputs, in the order
// of the command line. It never panics, whatever the bytes.
func Check(inputs []Input, output []byte, o Options) Verdict {
	if _, ok := releaseOf(o.Toolkit); !ok {
		return Verdict{Refusal: &Refusal{Kind: BadOptions, File: "toolkit " + o.Toolkit}}
	}
	c := newCheck(inputs, output, o)
	c.answer(inputs, output)
	if c.out != nil && c.out.side == sassSide && c.verdict.Refusal == nil {
		c.forget()
		m := newCheck(inputs, output, o)
		m.side, m.budget, m.hints, m.sass = mercurySide, c.budget, c.hints, c
		m.answer(inputs, output)
		c.verdict.join(m.verdict)
	}
	c.judgeFunctions()
	c.verdict.sort()
	return c.verdict
}

// answer runs the check and keeps a refusal in the verdict.
func (c *check) answer(inputs []Input, output []byte) {
	if err := c.run(inputs, output); err != nil {
		var r *Refusal
		if errors.As(err, &r) {
			c.verdict.Refusal = r
		}
	}
}

func newCheck(inputs []Input, output []byte, o Options) *check {
	c := &check{options: o, side: sassSide, byKey: map[areaKey]*area{}}
	c.total = len(output)
	for _, in := range inputs {
		c.total += len(in.Data)
	}
	c.budget = newBudget(uint64(c.total))
	c.asked, _ = releaseOf(o.Toolkit)
	c.verdict.strict = o.Strict
	return c
}

func (c *check) run(inputs []Input, output []byte) error {
	for i, in := range inputs {
		var other *image
		if c.sass != nil {
			other = c.sass.modules[i].image
		}
		m, err := readModule(i, in, c.side, other, c.budget)
		if err != nil {
			return err
		}
		c.modules = append(c.modules, m)
	}
	if err := c.readOutput(output); err != nil {
		return err
	}
	if c.out == nil {
		return nil
	}
	for _, step := range []func() error{c.resolve, c.readCalls, c.alive, c.findNeeds, c.findPlaces, c.relocate, c.compare} {
		if err := step(); err != nil {
			return err
		}
		if c.exhausted != nil {
			return c.exhausted
		}
	}
	return nil
}

// forget lets go of what only the check of one side needs, before the other's.
func (c *check) forget() {
	for _, a := range c.areas {
		a.want, a.fields, a.kept, a.resolved, a.free, a.covered, a.parts = nil, nil, nil, nil, nil, nil, nil
		a.byFunction, a.recordsAt = nil, nil
	}
	for _, m := range c.modules {
		*m = module{image: m.image, number: m.number, bodies: m.bodies}
		m.symbols = nil
	}
	c.uses, c.lostUses, c.usersOfGroup, c.told, c.aligned, c.lines = nil, nil, nil, nil, nil, nil
	c.objectsIn, c.outByName, c.idsByName, c.graph = nil, nil, nil, nil
	c.out.infos, c.out.named = nil, nil
}

// findPlaces finds where everything lies.
func (c *check) findPlaces() error {
	c.gather()
	c.indexObjects()
	if err := c.matchCode(); err != nil {
		return err
	}
	if err := c.mapWords(); err != nil {
		return err
	}
	c.pairSections()
	c.adoptImageBanks()
	c.adoptInstance()
	c.matchUnique()
	c.findShared()
	for _, step := range []func() error{c.findEvidence, c.placeUnits} {
		if err := step(); err != nil {
			return err
		}
	}
	c.units = true
	c.pairSections() // the banks that units made as well
	c.placeReserved()
	for _, a := range c.areas {
		if err := c.placeParts(a); err != nil {
			return err
		}
	}
	if err := c.collideUnits(); err != nil {
		return err
	}
	c.settleObjects()
	if err := c.matchRest(); err != nil {
		return err
	}
	c.settleObjects()
	c.compareProgram()
	if err := c.placeSlots(); err != nil {
		return err
	}
	for _, a := range c.areas {
		if err := c.fill(a); err != nil {
			return err
		}
	}
	return nil
}
