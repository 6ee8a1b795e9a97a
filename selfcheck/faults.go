package selfcheck

import (
	"errors"

	"github.com/twinlink/twinlink/cubin"
)

// faults turns what can't be decoded into findings. The checks after it do
// without what is lacking.
func (c *checker) faults() {
	for _, err := range c.m.Faults {
		c.fault(err)
	}
}

// fault reports a *cubin.Error.
func (c *checker) fault(err error) {
	var e *cubin.Error
	if !errors.As(err, &e) {
		return
	}
	if len(c.report.Findings) >= c.opts.Limit {
		c.report.More++ // finding the section by its name takes time
		return
	}
	section := 0
	for i := range c.m.Sections {
		if c.m.Sections[i].Name == e.Section {
			section = i
		}
	}
	c.add(kindOf(e.Section), Content, section, e.Offset, "form of the section", e.Detail, hex(e.Value))
}
