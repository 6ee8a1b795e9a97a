package code

import (
	"bytes"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/internal/schedule"
)

// An operation of two words has a register for what goes from the one to the other. A finalizer that makes the code
// again may take another register for it, if nothing that comes later reads what that one held.
//
//	FMNMX R14, R14, R15       FMNMX R29, R14, R15
//	FMNMX R14, R14, R4        FMNMX R14, R29, R4
//
// Source: a maximum of three in code of ptxas 13.0.88 with -O0 for sm_120, by -r of nvlink 13.5.37.

// betweenTwo reports whether a word of the input is one of two that hand a value over in another register.
func (c *check) betweenTwo(a *link.Area, i int) bool {
	return c.handsOver(a, i) || i > 0 && c.handsOver(a, i-1)
}

// handsOver reports whether a word and the next are such two words.
func (c *check) handsOver(a *link.Area, i int) bool {
	const destination, source = 2, 3
	if i+1 >= len(a.Words.To) || a.Words.To[i] < 0 || a.Words.To[i+1] != a.Words.To[i]+1 {
		return false
	}
	j := a.Words.To[i]
	first, ok := twoOf(a, i, j, destination)
	second, also := twoOf(a, i+1, j+1, source)
	if !ok || !also || sass.Opcode(second.in) != sass.Opcode(first.in) || first.was != second.was || first.is != second.is || second.in[destination] != first.was {
		return false
	}
	operands := sass.OperandsOf(second.in)
	return first.is < noRegister && operands.Known && !operands.Reads.Has(uint64(first.is)) && schedule.Dead(c.Applied, a, int(j)+1, uint64(first.is))
}

const noRegister = 0xff

// renamed is a word of FMNMX of which one register is another in the output.
type renamed struct {
	in      []byte
	was, is byte
}

// twoOf returns a word of the input whose register in one byte is all that is another in the output.
func twoOf(a *link.Area, i int, j int32, at int) (r renamed, ok bool) {
	const opFMNMX = 0x209
	want, _ := image.Cut(a.Want, uint64(i)*sass.Instruction, sass.Instruction)
	got, _ := image.Cut(a.Out.Body, uint64(j)*sass.Instruction, sass.Instruction)
	if len(want) < sass.Instruction || len(got) < sass.Instruction || sass.Opcode(want) != opFMNMX || sass.GuardOf(want) != sass.Always {
		return r, false
	}
	r = renamed{want, want[at], got[at]}
	x, y := bytes.Clone(want), bytes.Clone(got)
	sass.Blank(x, sass.ControlFirst, sass.ControlLast)
	sass.Blank(y, sass.ControlFirst, sass.ControlLast)
	x[at] = y[at]
	return r, r.was != r.is && bytes.Equal(x, y)
}
