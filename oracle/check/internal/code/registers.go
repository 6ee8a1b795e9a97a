package code

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Where registers of the source are, on the SASS side.
//
// .nv_debug_info_reg_sass has a block for each function: its name, a number of entries, and the
// entries. The finalizer writes it again, with the same blocks in the same order. The ranges of
// a function that is gone are zeros.
//
//	u32 kind | name of the source's register | u32 machine register | u32 from | u32 to
//
// Source: links of -g objects by nvlink 13.0 to 13.5.

const registersSASS = ".nv_debug_info_reg_sass"

// registerBlock is what is said of one function.
type registerBlock struct {
	at      uint64
	name    string
	entries []registerEntry
}

type registerEntry struct {
	kind, machine uint64
	name          string
	from, to      uint64
}

// registerBlocks reads a section.
func registerBlocks(body []byte) (list []registerBlock, ok bool) {
	at := uint64(0)
	text := func() string {
		for end := at; end < uint64(len(body)); end++ {
			if body[end] == 0 {
				s := string(body[at:end])
				at = end + 1
				return s
			}
		}
		ok = false
		return ""
	}
	word := func() uint64 {
		if _, fits := image.Cut(body, at, 4); !fits {
			ok = false
			return 0
		}
		at += 4
		return image.Number(body, at-4, 4)
	}
	for ok = true; ok && at < uint64(len(body)); {
		b := registerBlock{at: at}
		b.name = text()
		for n := word(); ok && n > 0; n-- {
			e := registerEntry{kind: word(), name: text()}
			e.machine, e.from, e.to = word(), word(), word()
			b.entries = append(b.entries, e)
		}
		list = append(list, b)
	}
	return list, ok
}

// compareRegisters holds the blocks of the output against those of the inputs.
func (c *check) compareRegisters() error {
	a := c.ByKey[link.AreaKey{Base: registersSASS, Owner: nil}]
	if c.Out.Side != image.SassSide || a == nil || a.Out == nil {
		return nil
	}
	want := map[string][]registerBlock{}
	blocks := 0
	for _, p := range a.Parts {
		list, ok := registerBlocks(p.Section.Body)
		if !ok {
			return nil // nothing is known of such a table
		}
		for _, b := range list {
			want[b.name] = append(want[b.name], b)
		}
		blocks += len(list)
	}
	tell := func(at uint64, name, detail string) {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SectionBytes, Section: a.Name, Symbol: name, Offset: at, Detail: detail})
	}
	got, ok := registerBlocks(a.Out.Body)
	if !ok || len(got) != blocks {
		tell(0, "", fmt.Sprintf("registers of %d functions, the inputs have %d", len(got), blocks))
		return nil
	}
	functions := map[string]int{} // of the inputs, by name
	for _, id := range c.IDs {
		if id.Function() {
			functions[id.Name]++
		}
	}
	for _, g := range got {
		several := functions[g.name] > 1
		if !slices.ContainsFunc(want[g.name], func(w registerBlock) bool { return several || c.sameBlock(w, g) }) {
			tell(g.at, g.name, "registers that are not the input's")
		}
	}
	return c.Budget.Spend("output", a.Out.Size/4)
}

// sameBlock reports whether a block says what the input's does. Where words of the function
// moved the ranges have to as well; where its code isn't its alone, they are others, or zeros.
func (c *check) sameBlock(want, got registerBlock) bool {
	ids := c.IDsByName.Of(got.name)
	switch {
	case len(ids) != 1 || ids[0].SharesCode():
		return true
	case c.WasReworked(ids[0]):
		return want.movedIn(got, ids[0].Code.Area)
	case slices.Equal(want.entries, got.entries):
		return true
	}
	return want.cutIn(got, func(from, to uint64) bool { return fencesOnly(ids[0].Code.Section.Body, from, to) })
}

// fencesOnly reports whether nothing but fences follows one word of a function up to another. They write no
// register, so that what one holds at the second it holds from the first on.
//
// Source: a function of ptxas 13.2.86 with -g for sm_100a, by nvlink 13.2.86: where its fence is made of three words
// the range of a register begins at the word before them, and in the object at the last of them.
func fencesOnly(code []byte, from, to uint64) bool {
	for at := from + sass.Instruction; at <= to; at += sass.Instruction {
		if word, ok := image.Cut(code, at, sass.Instruction); !ok || !sass.IsFence(word) {
			return false
		}
	}
	return true
}

// movedIn reports whether another block has each range where its words are in the output, and none of another register. A
// range may end before it begins; then its end counts. One that begins at a fence may do so before it.
//
// Source: 133 functions whose words moved, of 716 links of objects of ptxas 13.0 to 13.5 with -g.
func (b registerBlock) movedIn(other registerBlock, a *link.Area) bool {
	fits := func(from, to uint64) bool {
		first, last, ok := a.Words.LeadsTo(from / sass.Instruction)
		return !ok || to >= first*sass.Instruction && to <= last*sass.Instruction
	}
	begins := func(from, to uint64) bool {
		first, _, ok := a.Words.LeadsTo(from / sass.Instruction)
		return fits(from, to) || ok && to < first*sass.Instruction && fencesOnly(a.Out.Body, to, first*sass.Instruction)
	}
	like := func(g, w registerEntry) bool { return g.kind == w.kind && g.name == w.name && g.machine == w.machine }
	for _, w := range b.entries {
		if !slices.ContainsFunc(other.entries, func(g registerEntry) bool {
			return like(g, w) && (begins(w.from, g.from) || w.from > w.to) && fits(w.to, g.to)
		}) {
			return false
		}
	}
	return !slices.ContainsFunc(other.entries, func(g registerEntry) bool {
		return !slices.ContainsFunc(b.entries, func(w registerEntry) bool { return like(g, w) })
	})
}

// cutIn reports whether another block has each range, or its beginning: where one operation is made
// of several words a register may go over into another in between. A range may begin earlier
// where the register is the same in between.
//
// Source: functions of two programs, by nvlink 13.1 to 13.5.
func (b registerBlock) cutIn(other registerBlock, same func(from, to uint64) bool) bool {
	for _, w := range b.entries {
		begins := func(g registerEntry) bool {
			return g.kind == w.kind && g.name == w.name && g.machine == w.machine &&
				(g.from == w.from && g.to <= w.to || w.from > w.to && g.to == w.to || g.from < w.from && g.to <= w.to && g.to > w.from && same(g.from, w.from))
		}
		if !slices.ContainsFunc(other.entries, begins) {
			return false
		}
	}
	for _, g := range other.entries {
		if !slices.ContainsFunc(b.entries, func(w registerEntry) bool { return w.kind == g.kind && w.name == g.name }) {
			return false
		}
	}
	return true
}
