package apply

import (
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// Code that asks whether an address is global (isspacep.global) reads how many bytes of
// constants there are, from .nv.ptx.const0.size, which no object defines. It is the size of
// the bank that the output has, whoever's constants are there and however many of them code
// reads; all ones where the output has none. -r carries the records out as well, and a later
// link that adds constants leaves the places as they are. In capsules no place gets a number:
// there it is the symbol of a relocatable output alone that has it.
//
// Source: links by nvlink 11.8.89, 12.4.131, 13.0.88 and 13.5.37 on both sides of sm_100.

// measureConstants takes the value of .nv.ptx.const0.size from the output.
func (c *Applied) measureConstants() {
	name := link.UserBank
	if c.Side == image.MercurySide {
		name = link.UserBankMerc
	}
	c.ConstantBytes = 1<<64 - 1
	if bank := c.Out.Lookup(name); bank != nil && bank.Size > 0 {
		c.ConstantBytes = bank.Size
	}
}
