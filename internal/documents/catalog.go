package documents

import "github.com/twinlink/twinlink/oracle"

// From recipes to descriptors.
//
// The documents print one descriptor (R_CUDA_ABS32_26) and no table, but the
// glossary lists what each action value means. So a descriptor is made of each
// of the oracle's recipes: a step gives a slot, its field the offset and width,
// its formula the action. Two number spaces are involved, which the glossary
// keeps apart: the catalog's action, which the descriptor holds, and the
// dispatcher's code, which the class router makes of it (Route).

// actionOf maps a recipe formula, as oracle prints it, to the catalog action.
var actionOf = map[string]uint32{
	"ADDR + OLD":          1,
	"GADDR + OLD":         2,
	"HEADER + OLD":        3,
	"HWDESC + OLD":        4,
	"HWSWDESC + OLD":      5,
	"LO(ADDR) + OLD":      6,
	"HI(ADDR) + OLD":      7,
	"SLOT + A + OLD":      8,
	"(ADDR >> 2) + OLD":   9,
	"BANK + OLD":          10,
	"(BANK >> 4) + OLD":   11,
	"FDESC + OLD":         12,
	"LO(FDESC) + OLD":     13,
	"HI(FDESC) + OLD":     14,
	"FDESCA + OLD":        15,
	"S32(ADDR + OLD) - P": 16,
	"INST + OLD":          17,
	"INST_OPCODE + OLD":   18,
	"CLEAR_FIELD":         19,
	"CLEAR":               20,
	"(ADDR >> 10) + OLD":  21,
	"UADDR + OLD":         46,
	"LO(UADDR) + OLD":     55,
	"HI(UADDR) + OLD":     56,
	"(ADDR + OLD) >> 8":   23,
	"(ADDR + OLD) >> 16":  24,
	"(ADDR + OLD) >> 24":  25,
	"(ADDR + OLD) >> 32":  26,
	"(ADDR + OLD) >> 40":  27,
	"(ADDR + OLD) >> 48":  28,
	"(ADDR + OLD) >> 56":  29,
	"(GADDR + OLD) >> 8":  31,
	"(GADDR + OLD) >> 16": 32,
	"(GADDR + OLD) >> 24": 33,
	"(GADDR + OLD) >> 32": 34,
	"(GADDR + OLD) >> 40": 35,
	"(GADDR + OLD) >> 48": 36,
	"(GADDR + OLD) >> 56": 37,
	"(FDESC + OLD) >> 8":  39,
	"(FDESC + OLD) >> 16": 40,
	"(FDESC + OLD) >> 24": 41,
	"(FDESC + OLD) >> 32": 42,
	"(FDESC + OLD) >> 40": 43,
	"(FDESC + OLD) >> 48": 44,
	"(FDESC + OLD) >> 56": 45,
	"(UADDR + OLD) >> 8":  48,
	"(UADDR + OLD) >> 16": 49,
	"(UADDR + OLD) >> 24": 50,
	"(UADDR + OLD) >> 32": 51,
	"(UADDR + OLD) >> 40": 52,
	"(UADDR + OLD) >> 48": 53,
	"(UADDR + OLD) >> 56": 54,
}

// lane0 maps the action of a whole value to that of its byte 0, for steps that
// write eight bits at bit 0.
var lane0 = map[uint32]uint32{1: 22, 2: 30, 12: 38, 46: 47}

// poison is the action of the entry that closes the table; the glossary calls
// it a tripwire.
const poison = 0xff

// Describe makes the descriptor of a recipe, with catalog actions. It reports
// false where the glossary has no action for one of the steps.
func Describe(r *oracle.Recipe) (Descriptor, bool) {
	var d Descriptor
	if r.Sentinel {
		for i := range d.Slots {
			d.Slots[i].Action = poison
		}
		return d, true
	}
	steps := r.Steps()
	if len(steps) > slotCount {
		return d, false
	}
	for i, step := range steps {
		action, ok := actionOf[step.Expr.String()]
		if !ok {
			return Descriptor{}, false
		}
		if lane, ok := lane0[action]; ok && step.Field == (oracle.Field{Start: 0, Width: 8}) {
			action = lane
		}
		d.Slots[i] = Slot{BitOffset: uint32(step.Field.Start), BitWidth: uint32(step.Field.Width), Action: action}
	}
	return d, true
}

// Route turns a catalog action into the code that reaches the dispatcher, by
// section 3 of the glossary. It reports false for the actions that "never
// reach the dispatcher"; 10 and 11, which the glossary counts among them, do
// reach it, as every constant-bank field that the tool patches shows.
func Route(action uint32) (code uint32, ok bool) {
	switch {
	case action == 2 || action == 17:
		return 0x01, true
	case action >= 30 && action <= 37:
		return action - 30 + 0x16, true
	}
	return action, CaseOf(action) != CaseNone
}

// Routed returns the descriptor with its actions turned into codes. An action
// that has none is left, and will find no arm.
func (d Descriptor) Routed() Descriptor {
	for i := range d.Slots {
		if code, ok := Route(d.Slots[i].Action); ok {
			d.Slots[i].Action = code
		}
	}
	return d
}
