package check

import (
	"errors"

	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// check is one run of [Check]: what each of its phases found out.
type check struct{ *apply.Applied }

// Check decides whether output is a correct link of the inputs, in the order
// of the command line. It never panics, whatever the bytes.
func Check(inputs []Input, output []byte, o Options) Verdict {
	if _, ok := verdict.ReleaseOf(o.Toolkit); !ok {
		return Verdict{Refusal: &Refusal{Kind: BadOptions, File: "toolkit " + o.Toolkit}}
	}
	c := newCheck(inputs, output, o)
	c.answer(inputs, output)
	if c.Out != nil && c.Out.Side == image.SassSide && c.Verdict.Refusal == nil {
		c.forget()
		m := newCheck(inputs, output, o)
		m.Side, m.Budget, m.Hints, m.Sass = image.MercurySide, c.Budget, c.Hints, c.Link
		m.answer(inputs, output)
		c.Verdict.Join(&m.Verdict, image.MercurySide.FileName)
	}
	c.judgeFunctions()
	c.Verdict.Sort()
	return c.Verdict.Verdict
}

// answer runs the check and keeps a refusal in the verdict.
func (c *check) answer(inputs []Input, output []byte) {
	if err := c.run(inputs, output); err != nil {
		var r *Refusal
		if errors.As(err, &r) {
			c.Verdict.Refusal = r
		}
	}
}

// newCheck begins the check of a file with one side, or of its SASS side.
func newCheck(inputs []Input, output []byte, o Options) *check {
	total := len(output)
	for _, in := range inputs {
		total += len(in.Data)
	}
	return &check{apply.New(link.New(total, o))}
}

func (c *check) run(inputs []Input, output []byte) error {
	for i, in := range inputs {
		var other *image.Image
		if c.Sass != nil {
			other = c.Sass.Modules[i].Image
		}
		m, err := link.ReadModule(i, in, c.Side, other, c.Budget)
		if err != nil {
			return err
		}
		c.Modules = append(c.Modules, m)
	}
	if err := c.ReadOutput(output); err != nil {
		return err
	}
	if c.Out == nil {
		return nil
	}
	for _, step := range []func() error{c.Resolve, c.ReadCalls, c.Alive, c.FindNeeds, c.FindPlaces, c.Relocate, c.compare} {
		if err := step(); err != nil {
			return err
		}
		if c.Exhausted != nil {
			return c.Exhausted
		}
	}
	return nil
}

// forget lets go of what only the check of one side needs, before the other's.
func (c *check) forget() {
	for _, a := range c.Areas {
		a.Want, a.Fields, a.Kept, a.Resolved, a.Free, a.Covered, a.Parts = nil, nil, nil, nil, nil, nil, nil
		a.ByFunction, a.RecordsAt = nil, nil
	}
	for _, m := range c.Modules {
		*m = link.Module{Image: m.Image, Number: m.Number, Bodies: m.Bodies}
		m.Symbols = nil
	}
	c.Uses, c.LostUses, c.UsersOfGroup, c.Observed, c.Aligned, c.Lines = nil, nil, nil, nil, nil, nil
	c.ObjectsIn, c.OutByName, c.IDsByName, c.Graph = nil, nil, nil, nil
	c.Out.Infos, c.Out.Named = nil, nil
}
