package code

import (
	"bytes"
	"fmt"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/internal/schedule"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Every word of code is one of the input's: unchanged, relocated, or scheduled
// again in a way that is sound. Words that were put in or omitted change nothing
// of what is computed, and branches go where they went.

// compareCode holds the code of the SASS side against what it must be.
func (c *check) compareCode(a *link.Area) error {
	if len(a.Want)%sass.Instruction != 0 || len(a.Out.Body)%sass.Instruction != 0 || a.Words == nil {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SectionSize, File: a.Parts0(), Section: a.Name, Want: verdict.Hex(a.Size), Got: verdict.Hex(a.Out.Size), Detail: "not a whole number of instructions"})
		return nil
	}
	if err := c.Budget.Spend("output", a.Size/8); err != nil {
		return err
	}
	c.RebaseSlots(a)
	changed, wrong := 0, 0
	for i := range a.Words.To {
		j := a.Words.To[i]
		if j < 0 {
			wrong += c.compareDropped(a, i)
			continue
		}
		anew, other := c.compareWord(a, i, uint64(j)*sass.Instruction)
		changed, wrong = changed+anew, wrong+other
	}
	wrong += c.compareAdded(a)
	if changed > 0 && a.Words.Identity && c.FirstMercury() {
		c.Verdict.Habit(verdict.Finding{Kind: verdict.CodeSchedule, File: a.Parts0(), Section: a.Name, Symbol: a.Owner.Owner.String(), Detail: "rescheduled, but 12.8 and 12.9 don't change code"})
	}
	if wrong == 0 && (changed > 0 || !a.Words.Identity) {
		return schedule.Compare(c.Applied, a, changed)
	}
	return nil
}

// compareDropped is 1 where a word that the output lacks may not be omitted.
func (c *check) compareDropped(a *link.Area, i int) (wrong int) {
	if sass.MayDrop(a.Owner.Section.Body, i) && (!sass.KeepsCount(a.Owner.Section.Body, i) || schedule.Without(c.Applied, a)) {
		return 0
	}
	at := uint64(i) * sass.Instruction
	want, _ := image.Cut(a.Want, at, sass.Instruction)
	c.wrongCode(a, c.CodeFinding(a, at, want, nil, "an instruction is missing"))
	return 1
}

// compareWord compares a word with that at a place of the output: changed where its schedule is another, wrong where it is no more
// the input's.
func (c *check) compareWord(a *link.Area, i int, out uint64) (changed, wrong int) {
	at := uint64(i) * sass.Instruction
	want, _ := image.Cut(a.Want, at, sass.Instruction)
	got, _ := image.Cut(a.Out.Body, out, sass.Instruction)
	moves := sass.Branches(want) && !a.Words.Identity
	to, returns, inside := uint64(0), false, false
	if !a.Words.Identity && a.Owner.HoldsFunctions() {
		to, returns, inside = a.Owner.PlaceInside(i)
	}
	if bytes.Equal(want, got) && !moves && !returns {
		return 0, 0
	}
	x, y := bytes.Clone(want), bytes.Clone(got)
	sass.Blank(x, sass.ControlFirst, sass.ControlLast)
	sass.Blank(y, sass.ControlFirst, sass.ControlLast)
	if image.Number(want, 8, 8)&sass.ControlMask != image.Number(got, 8, 8)&sass.ControlMask {
		changed = 1
	}
	if moves {
		sass.BlankDistance(x)
		sass.BlankDistance(y)
		c.compareTarget(a, uint64(i), out/sass.Instruction, want, got)
	}
	if number, _ := sass.NumberOf(got); inside && (returns || number != to) {
		place, _ := placeOf(a, to, image.Number(got, 4, 4))
		sass.PutNumber(x, place)
	}
	if bytes.Equal(x, y) || sass.ShortAddition(x, y) || sass.WithoutYield(x, y) || a.Words.Throttles(a.Owner.Section.Body, a.Out.Body, i) {
		return changed, 0
	}
	if !c.betweenTwo(a, i) && c.explainWord(a, at, out, x, y) {
		wrong = 1
	}
	return changed, wrong
}

