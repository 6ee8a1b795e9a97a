package check

import (
	"errors"

	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/internal/capsule"
)

// check is one run of [Check].
type check struct {
	options Options
	side    side
	release oracle.Release
	sm      int
	total   int // bytes of all files
	budget  *budget
	verdict Verdict
	steps   uint64

	modules []*module
	names   map[string]*identity
	ids     []*identity
	commons []*identity
	moment  int
	marks   int

	takers  map[string][]*identity // functions whose address is taken, by prototype
	kernels []*identity            // those that stay
	keepAll bool                   // nothing was taken for dead

	relocatable, preserve, debug, forceRela bool
	reserved                                uint64 // bytes of shared memory that the system keeps

	nameless int // symbols without a name that 12.x makes for undefined functions

	uses     map[*identity]*use
	lostUses map[*identity]bool // objects that code named which lost
	shared   *shared
	told     map[toldKey]uint64 // addresses in shared memory, read from the output
	areas    []*area
	byKey    map[areaKey]*area

	slotBase uint64 // offset of the first image slot
	capsules map[*body]*capsule.Capsule
	pairs    map[uint32]*area // Mercury side: capsules by section of the SASS
	reworked []finalizedArea  // SASS side: what the other one has to confirm

	instance *identity // -r: stands for arrays of unknown length in shared memory

	out *output
}

// Check decides whether output is a correct link of the inputs, in the order
// of the command line. It never panics, whatever the bytes.
func Check(inputs []Input, output []byte, o Options) Verdict {
	c := newCheck(inputs, output, o)
	c.answer(inputs, output)
	if c.out != nil && c.out.side == sassSide && c.verdict.Refusal == nil {
		m := newCheck(inputs, output, o)
		m.side, m.budget = mercurySide, c.budget
		m.answer(inputs, output)
		c.finalized(m)
		c.verdict.join(m.verdict)
	}
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
	c := &check{options: o, side: sassSide, names: map[string]*identity{}, byKey: map[areaKey]*area{}}
	c.total = len(output)
	for _, in := range inputs {
		c.total += len(in.Data)
	}
	c.budget = newBudget(uint64(c.total))
	c.verdict.loose = o.Loose
	return c
}

func (c *check) run(inputs []Input, output []byte) error {
	for i, in := range inputs {
		m, err := readModule(i, in, c.side, c.budget)
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
	for _, step := range []func() error{c.resolve, c.readCalls, c.alive, c.layOut, c.relocate, c.match, c.compare} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// layOut finds where everything lies.
func (c *check) layOut() error {
	c.gather()
	steps := []func() error{c.findUses, c.placeShared, c.placeSlots, c.placeUnits}
	if c.relocatable {
		steps = []func() error{c.findUses, c.placeSharedEarly}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	c.placeReserved()
	for _, a := range c.areas {
		if err := c.fill(a); err != nil {
			return err
		}
	}
	c.matchCode()
	return nil
}