// compareAdded is how many words of the output are neither the input's nor such as do nothing.
func (c *check) compareAdded(a *link.Area) (wrong int) {
	for j, i := range a.Words.From {
		got, _ := image.Cut(a.Out.Body, uint64(j)*sass.Instruction, sass.Instruction)
		if i < 0 && !sass.PutInAt(a.Out.Body, j) && !(sass.Opcode(got) == sass.OpBra && sass.IsLoop(got)) {
			wrong++
			c.wrongCode(a, c.CodeFinding(a, uint64(j)*sass.Instruction, nil, got, "an instruction that is not in the input"))
		} else if i < 0 && sass.IsFence(got) && sass.GuardOf(got) != sass.Always && sass.GuardOf(got) != sass.Fenced(a.Out.Body, j) {
			wrong++
			c.Verdict.Add(c.CodeFinding(a, uint64(j)*sass.Instruction, nil, got, "a fence with another guard than the instruction after it"))
		}
	}
	return wrong
}

// explainWord reports whether it is a field that is wrong or the instruction, and
// reports whether anything is.
func (c *check) explainWord(a *link.Area, at, out uint64, want, got []byte) bool {
	for k := range want {
		if a.IsFree(at + uint64(k)) {
			want[k] = got[k]
		}
	}
	if bytes.Equal(want, got) {
		return false
	}
	for k := range want {
		if want[k] == got[k] {
			continue
		}
		for i := range a.Fields {
			f := &a.Fields[i]
			if f.Offset <= at+uint64(k) && at+uint64(k) < f.Offset+f.Size {
				c.Trace(f)
				c.Verdict.Add(verdict.Finding{Kind: verdict.RelocationField, File: a.Parts0(), Section: a.Name, Symbol: c.TargetName(f.Mod, f.Rec), Offset: out,
					Relocation: image.RelocationName(f.Rec.Kind), Number: f.Rec.Kind, Want: fmt.Sprintf("%x", want), Got: fmt.Sprintf("%x", got)})
				return true
			}
		}
		break
	}
	c.wrongCode(a, c.CodeFinding(a, out, want, got, "an instruction that is not the input's"))
	return true
}

// wrongCode tells of a word that is not the input's. Finalizers after 13.0 make some operations
// of 12.8 and 12.9 of other words and registers, so that nothing can be said of such code.
//
// Source: VOTE and S2UR in 4 of 170 objects of ptxas 12.9.86 for sm_120, by nvlink 13.2 to 13.4.
func (c *check) wrongCode(a *link.Area, f verdict.Finding) {
	if c.Release > 130 && c.Unversioned(a.Owner) {
		f.Detail += ", in code of 12.8 or 12.9, for which later releases use other instructions"
		a.Words.Strange = true
		c.Unjudged(a, f)
		return
	}
	c.Verdict.Add(f)
}

// compareTarget wants a branch to go to the same word as in the input. An indirect one
// adds what a table says to the start of the function.
func (c *check) compareTarget(a *link.Area, i, j uint64, want, got []byte) {
	to := int64(i+1)*sass.Instruction + sass.Distance(want)
	if to < 0 || to%sass.Instruction != 0 || uint64(to)/sass.Instruction >= uint64(len(a.Words.To)) {
		if sass.Distance(want) != sass.Distance(got) {
			c.wrongCode(a, c.CodeFinding(a, j*sass.Instruction, want, got, "a branch that leaves the function"))
		}
		return
	}
	is := uint64(int64(j+1)*sass.Instruction + sass.Distance(got))
	if place, ok := placeOf(a, uint64(to), is); !ok || place != is {
		f := c.CodeFinding(a, j*sass.Instruction, nil, nil, "a branch has another target")
		f.Want, f.Got = verdict.Hex(place), verdict.Hex(is)
		c.wrongCode(a, f)
	}
}

// placeOf is where the output has a place of the input's code: where the one in question is, if that is right.
func placeOf(a *link.Area, to, is uint64) (place uint64, ok bool) {
	first, last, ok := a.Words.LeadsTo(to / sass.Instruction)
	last = firstFence(a.Out.Body, first, last)
	if is%sass.Instruction == 0 && is >= first*sass.Instruction && is <= last*sass.Instruction {
		return is, ok
	}
	return last * sass.Instruction, ok
}

// firstFence is the first fence from one word on, or else the other: a branch goes to the first of the fences that were
// inserted, not past it.
func firstFence(code []byte, from, to uint64) uint64 {
	for ; from < to; from++ {
		if word, ok := image.Cut(code, from*sass.Instruction, sass.Instruction); !ok || sass.IsFence(word) {
			return from
		}
	}
	return to
}
